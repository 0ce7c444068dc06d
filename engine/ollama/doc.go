// Package ollama puts an Ollama server behind every axis of package engine: structured output for named entities, zero-shot
// classification, rulings on pairs and the title check, /api/embed for vectors.
//
// What the model answers is believed only after it was checked against the schema and against what was asked: labels that
// were offered, names that occur in the text, confidences from 0 to 1. A refused answer is asked for once more, then the unit
// fails alone. A server that is away, lacks the model or takes too long is a worker.Unavailable error that decides nothing.
//
// It imports engine, worker, golang.org/x/text and, of Ollama, package api alone; nothing else in the program does.
package ollama
