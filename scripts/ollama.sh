#!/bin/sh
# Prints the path of an Ollama server program for the tests: OLLAMA_BIN, else ollama on the PATH, else a release that the go command
# builds once into the user's cache. Later releases need headers that Go's module archives leave out.
set -eu

version=v0.6.5

if [ -n "${OLLAMA_BIN:-}" ]; then
	echo "$OLLAMA_BIN"
	exit 0
fi
if command -v ollama; then
	exit 0
fi
dir=${XDG_CACHE_HOME:-$HOME/.cache}/scrinalia/ollama-$version
if [ ! -x "$dir/ollama" ]; then
	sh "$(dirname "$0")/deps.sh" gcc g++ >&2
	echo "There is no ollama on the PATH and OLLAMA_BIN is not set: building Ollama $version into $dir, once; this takes 5 to 20 minutes." >&2
	mkdir -p "$dir"
	GOBIN=$dir GOFLAGS= CGO_ENABLED=1 nice go install "github.com/ollama/ollama@$version" >&2
fi
echo "$dir/ollama"
