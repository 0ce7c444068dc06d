// Package all lists the engines that this program has, as a value. It imports every engine; only the program's entry does
// import it.
package all

import (
	"slices"

	"scrinalia/engine"
	"scrinalia/engine/builtin"
	"scrinalia/engine/ollama"
)

// Registrations lists the engines of every axis. ollamaHost is the value of OLLAMA_HOST.
func Registrations(ollamaHost string) []engine.Registration {
	return slices.Concat(builtin.Registrations(), ollama.Registrations(ollamaHost))
}
