// Package all lists the engines that this program has, as a value. It imports every engine; only the program's entry does
// import it.
package all

import (
	"scrinalia/engine"
	"scrinalia/engine/ollama"
)

// Registrations lists the engines of every axis. ollamaHost is the value of OLLAMA_HOST.
func Registrations(ollamaHost string) []engine.Registration {
	return ollama.Registrations(ollamaHost)
}
