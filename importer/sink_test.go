package importer_test

import (
	"context"
	"iter"
	"time"

	"scrinalia/importer"
)

// memory is a Sink that keeps records in a map.
type memory struct {
	hashes  map[string][32]byte
	records []importer.Record // of the last import
	since   time.Time
}

func newMemory() *memory {
	return &memory{hashes: map[string][32]byte{}, since: time.Date(2026, 7, 1, 12, 0, 0, 123456000, time.UTC)}
}

// ImportStaging keeps all records, or none when the sequence fails.
func (m *memory) ImportStaging(_ context.Context, _ string, checkOnly bool, records iter.Seq2[importer.Record, error]) (imported, unchanged int64, err error) {
	var all []importer.Record
	for r, err := range records {
		if err != nil {
			return 0, 0, err
		}
		all = append(all, r)
		if m.hashes[r.DescriptionID] == r.ContentHash {
			unchanged++
		} else {
			imported++
		}
	}
	m.records = all
	for _, r := range all {
		if !checkOnly {
			m.hashes[r.DescriptionID] = r.ContentHash
		}
	}
	return imported, unchanged, nil
}

// Sources says what memory has.
func (m *memory) Sources(_ context.Context, ids []string) (map[string]importer.Source, error) {
	known := map[string]importer.Source{}
	for _, id := range ids {
		if h, ok := m.hashes[id]; ok {
			known[id] = importer.Source{ContentHash: h, ImportedAt: m.since}
		}
	}
	return known, nil
}
