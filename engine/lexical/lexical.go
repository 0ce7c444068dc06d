// Package lexical is the engine that needs no model: it files short texts
// under label names, turns texts into vectors, and refuses tags that are no
// subject, all by words, stems, character n-grams and word lists of its own,
// for Brazilian Portuguese first and English second.
//
// The same input gives the same answer on every machine. The package imports
// the standard library, golang.org/x/text and snowballstem, reads nothing from
// disk and keeps no state that a caller can see.
package lexical
