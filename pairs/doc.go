// Package pairs finds all pairs of names of two lists that are similar enough, exactly and fast. Similarity is pg_trgm's: a name is the set of
// the trigrams of its lower-cased words, padded with two blanks before and one behind, and similarity is the share of the trigrams of both that both
// have. A pair is similar enough when |A and B| >= threshold * |A or B|, in whole numbers, the threshold being the decimal that was typed; so 9 of 10
// is enough for 0.9, which pg_trgm, comparing single with double precision, leaves to rounding.
//
// Imports only the standard library.
package pairs
