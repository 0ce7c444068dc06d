package handlers_test

import (
	"context"
	"strings"
	"time"

	"scrinalia/worker"
)

// failed are the failures of a test, one of each kind, and one that somebody knows of.
func failed() []worker.Failure {
	return []worker.Failure{
		{
			Kind: worker.FailedRun, Fingerprint: "ollama at <n> does not answer: connection refused", Message: "Ollama at 127.0.0.1:11434 does not answer: connection refused\n" + longError,
			Counts: worker.FailureCounts{Hour: 2, Day: 9, Week: 14, Month: 1240}, FirstAt: at(40000), LastAt: at(12), Workers: []string{"ner", "conflict-judge"}, RunID: 1275,
		},
		{
			Kind: worker.FailedUnit, Fingerprint: "text is not valid utf-8 at byte <n>", Message: "text is not valid UTF-8 at byte 1,204 <b>",
			Counts: worker.FailureCounts{Day: 4, Week: 4, Month: 4}, FirstAt: at(300), LastAt: at(290), Workers: []string{"ner"}, RunID: 1263,
		},
		{
			Kind: worker.FailedRequest, Fingerprint: "panic: runtime error", Message: "panic: runtime error: index out of range [" + strings.Repeat("9", 90) + "]",
			Counts: worker.FailureCounts{Week: 1, Month: 1}, FirstAt: at(4000), LastAt: at(4000), Workers: []string{"ner"}, Routes: []string{"GET /workers/:name"}, RequestID: "1c7f7e2b8f0a4d31",
		},
		{
			Kind: worker.FailedRun, Fingerprint: "the bucket is read-only", Message: "The bucket is read-only",
			Counts: worker.FailureCounts{Week: 2, Month: 2}, FirstAt: at(9000), LastAt: at(5000), Workers: []string{"transfer"}, RunID: 1274,
			Acknowledged: &worker.Acknowledgement{SeenAt: at(5000), At: at(4900), By: "Rui Tavares", Note: "Storage is being moved until Friday."},
		},
	}
}

func (f *fake) Failures(_ context.Context, filter worker.FailureFilter, _ time.Time) (worker.FailureList, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failureFilters = append(f.failureFilters, filter)
	return worker.FailureList{Failures: append([]worker.Failure{}, f.failed...)}, f.err
}

func (f *fake) AcknowledgeFailure(_ context.Context, a worker.Acknowledging) (worker.Acknowledgement, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, x := range f.failed {
		if x.Kind == a.Kind && x.Fingerprint == a.Fingerprint {
			done := worker.Acknowledgement{SeenAt: a.SeenAt, At: noon, By: a.By, Note: a.Note}
			if !a.SeenAt.Before(x.LastAt) {
				f.failed[i].Acknowledged = &done
			}
			return done, f.err
		}
	}
	return worker.Acknowledgement{}, worker.Errorf(worker.NotFound, "Nothing failed for this cause.")
}

func (f *fake) Record(e worker.ServerError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recorded = append(f.recorded, e)
}
