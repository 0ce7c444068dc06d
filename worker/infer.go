package worker

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	// serviceTries is how many failures in a row end a run: enough for a server that is being restarted.
	serviceTries = 3
	servicePause = 500 * time.Millisecond // before the second try, twice that before the third
	inferFor     = 3 * time.Second        // a slow engine's answers are committed this often
	chunkFor     = 250 * time.Millisecond // a chunk is doubled as long as it takes less
)

// Infer asks an engine about the inputs in growing chunks, until all are answered or enough time has passed for what is known to be
// committed: the outputs are those of the first inputs, at least one. A failure of the service is tried again; after the third in a row
// the error is returned, unless there are answers to commit first. The inputs are those of the units, which the watch knows of before the engine does.
func Infer[In, Out any](ctx context.Context, watch *Watch, units []UnitRef, inputs []In, ask func(ctx context.Context, inputs []In) ([]Out, error)) ([]Out, error) {
	outputs := make([]Out, 0, len(inputs))
	started := time.Now()
	for size := 1; len(outputs) < len(inputs) && time.Since(started) < inferFor; {
		from := len(outputs)
		n := watch.together(units[from:], size)
		if err := watch.takeUp(ctx, units[from:], n); err != nil {
			return nil, err
		}
		chunk := inputs[from : from+n]
		asked := time.Now()
		answers, err := askAgain(ctx, chunk, ask)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && len(outputs) > 0:
			return outputs, nil // the next batch begins with the failure
		case err != nil:
			return nil, err
		case len(answers) != len(chunk):
			return nil, fmt.Errorf("the engine gave %d answers to %d inputs", len(answers), len(chunk))
		}
		outputs = append(outputs, answers...)
		quick := time.Since(asked) < chunkFor
		if quick && n == size {
			size *= 2
		}
		if err := watch.did(ctx, units[from], quick); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// askAgain repeats a call that failed for want of a service.
func askAgain[In, Out any](ctx context.Context, inputs []In, ask func(ctx context.Context, inputs []In) ([]Out, error)) (answers []Out, err error) {
	err = Insist(ctx, func(ctx context.Context) error {
		answers, err = ask(ctx, inputs)
		return err
	})
	return answers, err
}

// Insist repeats what failed for want of a service, three times in all; the last error is returned.
func Insist(ctx context.Context, do func(ctx context.Context) error) (err error) {
	for try := range serviceTries {
		if err = do(ctx); err == nil || KindOf(err) != Unavailable || ctx.Err() != nil {
			return err
		}
		if try == serviceTries-1 {
			break
		}
		pause := time.NewTimer(servicePause << try)
		select {
		case <-ctx.Done():
			pause.Stop()
			return context.Cause(ctx)
		case <-pause.C:
		}
	}
	return err
}

// Texts wraps an engine's call so that it is not asked about texts with nothing in them; their answer is the zero value.
func Texts[Out any](ask func(ctx context.Context, texts []string) ([]Out, error)) func(ctx context.Context, texts []string) ([]Out, error) {
	return func(ctx context.Context, texts []string) ([]Out, error) {
		var full []string
		var at []int
		for i, t := range texts {
			if strings.TrimSpace(t) != "" {
				full, at = append(full, t), append(at, i)
			}
		}
		out := make([]Out, len(texts))
		if len(full) == 0 {
			return out, nil
		}
		answers, err := ask(ctx, full)
		if err != nil {
			return nil, err
		}
		if len(answers) != len(full) {
			return nil, fmt.Errorf("the engine gave %d answers to %d texts", len(answers), len(full))
		}
		for i, a := range answers {
			out[at[i]] = a
		}
		return out, nil
	}
}
