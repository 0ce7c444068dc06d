package worker

import (
	"context"
	"log/slog"
)

// Env is what a run gives its worker: who it is, and where to report.
type Env struct {
	RunID int64
	Log   *slog.Logger
	// Report adds what a committed batch did to the run. It fails when the run may not go on: it was cancelled, or
	// its process no longer owns it.
	Report func(ctx context.Context, b Batch) error
	Watch  *Watch // of the units in work
}

// Batch is what one committed step of a worker did.
type Batch struct {
	Last  int64           // the key of the last unit: the cursor of the next step
	Seen  int             // units that were read; fewer than asked for means that the queue is at its end
	Unit  string          // how people know the last unit; may be empty
	Notes map[string]Note // beside the units
	Counts
}

// Step does one batch: the units after the cursor, at most size of them, read, worked on and committed.
type Step func(ctx context.Context, after int64, size int64) (Batch, error)

// Batches runs steps until the queue ends or limit units (0: no limit) were seen. The cursor always moves, so that a
// unit is looked at once a run, also when it fails or is forced.
func Batches(ctx context.Context, env Env, limit, size int64, step Step) error {
	var seen int64
	after := int64(0)
	for n := size; ; {
		if limit > 0 {
			n = min(n, limit-seen)
		}
		if n <= 0 {
			return nil
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		b, err := step(ctx, after, n)
		if err != nil {
			return err
		}
		if b.Seen == 0 {
			return nil
		}
		if err := env.Report(ctx, b); err != nil {
			return err
		}
		seen += int64(b.Seen)
		after = b.Last
		n = min(size, 2*int64(b.Seen)) // a step that a slow engine cut short read more than it needed
	}
}
