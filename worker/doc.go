// Package worker is the vocabulary of the enrichment workers: what a worker is (Spec, Definition, Catalogue), how its
// settings are declared and resolved (Option, Settings, Resolve), what a run is (Run, Status, Counts), and the
// errors that people may be shown (Error). It imports nothing but the standard library, so everything may import it.
//
// The workers themselves live in sub-packages, as image formats do below package image: children import the parent.
package worker
