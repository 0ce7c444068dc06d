// Package all lists the workers. A worker is in the list once it works, not before.
package all

import (
	"scrinalia/worker"
	"scrinalia/worker/cleaning"
	"scrinalia/worker/qualityvalidator"
	"scrinalia/worker/transfer"
)

// Store is the database as the workers need it.
type Store interface {
	transfer.Store
	cleaning.Store
	qualityvalidator.Store
}

// Catalogue is every worker, in order. It opens nothing: with a nil store it can be listed and resolved, not run.
func Catalogue(store Store) *worker.Catalogue {
	return worker.NewCatalogue(
		transfer.New(store),
		cleaning.New(store),
		qualityvalidator.New(store),
	)
}
