package lexical

import (
	"strings"
	"sync"
)

// Choice is the label a text was put under. Label is "" when nothing speaks
// for any label, or when two have equal claims; Score is 0 then. Score is
// calibrated: of choices with score s, about the share s are right, so a
// weak Choice is told and the caller's threshold decides.
type Choice struct {
	Label string
	Score float64
}

// Settings tune a Classifier; the zero value is what a run uses.
type Settings struct {
	// CachedSets is how many label sets are kept prepared; 0 means 8. A worker
	// uses one for a whole run.
	CachedSets int
}

// ClassifierModel names the word lists and weights that choices come from. It changes whenever a choice would; a test holds it to
// the checksum of the lists.
const ClassifierModel = "lexical-labels-v1"

// Classifier files short texts, titles and tags, under label names it was
// given no examples of. It may be used from many goroutines at once.
type Classifier struct {
	lexicon  *lexicon
	capacity int

	mu   sync.Mutex
	sets map[string]*labelSet
	age  []string // keys of sets, oldest first
}

// NewClassifier returns a Classifier that knows the embedded lexicon.
func NewClassifier(settings Settings) *Classifier {
	if settings.CachedSets <= 0 {
		settings.CachedSets = 8
	}
	return &Classifier{lexicon: lexiconOnce(), capacity: settings.CachedSets, sets: map[string]*labelSet{}}
}

// Classify returns one Choice for each text. Labels are names as people write
// them; what the lexicon does not know is matched by words, stems and
// character n-grams. Without labels every Choice is empty.
func (c *Classifier) Classify(texts, labels []string) []Choice {
	out := make([]Choice, len(texts))
	if len(labels) == 0 || len(texts) == 0 {
		return out
	}
	set := c.prepared(labels)
	m := matcher{set: set, evidence: make([]float64, set.targets), stems: map[string]string{}}
	for i, text := range texts {
		out[i] = m.classify(text)
	}
	return out
}

func (c *Classifier) prepared(labels []string) *labelSet {
	key := strings.Join(labels, "\x00")
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.sets[key]; ok {
		return s
	}
	if len(c.age) >= c.capacity {
		delete(c.sets, c.age[0])
		c.age = c.age[1:]
	}
	s := prepare(c.lexicon, labels)
	c.sets[key] = s
	c.age = append(c.age, key)
	return s
}

// What evidence weighs. The figures were chosen on the -a examples; each is
// the share of a plain, leading mention of the label.
const (
	weightLead     = 0.95 // at the head, behind "Cópia da" or "Livro de"
	weightPart     = 0.85 // at the head of a later part: "Teatro: planta"
	weightMention  = 0.25 // a form named in passing
	weightLater    = 0.75 // a subject behind "e" or "de": "Escola e família"
	weightModifier = 0.5  // an adjective: "Museu ferroviário"
	rivalForm      = 0.3  // how much the next best label takes away
	rivalTopic     = 0.75
	leastEvidence  = 0.1  // less is no evidence
	tie            = 0.02 // a lead this small is none
	coverageWeight = 0.3  // what words that say nothing take away from a subject
)

// matcher holds what one call to Classify reuses between texts.
type matcher struct {
	set      *labelSet
	tokens   []token
	spans    []span
	evidence []float64
	stems    map[string]string
}

// span is a run of tokens that a phrase of the label set covers.
type span struct {
	start, end int
	entries    []entry
	factor     float64 // below 1 for a misspelling
}

func (m *matcher) classify(text string) Choice {
	m.tokens = tokenize(m.tokens[:0], text, maxTokens)
	if len(m.tokens) == 0 {
		return Choice{}
	}
	m.match()
	clear(m.evidence)
	if m.set.forms {
		m.weighForms()
	} else {
		m.weighTopics()
	}
	return m.choose()
}

// match covers the tokens with spans, from the left, the longest phrase first.
func (m *matcher) match() {
	m.spans = m.spans[:0]
	for i := 0; i < len(m.tokens); {
		s, ok := m.at(i)
		if !ok {
			i++
			continue
		}
		m.spans = append(m.spans, s)
		i = s.end
	}
}

func (m *matcher) at(i int) (span, bool) {
	if p := m.longest(m.set.byLemma[m.tokens[i].lemma], i, false); p != nil {
		return span{i, i + 1 + len(p.rest), p.entries, 1}, true
	}
	// Forms inflect by number alone: the stem of "fotógrafo" is that of "fotografia".
	if !m.set.forms {
		if p := m.longest(m.set.byStem[m.stem(m.tokens[i].lemma)], i, true); p != nil {
			return span{i, i + 1 + len(p.rest), p.entries, 0.9}, true
		}
	}
	if i > 0 && m.set.forms && m.tokens[i].after || m.set.skip[m.tokens[i].lemma] {
		return span{}, false
	}
	if w, dice := m.set.fuzzy.nearest(m.tokens[i].lemma); w != "" {
		if p := m.longest(m.set.byLemma[w], i, false); p != nil {
			return span{i, i + 1 + len(p.rest), p.entries, dice}, true
		}
	}
	return span{}, false
}

// longest is the first, hence longest, phrase whose rest follows token i.
func (m *matcher) longest(list []phrase, i int, stems bool) *phrase {
next:
	for k := range list {
		p := &list[k]
		if i+len(p.rest) >= len(m.tokens) {
			continue
		}
		for j, want := range p.rest {
			t := &m.tokens[i+1+j]
			have := t.lemma
			if stems {
				have = m.stem(have)
			}
			if t.segment != m.tokens[i].segment || have != want {
				continue next
			}
		}
		return p
	}
	return nil
}

// keptStems bounds the stems one call to Classify remembers.
const keptStems = 1 << 14

func (m *matcher) stem(w string) string {
	s, ok := m.stems[w]
	if !ok {
		if len(m.stems) >= keptStems {
			clear(m.stems)
		}
		s = stem(w)
		m.stems[w] = s
	}
	return s
}
