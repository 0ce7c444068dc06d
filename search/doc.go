// Package search finds descriptions by what a person types: by words, with PostgreSQL's text search, and by meaning, with the
// vectors that the embedding worker left. The two rankings become one by reciprocal rank fusion, and each result says how
// it stood in either. An answer also says what it could not do: which model its vectors come from and how many descriptions
// have one, why there is no search by meaning, how many descriptions wait for their words to be read.
//
// It knows of descriptions what a list of results shows. It imports worker and vector; the database and the engine come through its
// Options. docs/adr/0003-search.md holds the decisions.
package search
