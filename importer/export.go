package importer

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"scrinalia/worker"
)

// Description is a description as an export gives it: what the archive says
// now, and what the workers and people found in it.
type Description struct {
	// Record is the description. Its lists are the access points of the source,
	// its Raw is what the source said.
	Record
	Source Source
	// ParentID is the description id of the parent below which it stands.
	ParentID       string
	ReviewStatus   string
	AnomalyReasons []string
	Typology       *Typology
	Entities       []Entity
	Tags           []Tag
	Thumbnail      *string // its key in storage
}

// Typology is the documentary form of a description. The origin of what was
// found is "source", "human" or "run:ID"; only a run gives a score.
type Typology struct {
	Name   string   `json:"name"`
	Score  *float32 `json:"score"`
	Origin string   `json:"origin"`
}

// Entity is a person (PER), an organisation (ORG) or a place (LOC).
type Entity struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Score  *float32 `json:"score"`
	Origin string   `json:"origin"`
}

// Tag is a subject term with the subject category that it is filed under. The
// score is the category's, the origin is the link's.
type Tag struct {
	Name     string   `json:"name"`
	Category *string  `json:"category"`
	Score    *float32 `json:"score"`
	Origin   string   `json:"origin"`
}

const originSource = "source"

// statusRejected is the review status of what a human refused as a whole.
const statusRejected = "REJECTED"

// Export writes descriptions, in their order, and returns how many. It holds
// one at a time. An import of what it wrote changes nothing in the archive that
// the descriptions are from.
func Export(w io.Writer, f Format, descriptions iter.Seq2[Description, error]) (int64, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	var write func(*Description) error
	switch f {
	case JSONLines:
		write = newLineWriter(out).write
	case AtoMCSV:
		atom, err := newAtoMWriter(out)
		if err != nil {
			return 0, err
		}
		write = atom.write
	default:
		return 0, worker.Errorf(worker.Invalid, "There is no export format %q. The formats are %s and %s.", f, JSONLines, AtoMCSV)
	}
	var n int64
	for d, err := range descriptions {
		if err != nil {
			return n, err
		}
		if err := write(&d); err != nil {
			return n, fmt.Errorf("export %s: %w", d.DescriptionID, err)
		}
		n++
	}
	if err := out.Flush(); err != nil {
		return n, fmt.Errorf("export: %w", err)
	}
	return n, nil
}
