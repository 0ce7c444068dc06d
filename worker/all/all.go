// Package all lists the workers. A worker is in the list once it works, not before.
package all

import (
	"scrinalia/engine"
	"scrinalia/engine/lexical"
	"scrinalia/worker"
	"scrinalia/worker/cleaning"
	"scrinalia/worker/conflictjudge"
	"scrinalia/worker/embedding"
	"scrinalia/worker/macrocategory"
	"scrinalia/worker/ner"
	"scrinalia/worker/qualityvalidator"
	"scrinalia/worker/thumbnail"
	"scrinalia/worker/transfer"
	"scrinalia/worker/typology"
)

// Store is the database as the workers need it.
type Store interface {
	transfer.Store
	cleaning.Store
	ner.Store
	typology.Store
	conflictjudge.Store
	thumbnail.Store
	macrocategory.Store
	qualityvalidator.Store
	embedding.Store
}

// Catalogue is every worker, in order, with the engines that each may be given. It opens nothing: with nil for the store, the storage and the
// pictures it can be listed and resolved, not run.
func Catalogue(store Store, engines *engine.Registry, blobs thumbnail.Blobs, pictures thumbnail.Pictures) *worker.Catalogue {
	return worker.NewCatalogue(
		transfer.New(store),
		cleaning.New(store),
		ner.New(store, engines),
		typology.New(store, engines),
		conflictjudge.New(store, engines),
		thumbnail.New(store, blobs, pictures),
		macrocategory.New(store, engines, func(terms []string) macrocategory.Guard { return lexical.NewGuard(terms) }),
		qualityvalidator.New(store, engines),
		embedding.New(store, engines),
	)
}
