package engine

import "time"

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
