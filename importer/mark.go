package importer

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"time"
)

// Source is the staging record that a description was made from: what it says,
// and since when the archive has it, by which it is told from a copy elsewhere.
type Source struct {
	ContentHash [32]byte
	ImportedAt  time.Time
}

func (s Source) equal(other Source) bool {
	return s.ContentHash == other.ContentHash && s.ImportedAt.Equal(other.ImportedAt)
}

// markName is the key, or the column, of the mark that an export leaves in
// every record.
const markName = "scrinalia"

// mark lets an import know a record of an export again. An export gives what a
// description has become, which is not what its source said: texts were
// cleaned, access points added. Where staging still has the very source that the
// mark names, a record that nobody edited since its export is no news; in any
// other archive it is.
type mark struct {
	Content    string    `json:"content"` // of the source, its content hash
	ImportedAt time.Time `json:"imported_at"`
	// Row is the hash of the record as the row alone gives it. Another hash
	// means that somebody edited the row, and the mark says nothing any more.
	Row string `json:"row"`
	// Fields are those that the row cannot express, by their keys in JSON Lines.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
}

// newMark marks row, the record as the written row gives it, that stands for d.
func newMark(d *Description, row *Record) mark {
	sum := row.Hash()
	return mark{Content: hex.EncodeToString(d.Source.ContentHash[:]), ImportedAt: d.Source.ImportedAt.UTC(), Row: hex.EncodeToString(sum[:])}
}

// recognise makes use of the mark in the row, if it has one that holds.
func (r *row) recognise(b []byte) {
	var m mark
	if len(b) == 0 || json.Unmarshal(b, &m) != nil {
		return
	}
	content, err := hex.DecodeString(m.Content)
	if err != nil || len(content) != len(r.source.ContentHash) {
		return
	}
	if sum := r.Hash(); m.Row != hex.EncodeToString(sum[:]) {
		return
	}
	if !m.restore(&r.Record) {
		return
	}
	r.marked, r.source = true, Source{[32]byte(content), m.ImportedAt}
}

// restore puts the fields of the mark into r, or none when one of them is not
// what it must be.
func (m *mark) restore(r *Record) bool {
	if len(m.Fields) == 0 {
		return true
	}
	o := object{keys: map[string]json.RawMessage{"description_id": appendJSONString(nil, r.DescriptionID), "title": appendJSONString(nil, r.Title)}, text: &text{}}
	maps.Copy(o.keys, m.Fields)
	given := o.record()
	if o.reject != nil {
		return false
	}
	texts, lists := given.texts(), given.lists()
	for i, to := range r.texts() {
		if _, ok := m.Fields[textKeys[i]]; ok {
			*to = *texts[i]
		}
	}
	for i, to := range r.lists() {
		if _, ok := m.Fields[listKeys[i]]; ok {
			*to = *lists[i]
		}
	}
	return true
}
