// Package migrations holds the schema as embedded SQL files, applied in order of their numbers. A file that has landed
// is never edited. It imports nothing but the standard library.
package migrations

import "embed"

// Files are the migrations, named NNNNNN_what.up.sql and .down.sql.
//
//go:embed *.sql
var Files embed.FS
