package judge

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"scrinalia/engine/lexical"
	"scrinalia/engine/tagger/gazetteer"
)

//go:embed lists.txt
var lists string

// class says what a word can be.
type class uint16

const (
	title     class = 1 << iota // stands before a personal name
	firmHead                    // is an institution, whatever follows
	shopHead                    // is one with a name behind it
	seatHead                    // may be one with a name behind it, and is often none
	placeHead                   // is a street, a building or a part of the country
	legalForm                   // ends the name of a firm
	eventHead
	topicHead
	streetHead // is a street or a square
	publicly   // an adjective of states and towns
	ordinal
	commonly
)

var classes = map[string]class{
	"noble": title, "saint": title, "firm": firmHead, "shop": shopHead, "seat": seatHead, "street": streetHead | placeHead, "region": placeHead, "event": eventHead, "topic": topicHead,
	"public": publicly, "common": commonly,
}

// wordLists are the lists as they are looked up.
type wordLists struct {
	byLemma          map[string]class
	wholes, subjects map[string]bool // phrases
}

const ordinals = "primeiro primeira segundo segunda terceiro terceira quarto quarta first second third world"

// listed are the embedded lists, read once.
var listed = sync.OnceValue(func() wordLists {
	l := wordLists{map[string]class{}, map[string]bool{}, map[string]bool{}}
	phrases := map[string]map[string]bool{"whole": l.wholes, "subject": l.subjects}
	for line := range strings.Lines(lists) {
		label, rest, ok := strings.Cut(line, ":")
		switch into := phrases[label]; {
		case !ok || line[0] == '#':
		case into != nil:
			for phrase := range strings.SplitSeq(rest, ",") {
				into[strings.TrimSpace(phrase)] = true
			}
		case classes[label] == 0:
			panic("judge: there is no class " + label) // the lists are part of the program and every test reads them
		default:
			for _, t := range lexical.Terms(rest) {
				l.byLemma[t.Lemma] |= classes[label]
			}
		}
	}
	for _, t := range lexical.Terms(ordinals) {
		l.byLemma[t.Lemma] |= ordinal
	}
	return l
})

// word is a word of a name, particles left out.
type word struct {
	folded      string
	class       class
	first, last bool // of people
	common      bool // a word of the language
	plural      bool
	english     bool   // on an English list
	listed      bool   // a title of the judge's own lists, in the singular: "santa", "barão"
	linked      string // the particle before it
}

func (w word) is(c class) bool { return w.class&c != 0 }

// plainly says that the word is much rather a word of the language than a name.
func (w word) plainly() bool { return w.common && w.class&(commonly|eventHead|topicHead) != 0 }

// name is a name as it is read.
type name struct {
	phrase          string // folded, with single blanks
	all             []string
	starts          []int // of the words among all
	words           []word
	capitals, small int // words that begin with a capital; words behind the first that do not
	common          int
}

const (
	personBits = gazetteer.First | gazetteer.Last
	maxWords   = 16
)

func read(text string) name {
	var n name
	table := gazetteer.Default()
	var folded []string
	link := ""
	for _, as := range gazetteer.Words(text) {
		terms := lexical.Terms(as)
		if len(terms) == 0 || len(n.words) == maxWords {
			continue
		}
		n.all = append(n.all, as)
		for _, t := range terms {
			folded = append(folded, t.Folded)
		}
		bits := table.Lookup(gazetteer.HashWord(as))
		t := terms[0]
		if particles[t.Folded] {
			link = t.Folded
			continue
		}
		w := word{folded: t.Folded, class: listed().byLemma[t.Lemma], first: bits&gazetteer.First != 0, last: bits&gazetteer.Last != 0, linked: link}
		link = ""
		if bits&gazetteer.Honorific != 0 {
			w.class |= title
		}
		if bits&gazetteer.Street != 0 {
			w.class |= placeHead
		}
		if bits&gazetteer.OrgTail != 0 && t.Folded != "irmaos" && t.Folded != "filhos" {
			w.class |= legalForm
		}
		w.english = bits&gazetteer.English != 0
		w.listed = listed().byLemma[t.Folded]&title != 0
		w.plural = t.Lemma != t.Folded && strings.HasSuffix(t.Folded, "s")
		w.common = t.Known || t.Kin && bits&(personBits|gazetteer.Place) == 0 || w.class&(commonly|firmHead|shopHead|seatHead|placeHead|eventHead|topicHead) != 0 ||
			bits&(gazetteer.English|gazetteer.Office|gazetteer.Doc|gazetteer.Month) != 0
		if bits&personBits != 0 && w.class == 0 && !t.Known && !w.english {
			w.common = false
		}
		if w.common {
			n.common++
		}
		if r, _ := utf8.DecodeRuneInString(as); unicode.IsUpper(r) {
			n.capitals++
		} else if len(n.words) > 0 && unicode.IsLower(r) {
			n.small++
		}
		n.starts = append(n.starts, len(n.all)-1)
		n.words = append(n.words, w)
	}
	if len(n.words) == 0 { // nothing but particles
		n.words, n.starts, n.all = []word{{folded: "", common: true, class: commonly}}, []int{0}, []string{""}
	}
	n.phrase = strings.Join(folded, " ")
	return n
}

