package store

import (
	"bytes"
	"crypto/sha256"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// maxUnitError is the longest error of a unit that is kept, in bytes: an engine's answer of 2 KB and what is wrong with it.
const maxUnitError = 4 << 10

// fingerprint is what input_hash makes of the same text.
func fingerprint(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// reading is a unit with the text that a worker reads of it.
func reading(id int64, name, text string) worker.Reading {
	return worker.Reading{ID: id, Name: name, Text: text, Fingerprint: fingerprint(text)}
}

// stamping gathers the stamps of one worker's batch.
type stamping struct {
	db.StampUnitsParams

	now    map[int64][]byte // the fingerprints of the units that may be written, as they are now
	counts worker.Counts
}

func newStamping(name, kind string, runID int64) *stamping {
	return &stamping{StampUnitsParams: db.StampUnitsParams{WorkerName: name, UnitKind: kind, RunID: runID}, now: map[int64][]byte{}}
}

// fresh says whether a unit may be written and still says what was read; one that does not is skipped.
func (s *stamping) fresh(r worker.Reading) bool {
	if now, ok := s.now[r.ID]; ok && bytes.Equal(now, r.Fingerprint) {
		return true
	}
	s.counts.Skipped++
	return false
}

// add stamps a unit: as failed with an error, as settled, or as done.
func (s *stamping) add(r worker.Reading, settled bool, failure string) {
	s.UnitIds, s.RuleVersions = append(s.UnitIds, r.ID), append(s.RuleVersions, 0)
	s.Fingerprints, s.Settled = append(s.Fingerprints, r.Fingerprint), append(s.Settled, settled)
	s.Errors = append(s.Errors, CleanText(failure, maxUnitError))
	if failure != "" {
		s.counts.Failed++
	} else {
		s.counts.Processed++
	}
}
