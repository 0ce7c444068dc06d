// Package tagger finds people, organisations and places in archival text,
// Portuguese for the most part. It is a linear chain over hashed features with
// exact decoding; the weights are embedded and come from ./train.
// It imports the standard library and its own parts.
package tagger

import (
	_ "embed"
	"fmt"
	"sync"

	"scrinalia/engine/tagger/gazetteer"
	"scrinalia/engine/tagger/internal/crf"
	"scrinalia/engine/tagger/internal/feature"
	"scrinalia/engine/tagger/internal/token"
)

// Span is an entity: text[Start:End].
type Span struct {
	Start, End int
	Type       string  // PER, ORG or LOC
	Score      float64 // probability, in the model, of just these bounds and this type
}

// Model finds entities. It may be used from many goroutines at once.
type Model struct {
	weights *crf.Weights
	gaz     *gazetteer.Table
	lattice crf.Lattice // only its transitions are set
	pool    sync.Pool
}

// ModelName names the weights; another model has another name, so that what it found is told apart. A test holds it to their checksum.
const ModelName = "archival-crf-v1"

//go:embed model.bin
var embedded []byte

var load = sync.OnceValues(func() (*Model, error) { return Open(embedded) })

// Default returns the embedded model, decoded once.
func Default() (*Model, error) { return load() }

// Size is the number of bytes that weights and lists take in the program.
func Size() int { return len(embedded) + gazetteer.Size() }

// Open reads a model that ./train wrote.
func Open(data []byte) (*Model, error) {
	w, err := crf.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("tagger model: %w", err)
	}
	if err := w.Index(1 << feature.SpaceBits); err != nil {
		return nil, fmt.Errorf("tagger model: %w", err)
	}
	w.Rows = nil // Score has a copy of its own
	return newModel(w), nil
}

func newModel(w *crf.Weights) *Model {
	common := make([]uint64, len(w.Common))
	for i, c := range w.Common {
		common[i] = gazetteer.HashWord(c)
	}
	m := &Model{weights: w, gaz: gazetteer.Default().With(common)}
	m.lattice.SetTransitions(&w.Trans)
	m.pool.New = func() any {
		s := &scratch{}
		s.lattice.Trans = m.lattice.Trans
		return s
	}
	return m
}

// scratch is what one call works on.
type scratch struct {
	tokens  []token.Token
	feature feature.Scratch
	emit    []crf.Scores
	tags    []uint8
	back    [][crf.NumTags]uint8
	lattice crf.Lattice
}

// Entities returns the entities of text in order; they do not overlap.
func (m *Model) Entities(text string) []Span {
	s := m.pool.Get().(*scratch)
	defer m.pool.Put(s)
	s.tokens = token.Append(s.tokens[:0], text)
	var out []Span
	for i := 0; i < len(s.tokens); {
		end := token.SentenceEnd(text, s.tokens, i)
		out = m.sentence(out, s, text, s.tokens[i:end])
		i = end
	}
	return out
}

// sentence appends the entities of one sentence.
func (m *Model) sentence(out []Span, s *scratch, text string, tokens []token.Token) []Span {
	ids, ends := s.feature.Extract(m.gaz, text, tokens)
	s.emit, s.tags = s.emit[:0], s.tags[:0]
	from := int32(0)
	for _, to := range ends {
		s.emit = append(s.emit, m.weights.Score(ids[from:to]))
		s.tags = append(s.tags, crf.O)
		from = to
	}
	s.back = crf.Viterbi(s.tags, s.emit, &m.weights.Trans, s.back)
	ran := false
	for i := 0; i < len(tokens); {
		kind, end := crf.Entity(s.tags, i)
		if end == i {
			i++
			continue
		}
		if !ran {
			s.lattice.Run(s.emit)
			ran = true
		}
		out = append(out, Span{
			Start: tokens[i].Start, End: tokens[end-1].End,
			Type: crf.Types[kind], Score: s.lattice.Span(i, end, kind),
		})
		i = end
	}
	return out
}