var particles = map[string]bool{
	"de": true, "da": true, "do": true, "das": true, "dos": true, "d": true, "e": true, "a": true, "o": true, "as": true, "os": true, "ao": true, "aos": true,
	"em": true, "no": true, "na": true, "nos": true, "nas": true, "del": true, "di": true, "von": true, "van": true, "of": true, "the": true, "and": true,
	"in": true, "for": true, "to": true, "para": true, "com": true, "y": true,
}

func (n name) last() word { return n.words[len(n.words)-1] }

// isPlace says whether the whole is a name of the gazetteer.
func (n name) isPlace() bool { return gazetteer.Default().IsPlace(n.all) }

// part is what can be said of some words of a name together.
type part struct {
	words    []word
	named    bool // a person, a place or a saint is in it
	unknown  bool // a word is in it that no list has
	public   bool // an adjective of states and towns is in it
	numeral  bool
	linked   bool // a particle leads to it
	definite bool // and it is the definite one: "viaduto do chá", not "vila de operários"
}

func (n name) rest(from int) part { return n.part(from, len(n.words)) }
func (n name) upTo(to int) part   { return n.part(0, to) }

func (n name) part(from, to int) part {
	var p part
	if from >= to {
		return p
	}
	p.words = n.words[from:to]
	link := p.words[0].linked
	p.linked = link != ""
	p.definite = link == "do" || link == "da" || link == "dos" || link == "das" || link == "ao" || link == "the"
	for i := from; i < to; i++ {
		w := n.words[i]
		if w.listed && i+1 < to {
			p.named = true
		}
		if !w.common && (w.first || w.last) {
			p.named = true
		}
		if n.placeFrom(i, to) {
			p.named = true
		}
		p.public = p.public || w.is(publicly)
		p.numeral = p.numeral || numeral(w.folded)
		p.unknown = p.unknown || !w.common && !w.first && !w.last && !adjective(w.folded)
	}
	return p
}

// placeFrom says whether some words from i on are a place, of which one word is more than a word of the language.
func (n name) placeFrom(i, to int) bool {
	for j := i; j < to; j++ {
		end := len(n.all)
		if j+1 < len(n.words) {
			end = n.starts[j+1]
			for end > 0 && particles[strings.ToLower(n.all[end-1])] {
				end--
			}
		}
		if (j > i || !n.words[i].common) && gazetteer.Default().IsPlace(n.all[n.starts[i]:end]) {
			return true
		}
	}
	return false
}

// adjectives says whether nothing but adjectives and words of the language are there.
func (p part) adjectives() bool {
	for _, w := range p.words {
		if !w.common && !adjective(w.folded) || w.linked != "" && !w.common {
			return false
		}
	}
	return len(p.words) > 0
}

// inverted says whether the name is a person's with the surname first: "Ferreira, João".
func inverted(text string) bool {
	before, after, ok := strings.Cut(text, ",")
	if !ok {
		return false
	}
	b, a := read(before), read(after)
	surname := b.last().last || !b.last().common
	return surname && !b.words[0].is(firmHead|placeHead|eventHead) && (a.words[0].first || a.words[0].is(title) && len(a.words) > 1)
}

func numeral(w string) bool {
	return w != "" && strings.Trim(w, "0123456789") == "" || len(w) > 1 && len(w) < 6 && strings.Trim(w, "ivx") == ""
}
