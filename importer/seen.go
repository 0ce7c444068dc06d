package importer

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"
)

// seen remembers the ids of a file. It keeps eight bytes of a keyed hash of
// each instead of the id, some 40 MB for a million. Two ids of a million share
// a hash with a probability of 3 in 100 million, nobody can choose them so, and
// the second one is then rejected by name, not lost.
type seen struct {
	seed     maphash.Seed
	ids      map[uint64]first
	cultures []string // by number
}

// first is where an id came first: the line and the culture of that row.
type first struct {
	line    uint32
	culture uint16
}

func newSeen() *seen {
	return &seen{seed: maphash.MakeSeed(), ids: map[uint64]first{}, cultures: []string{""}}
}

// add remembers the id of r, or says why r cannot be stored beside the first
// record with it.
func (s *seen) add(r row) *Reject {
	key, culture := maphash.String(s.seed, r.DescriptionID), s.culture(r.culture)
	was, ok := s.ids[key]
	if !ok {
		s.ids[key] = first{line: uint32(min(r.line, math.MaxUint32)), culture: culture}
		return nil
	}
	reason := fmt.Sprintf("line %d has the same id; the first record with an id counts", was.line)
	if was.culture != culture && was.culture != 0 && culture != 0 {
		reason = fmt.Sprintf("a translation (culture %q) of the record in line %d, which is %q; only the first culture of a record is imported",
			r.culture, was.line, s.cultures[was.culture])
	}
	return &Reject{Line: r.line, ID: r.DescriptionID, Reason: reason}
}

// culture numbers the cultures of a file; 0 is none, or one too many.
func (s *seen) culture(name string) uint16 {
	i := slices.Index(s.cultures, name)
	switch {
	case i >= 0:
		return uint16(i)
	case len(s.cultures) < 100:
		s.cultures = append(s.cultures, name)
		return uint16(len(s.cultures) - 1)
	default:
		return 0
	}
}
