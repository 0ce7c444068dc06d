// Package health says whether what the workers need is there: each check with its verdict, what was measured, what depends on it and what to
// do. It knows nothing of pages: sentences are keys of the catalogues of texts, with their arguments. It may import worker,
// storage and the probe of engine/ollama; the database and the panel come as small interfaces.
package health
