package executor

import (
	"context"

	"scrinalia/worker"
)

// Fingerprints are what the settings in force of each worker are known by: results of others are stale.
func (e *Executor) Fingerprints(ctx context.Context) (map[string][]byte, error) {
	overrides, err := e.store.Overrides(ctx)
	if err != nil {
		return nil, err
	}
	prints := map[string][]byte{}
	for _, d := range e.catalogue.All() {
		res, err := worker.Resolve(d, overrides[d.Name], worker.Settings{})
		if err != nil {
			return nil, err
		}
		prints[d.Name] = res.Fingerprint(d)
	}
	return prints, nil
}
