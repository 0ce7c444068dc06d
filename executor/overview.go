package executor

import (
	"context"
	"fmt"
	"time"

	"scrinalia/worker"
)

// maxStaleGroups is how many configurations of the past are compared with the one in force.
const maxStaleGroups = 3

// Overview is every worker of the catalogue with its configuration in force, its queue, and its runs.
func (e *Executor) Overview(ctx context.Context) ([]worker.State, error) {
	return e.states(ctx, e.catalogue.All())
}

// State is one worker of the catalogue.
func (e *Executor) State(ctx context.Context, name string) (worker.State, error) {
	d, err := e.catalogue.Lookup(name)
	if err != nil {
		return worker.State{}, err
	}
	states, err := e.states(ctx, []worker.Definition{d})
	if err != nil {
		return worker.State{}, err
	}
	return states[0], nil
}

// Resolve returns what a run of the worker would use now, without arguments of its own.
func (e *Executor) Resolve(ctx context.Context, name string) (worker.Resolution, error) {
	d, err := e.catalogue.Lookup(name)
	if err != nil {
		return worker.Resolution{}, err
	}
	overrides, err := e.store.Overrides(ctx)
	if err != nil {
		return worker.Resolution{}, err
	}
	return e.resolution(ctx, d, overrides[name], worker.Settings{})
}

func (e *Executor) states(ctx context.Context, defs []worker.Definition) ([]worker.State, error) {
	overrides, err := e.store.Overrides(ctx)
	if err != nil {
		return nil, err
	}
	states := make([]worker.State, len(defs))
	names := make([]string, len(defs))
	fingerprints := map[string][]byte{}
	for i, d := range defs {
		res, err := e.resolution(ctx, d, overrides[d.Name], worker.Settings{})
		if err != nil {
			return nil, err
		}
		names[i], fingerprints[d.Name] = d.Name, res.Fingerprint(d)
		states[i] = worker.NewState(d, res, !overrides[d.Name].Empty())
	}
	queues, err := e.store.Queues(ctx, fingerprints)
	if err != nil {
		return nil, err
	}
	latest, err := e.store.LatestRuns(ctx, names)
	if err != nil {
		return nil, err
	}
	for i, d := range defs {
		states[i].Queue = queues[d.Name]
		if d.Unit == worker.Pair {
			if err := e.measurePairs(ctx, &states[i].Queue, states[i].Config); err != nil {
				return nil, err
			}
		}
		if states[i].Queue.Stale > 0 {
			groups, err := e.store.StaleUnits(ctx, d.Name, fingerprints[d.Name], maxStaleGroups)
			if err != nil {
				return nil, err
			}
			for _, g := range groups {
				states[i].Queue.StaleBecause = append(states[i].Queue.StaleBecause, worker.StaleGroup{Units: g.Units, Differences: d.Differ(g.Config, states[i].Config)})
			}
		}
		states[i].ActiveRun, states[i].LastRun = latest[d.Name].Active, latest[d.Name].Last
		if d.Unmeasurable != "" {
			states[i].Queue.Pending, states[i].Queue.UnmeasurableReason = nil, &d.Unmeasurable
		}
		e.observer.QueueCounted(d.Name, states[i].Queue, time.Now())
	}
	return states, nil
}

// measurePairs counts the pairs that wait. What cannot be counted in time, or at all, is not measured, and the queue says why.
func (e *Executor) measurePairs(ctx context.Context, q *worker.Queue, c worker.Config) error {
	start := time.Now()
	count, behind, err := e.store.MeasurePairs(ctx, similarity(c))
	q.Pending, q.CountedMS = nil, q.CountedMS+time.Since(start).Milliseconds()
	switch {
	case worker.KindOf(err) == worker.Invalid: // more pairs than can be kept
		q.UnmeasurableReason = new(err.Error())
	case err != nil:
		return err
	case behind > 0:
		q.Behind = behind
		q.UnmeasurableReason = new(fmt.Sprintf("%d names are new or changed since the pairs were last compared; they are being compared now", behind))
	default:
		q.Pending, q.Eligible = &count.Pending, &count.Eligible
	}
	return nil
}

// similarity is the least similarity of a pair under a configuration.
func similarity(c worker.Config) float64 {
	v, _ := c.Options["similarity_threshold"].Value.(float64)
	return v
}
