package store

import (
	"context"
	"encoding/json"
	"fmt"

	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// pipelineLocks is the high half of the advisory locks that processes hold for the pipelines that they do themselves: "SCRP" in ASCII.
const pipelineLocks int64 = 0x53435250 << 32

const onePipeline = "pipelines_one_at_a_time"

// StartPipeline notes a pipeline under way. here says that this process does it: it then holds the pipeline's lock until release is called. A
// pipeline that is under way already gives a *worker.PipelineError.
func (s *Store) StartPipeline(ctx context.Context, r worker.PipelineRequest, workers []string, here bool) (id int64, release func(), err error) {
	arguments, err := json.Marshal(r.Arguments)
	if err != nil {
		return 0, nil, fmt.Errorf("encode arguments: %w", err)
	}
	if id, err = s.q.NextPipelineID(ctx); err != nil {
		return 0, nil, translate("draw pipeline id", err)
	}
	release = func() {}
	if here {
		owner, ok, err := s.own(ctx, id, pipelineLocks+id)
		if err != nil || !ok {
			return 0, nil, fmt.Errorf("own pipeline %d: %t, %w", id, ok, err)
		}
		release = owner.Release
	}
	err = s.q.InsertPipeline(ctx, db.InsertPipelineParams{
		ID: id, Trigger: string(r.Trigger), RequestedBy: CleanText(r.RequestedBy, 200), Workers: workers, Arguments: arguments, Here: here,
	})
	if err == nil {
		return id, release, nil
	}
	release()
	if constraint(err) != onePipeline {
		return 0, nil, translate("start pipeline", err)
	}
	p, lookErr := s.ActivePipeline(ctx)
	if lookErr != nil || p == nil {
		return 0, nil, &worker.Error{Kind: worker.Conflict, Msg: "A pipeline was under way that has just ended; try again.", Err: err}
	}
	return 0, nil, &worker.PipelineError{Pipeline: *p}
}

// Pipeline returns a pipeline with its runs.
func (s *Store) Pipeline(ctx context.Context, id int64) (worker.Pipeline, error) {
	row, err := s.q.GetPipeline(ctx, id)
	if err != nil {
		return worker.Pipeline{}, noSuch(err, "There is no pipeline #%d.", id)
	}
	p, err := readPipeline(ctx, s.q, row)
	return p, translate("read pipeline", err)
}

func readPipeline(ctx context.Context, q *db.Queries, r db.Pipeline) (worker.Pipeline, error) {
	p := worker.Pipeline{
		ID: r.ID, Status: worker.Status(r.Status), Trigger: worker.Trigger(r.Trigger), RequestedBy: r.RequestedBy, Workers: r.Workers, StartedAt: r.StartedAt,
		FinishedAt: r.FinishedAt, CancelRequestedAt: r.CancelRequestedAt, CancelRequestedBy: r.CancelRequestedBy, Error: r.Error, Runs: []worker.Run{},
	}
	if err := json.Unmarshal(r.Arguments, &p.Arguments); err != nil {
		return p, fmt.Errorf("decode arguments of pipeline %d: %w", r.ID, err)
	}
	rows, err := q.ListPipelineRuns(ctx, &r.ID)
	if err != nil {
		return p, err
	}
	for _, row := range rows {
		run, err := runFromRow(row)
		if err != nil {
			return p, err
		}
		p.Runs = append(p.Runs, run)
	}
	return p, nil
}

// ActivePipeline returns the pipeline under way, nil when there is none.
func (s *Store) ActivePipeline(ctx context.Context) (*worker.Pipeline, error) {
	active, err := s.PipelinesUnderWay(ctx)
	if err != nil || len(active) == 0 {
		return nil, err
	}
	p, err := s.Pipeline(ctx, active[0].ID)
	return &p, err
}

// PipelineUnderWay is what recovery must know of a pipeline.
type PipelineUnderWay struct {
	ID   int64
	Here bool // a process does it itself
	Held bool // and is alive
}

// PipelinesUnderWay returns the pipeline under way, if there is one.
func (s *Store) PipelinesUnderWay(ctx context.Context) ([]PipelineUnderWay, error) {
	rows, err := s.q.ListActivePipelines(ctx, pipelineLocks)
	if err != nil {
		return nil, translate("look for a pipeline", err)
	}
	out := make([]PipelineUnderWay, len(rows))
	for i, r := range rows {
		out[i] = PipelineUnderWay{ID: r.ID, Here: r.Here, Held: r.Held}
	}
	return out, nil
}

// StepPipeline does the next step of a pipeline, once, whoever else tries: run gets the worker that is next, and writes its run in the same
// transaction; when there is nothing left to do the pipeline ends. A run of the same worker that is in the way is waited for: it is no error, and the
// step is left to who ends it.
func (s *Store) StepPipeline(ctx context.Context, id int64, run func(ctx context.Context, p worker.Pipeline, next string) (NewRun, int64, func(context.Context, pgx.Tx) (int64, error), error)) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		row, err := q.LockPipeline(ctx, id)
		if err != nil || row.FinishedAt != nil {
			return err
		}
		p, err := readPipeline(ctx, q, row)
		if err != nil {
			return err
		}
		next, ends := p.Step()
		if ends != "" {
			_, err := q.FinishPipeline(ctx, db.FinishPipelineParams{ID: id, Status: string(ends)})
			return err
		}
		if next == "" {
			return nil
		}
		r, runID, handOver, err := run(ctx, p, next)
		if err != nil {
			return err
		}
		return s.insertRun(ctx, tx, runID, r, handOver)
	})
	if constraint(err) == oneInFlight {
		return nil
	}
	return translate("step pipeline", err)
}

// FinishPipeline ends a pipeline. ok is false when it had ended before.
func (s *Store) FinishPipeline(ctx context.Context, id int64, status worker.Status, message string) (ok bool, err error) {
	p := db.FinishPipelineParams{ID: id, Status: string(status)}
	if message != "" {
		p.Error = new(CleanText(message, maxErrorBytes))
	}
	n, err := s.q.FinishPipeline(ctx, p)
	return n == 1, translate("finish pipeline", err)
}

// RequestPipelineCancel notes that a pipeline is to stop.
func (s *Store) RequestPipelineCancel(ctx context.Context, id int64, by string) error {
	n, err := s.q.CancelPipeline(ctx, db.CancelPipelineParams{ID: id, By: new(CleanText(by, 200))})
	if err != nil {
		return translate("cancel pipeline", err)
	}
	if n == 1 {
		return nil
	}
	p, err := s.Pipeline(ctx, id)
	if err != nil {
		return err
	}
	return worker.Errorf(worker.Conflict, "Pipeline #%d is over (%s); there is nothing to cancel.", id, p.Status)
}
