package engine

import (
	"time"

	"scrinalia/worker"
)

// Usage is what an engine has counted since it was built.
type Usage struct {
	Calls        int64         // requests sent, repairs included
	Repairs      int64         // answers that were refused and asked for again
	Invalid      int64         // units whose answer was of no use even then
	Truncated    int64         // units whose text was not read to its end
	CutAnswers   int64         // answers that ended at the limit of tokens
	PromptTokens int64         // tokens read, as the engine reports them
	AnswerTokens int64         // tokens written, as the engine reports them
	LoadTime     time.Duration // spent loading the model: when it grows during a run, the model is being reloaded
}

// Meter is implemented by engines that count.
type Meter interface{ Usage() Usage }

// UsageOf returns what an engine has counted, nothing when it does not count.
func UsageOf(engine any) Usage {
	if m, ok := engine.(Meter); ok {
		return m.Usage()
	}
	return Usage{}
}

// UsageNotes are the names of the notes that Since may make.
var UsageNotes = []string{"engine_calls", "engine_repairs", "invalid_output", "truncated_input", "truncated_output", "prompt_tokens", "answer_tokens"}

// Since is what was counted after an earlier reading, as notes of a run.
func (u Usage) Since(earlier Usage) map[string]worker.Note {
	notes := map[string]worker.Note{}
	for name, n := range map[string]int64{
		"engine_calls": u.Calls - earlier.Calls, "engine_repairs": u.Repairs - earlier.Repairs, "invalid_output": u.Invalid - earlier.Invalid,
		"truncated_input": u.Truncated - earlier.Truncated, "truncated_output": u.CutAnswers - earlier.CutAnswers,
		"prompt_tokens": u.PromptTokens - earlier.PromptTokens, "answer_tokens": u.AnswerTokens - earlier.AnswerTokens,
	} {
		if n > 0 {
			notes[name] = worker.Note{Count: n}
		}
	}
	return notes
}
