// Package gazetteer knows names: first names, surnames, places, and the classes
// of words that stand beside them (honours, streets, heads of organisations).
// It imports the standard library and the tagger's token package.
package gazetteer

import (
	"bytes"
	_ "embed"
	"maps"
	"strings"
	"sync"

	"scrinalia/engine/tagger/internal/token"
)

// Bits says which lists a word or a run of words is on.
type Bits uint32

// The lists. Place and PlacePrefix also hold for runs of words.
const (
	First Bits = 1 << iota
	Last
	Place
	PlacePrefix
	English
	Particle
	Honorific
	Office
	Street
	OrgHead
	OrgTail
	Month
	Doc
	LocPrep
	State
	Common
)

// NumBits is the number of lists.
const NumBits = 16

// MaxPlace is the longest place name, in words, that is looked up;
// "São Sebastião da Vargem Alegre" and its like have five.
const MaxPlace = 6

var (
	//go:embed first.txt
	firstText []byte
	//go:embed last.txt
	lastText []byte
	//go:embed places.txt
	placesText []byte
	//go:embed english.txt
	englishText []byte
	//go:embed words.txt
	wordsText []byte
	//go:embed own.txt
	ownText string // only the training program reads it
)

// States are the abbreviations of the Brazilian states (IBGE).
const States = "AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO"

var classes = map[string]Bits{
	"particle": Particle, "honorific": Honorific, "office": Office, "street": Street,
	"orghead": OrgHead, "orgtail": OrgTail, "month": Month, "doc": Doc, "locprep": LocPrep,
}

// Size is the number of bytes of the embedded lists.
func Size() int {
	return len(firstText) + len(lastText) + len(placesText) + len(englishText) + len(wordsText)
}

// Firsts returns the first names as they are written, for making training text.
func Firsts() []string { return entries(firstText) }

// Lasts returns the surnames, likewise.
func Lasts() []string { return entries(lastText) }

// Places returns the place names, likewise.
func Places() []string { return entries(placesText) }

// Englishes returns the frequent words of English, likewise.
func Englishes() []string { return entries(englishText) }

// Own returns the entries of a section of the project's own lists: first, last or place.
func Own(section string) []string {
	_, rest, _ := strings.Cut(ownText, "\n["+section)
	_, rest, _ = strings.Cut(rest, "]\n")
	rest, _, _ = strings.Cut(rest, "\n[")
	if section == "place" {
		return entries([]byte(rest))
	}
	return strings.Fields(rest)
}

func entries(text []byte) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// Table maps hashes of folded words, and of runs of them, to lists.
type Table struct{ bits map[uint64]Bits }

// Default returns the table of the embedded lists, built once.
var Default = sync.OnceValue(build)

func build() *Table {
	t := &Table{bits: make(map[uint64]Bits, 1<<15)}
	t.addAll(firstText, First)
	t.addAll(lastText, Last)
	t.addAll(englishText, English)
	for _, place := range entries(placesText) {
		t.addPlace(place)
	}
	for s := range strings.FieldsSeq(States) {
		t.bits[HashWord(s)] |= State
	}
	for line := range bytes.Lines(wordsText) {
		name, words, ok := strings.Cut(string(line), ":")
		if !ok || name[0] == '#' {
			continue
		}
		for w := range strings.FieldsSeq(words) {
			t.bits[HashWord(w)] |= classes[name]
		}
	}
	return t
}

func (t *Table) addAll(text []byte, b Bits) {
	for _, e := range entries(text) {
		t.bits[HashWord(e)] |= b
	}
}

func (t *Table) addPlace(place string) {
	var run uint64
	words := token.Split(place)
	for i, w := range words {
		run = Join(run, HashWord(place[w.Start:w.End]))
		if i == len(words)-1 {
			t.bits[run] |= Place
		} else {
			t.bits[run] |= PlacePrefix
		}
	}
}

// Lookup returns the lists that a hash is on.
func (t *Table) Lookup(h uint64) Bits { return t.bits[h] }

// With returns a copy of the table that also knows the common words with these hashes.
func (t *Table) With(common []uint64) *Table {
	c := &Table{bits: make(map[uint64]Bits, len(t.bits)+len(common))}
	maps.Copy(c.bits, t.bits)
	for _, h := range common {
		c.bits[h] |= Common
	}
	return c
}

// Words cuts a name into the words and signs that the lists are made of.
func Words(name string) []string {
	tokens := token.Split(name)
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = name[t.Start:t.End]
	}
	return out
}

// IsPlace says whether the words together are the name of a place.
func (t *Table) IsPlace(words []string) bool {
	var run uint64
	for _, w := range words {
		run = Join(run, HashWord(w))
	}
	return len(words) > 0 && t.bits[run]&Place != 0
}

// HashWord hashes a word as written after folding it.
func HashWord(w string) uint64 { return token.Hash(token.AppendFolded(nil, w)) }

// Join adds a word's hash to that of the words before it; Join(0, h) is h.
func Join(run, h uint64) uint64 {
	if run == 0 {
		return h
	}
	return (run^h>>7)*0x9e3779b97f4a7c15 + h
}
