package main

import (
	"cmp"
	"slices"
	"strings"

	"scrinalia/engine/tagger/gazetteer"
	"scrinalia/engine/tagger/internal/corpus"
	"scrinalia/engine/tagger/internal/crf"
	"scrinalia/engine/tagger/internal/feature"
	"scrinalia/engine/tagger/internal/token"
)

// commonWords lists the folded words that are written small at least three times
// and in most places: in a line of capitals they are no names.
func commonWords(text []passage) []string {
	const least, share = 3, 0.8
	small, all := map[string]int{}, map[string]int{}
	for _, p := range text {
		s, _ := p.text()
		for _, t := range token.Split(s) {
			w := s[t.Start:t.End]
			key := string(token.AppendFolded(nil, w))
			if strings.ToUpper(w) == w || len(key) < 2 || strings.ContainsAny(key, "0 	") {
				continue
			}
			all[key]++
			if strings.ToLower(w) == w {
				small[key]++
			}
		}
	}
	var out []string
	for w, n := range small {
		if n >= least && float64(n) >= share*float64(all[w]) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}

// tableWith is the gazetteer with these common words.
func tableWith(common []string) *gazetteer.Table {
	hashes := make([]uint64, len(common))
	for i, c := range common {
		hashes[i] = gazetteer.HashWord(c)
	}
	return gazetteer.Default().With(hashes)
}

// builder makes examples of sentences and counts features.
type builder struct {
	table    *gazetteer.Table
	scratch  feature.Scratch
	examples []example
	counts   []uint32
}

// add cuts a passage's text as the tagger will, and takes tags by overlap.
func (b *builder) add(p passage) {
	text, spans := p.text()
	tokens := token.Split(text)
	next := 0
	for i := 0; i < len(tokens); {
		end := token.SentenceEnd(text, tokens, i)
		part := tokens[i:end]
		ids, ends := b.scratch.Extract(b.table, text, part)
		e := example{ids: slices.Clone(ids), ends: slices.Clone(ends), tags: make([]uint8, len(part))}
		next = tagTokens(e.tags, part, spans, next)
		for _, id := range ids {
			b.counts[id]++
		}
		b.examples = append(b.examples, e)
		i = end
	}
}

// tagTokens sets the tags of the tokens that overlap spans, from spans[next] on,
// and returns the span to go on with.
func tagTokens(tags []uint8, tokens []token.Token, spans []corpus.Span, next int) int {
	for i := 0; i < len(tokens); {
		for next < len(spans) && spans[next].End <= tokens[i].Start {
			next++
		}
		if next == len(spans) || tokens[i].End <= spans[next].Start {
			i++
			continue
		}
		end := i + 1
		for end < len(tokens) && tokens[end].Start < spans[next].End {
			end++
		}
		kind := slices.Index(crf.Types[:], spans[next].Type)
		for k := i; k < end; k++ {
			tags[k] = crf.Tag(kind, k-i, end-i)
		}
		i = end
	}
	return next
}

// number gives the features that are seen often enough dense numbers, the most
// frequent first, and rewrites the examples. It returns the hashed numbers.
func (b *builder) number(least int) []uint32 {
	var names []uint32
	for id, n := range b.counts {
		if int(n) >= least {
			names = append(names, uint32(id))
		}
	}
	slices.SortStableFunc(names, func(x, y uint32) int { return -cmp.Compare(b.counts[x], b.counts[y]) })
	dense := make([]uint32, len(b.counts))
	for i, id := range names {
		dense[id] = uint32(i) + 1
	}
	for i := range b.examples {
		b.examples[i].renumber(dense)
	}
	return names
}

func (e *example) renumber(dense []uint32) {
	kept, from := e.ids[:0], int32(0)
	for i, to := range e.ends {
		for _, id := range e.ids[from:to] {
			if d := dense[id]; d != 0 {
				kept = append(kept, d-1)
			}
		}
		from = to
		e.ends[i] = int32(len(kept))
	}
	e.ids = kept
}
