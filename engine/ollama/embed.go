package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"scrinalia/engine"

	"github.com/ollama/ollama/api"
)

var errNoText = errors.New("there is no text to embed")

type embedder struct {
	*client
	dimensions int
	batch      int // texts in one call
}

// Dimensions is the length of every vector.
func (e *embedder) Dimensions() int { return e.dimensions }

// Embed sends the texts in batches. When the server refuses one, the batch is split until the text at fault stands alone, which is
// then shortened or fails alone.
func (e *embedder) Embed(ctx context.Context, texts []string) ([]engine.Vector, error) {
	vectors := make([]engine.Vector, len(texts))
	short := make([]string, len(texts))
	var asked []int // the texts that there is something to send of
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			vectors[i].Err = errNoText
			continue
		}
		short[i], vectors[i].Truncated = fit(text, e.context-2) // begin and end of text are tokens too
		asked = append(asked, i)
	}
	for part := range slices.Chunk(asked, e.batch) {
		if err := e.part(ctx, short, part, vectors); err != nil {
			return nil, err
		}
	}
	e.countVectors(vectors)
	return vectors, nil
}

func (e *embedder) countVectors(vectors []engine.Vector) {
	e.count(func(u *engine.Usage) {
		for _, v := range vectors {
			if v.Truncated {
				u.Truncated++
			}
			if _, ok := errors.AsType[*engine.OutputError](v.Err); ok {
				u.Invalid++
			}
		}
	})
}

// part embeds the texts at these places in one call, in two halves if that is refused.
func (e *embedder) part(ctx context.Context, texts []string, part []int, vectors []engine.Vector) error {
	batch := make([]string, len(part))
	for i, at := range part {
		batch[i] = texts[at]
	}
	resp, err := e.embed(ctx, batch)
	switch {
	case isUnit(err) && len(part) == 1:
		return e.alone(ctx, batch[0], err, &vectors[part[0]])
	case isUnit(err):
		return e.halves(ctx, texts, part, vectors)
	case err != nil:
		return err
	}
	if err := e.fits(resp, batch); err != nil {
		return err
	}
	if len(part) > 1 && fewer(resp.PromptEvalCount, len(strings.Join(batch, ""))) {
		return e.halves(ctx, texts, part, vectors) // to learn which were not read to their end
	}
	for i, at := range part {
		e.put(&vectors[at], resp.Embeddings[i])
	}
	if len(part) == 1 && e.lost(resp.PromptEvalCount, len(batch[0])) {
		vectors[part[0]].Truncated = true
	}
	return nil
}

func (e *embedder) halves(ctx context.Context, texts []string, part []int, vectors []engine.Vector) error {
	middle := len(part) / 2
	if err := e.part(ctx, texts, part[:middle], vectors); err != nil {
		return err
	}
	return e.part(ctx, texts, part[middle:], vectors)
}

// alone takes a text that was refused by itself: too long a one is halved, any other fails.
func (e *embedder) alone(ctx context.Context, text string, err error, v *engine.Vector) error {
	for range halvings {
		refused, ok := errors.AsType[*refusedError](err)
		if text = half(text); !ok || !refused.tooLong || strings.TrimSpace(text) == "" {
			break
		}
		v.Truncated = true
		var resp *api.EmbedResponse
		if resp, err = e.embed(ctx, []string{text}); err == nil {
			if err := e.fits(resp, []string{text}); err != nil {
				return err
			}
			e.put(v, resp.Embeddings[0])
			return nil
		}
	}
	if !isUnit(err) {
		return err
	}
	v.Err = err
	return nil
}

// fits refuses an answer that cannot be matched with the texts, or that comes from a model of other dimensions altogether.
func (e *embedder) fits(resp *api.EmbedResponse, texts []string) error {
	if got := len(resp.Embeddings); got != len(texts) {
		return e.unavailable(nil, "the server answered %d vectors for %d texts; it may need an update, or the host is another service (`ollama serve` starts one).", got, len(texts))
	}
	length := len(resp.Embeddings[0])
	other := func(v []float32) bool { return len(v) != length }
	if length != 0 && length != e.dimensions && !slices.ContainsFunc(resp.Embeddings, other) {
		return e.unavailable(nil, "its vectors have %d dimensions, %d were expected; set dimensions to %d, or choose the model that the preset names with `ollama pull %s`.",
			length, e.dimensions, length, e.model)
	}
	return nil
}

func (e *embedder) put(v *engine.Vector, values []float32) {
	if err := e.check(values); err != nil {
		v.Err = engine.NewOutputError(err.Error(), clipVector(values))
		return
	}
	v.Values = values
}

func (e *embedder) check(values []float32) error {
	if len(values) != e.dimensions {
		return fmt.Errorf("the vector has %d values and not %d", len(values), e.dimensions)
	}
	zero := true
	for _, f := range values {
		if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
			return errors.New("the vector holds a value that is no number")
		}
		zero = zero && f == 0
	}
	if zero {
		return errors.New("the vector is zero and has no direction")
	}
	return nil
}

// clipVector shows the beginning of a vector.
func clipVector(values []float32) string {
	const shown = 8
	if len(values) > shown {
		return fmt.Sprint(values[:shown]) + " …"
	}
	return fmt.Sprint(values)
}
