package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Part is a piece of a text; Match says that the query is about it.
type Part struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}

// closeness is the k of reciprocal rank fusion: how little the first places count more than those behind.
const closeness = 60

// fuse makes one ranking of two: each place counts 1/(60 + rank). What both rankings have comes before what only one has; equal ones stand
// by id.
func fuse(byWords, byMeaning []Scored) []Result {
	results := map[int64]*Result{}
	at := func(id int64) *Result {
		if results[id] == nil {
			results[id] = &Result{DocumentID: id}
		}
		return results[id]
	}
	for i, s := range byWords {
		at(s.ID).Words = &Place{Rank: i + 1, Score: s.Score}
	}
	for i, s := range byMeaning {
		at(s.ID).Meaning = &Place{Rank: i + 1, Score: s.Score}
	}
	fused := make([]Result, 0, len(results))
	for _, r := range results {
		for _, p := range []*Place{r.Words, r.Meaning} {
			if p != nil {
				r.Score += 1 / float64(closeness+p.Rank)
			}
		}
		fused = append(fused, *r)
	}
	slices.SortFunc(fused, func(a, b Result) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.DocumentID, b.DocumentID))
	})
	fused = fused[:min(len(fused), depth)]
	for i := range fused {
		fused[i].Rank = i + 1
	}
	return fused
}

// present fills in what is shown of a page of results. What is gone since it was found is left out.
func (s *Service) present(ctx context.Context, w Words, page []Result) ([]Result, error) {
	if len(page) == 0 {
		return []Result{}, nil
	}
	ids := make([]int64, len(page))
	for i, r := range page {
		ids[i] = r.DocumentID
	}
	texts, err := s.store.Texts(ctx, ids)
	if err != nil {
		return nil, err
	}
	seen := likely(w, texts)
	wanted := map[string]bool{}
	if len(seen) > 0 {
		list, err := s.store.WantedWords(ctx, w, seen)
		if err != nil {
			return nil, err
		}
		for _, word := range list {
			wanted[word] = true
		}
	}
	shown := make([]Result, 0, len(page))
	for _, r := range page {
		t, ok := texts[r.DocumentID]
		if !ok {
			continue
		}
		r.DescriptionID, r.ReferenceCode, r.Level, r.Date, r.Title = t.DescriptionID, t.ReferenceCode, t.Level, t.Date, t.Title
		r.MarkedTitle, r.Snippet = mark(t.Title, wanted), snippet(t.Bodies, wanted)
		shown = append(shown, r)
	}
	return shown, nil
}

// likely are the words of the texts that begin as a word of the query does: those that the database is asked about.
func likely(w Words, texts map[int64]Text) []string {
	begins := map[string]bool{}
	for _, word := range wordsOf(w.Typed) {
		begins[beginning(word)] = true
	}
	seen := map[string]bool{}
	for _, t := range texts {
		for _, text := range append([]string{t.Title}, t.Bodies...) {
			for _, word := range wordsOf(text) {
				if !seen[word] && begins[beginning(word)] {
					seen[word] = true
				}
			}
		}
	}
	list := make([]string, 0, len(seen))
	for word := range seen {
		list = append(list, word)
	}
	return list
}

func beginning(word string) string {
	first := []rune(word)
	return fold(string(first[:min(2, len(first))]))
}

// mark cuts a text into what is wanted and what is not.
func mark(text string, wanted map[string]bool) []Part {
	parts := []Part{}
	add := func(s string, match bool) {
		if n := len(parts); n > 0 && parts[n-1].Match == match {
			parts[n-1].Text += s
		} else if s != "" {
			parts = append(parts, Part{s, match})
		}
	}
	for text != "" {
		start := strings.IndexFunc(text, isWord)
		if start < 0 {
			start = len(text)
		}
		add(text[:start], false)
		text = text[start:]
		end := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text)
		}
		add(text[:end], wanted[text[:end]])
		text = text[end:]
	}
	return parts
}

// snippetLength is about how many bytes a snippet has.
const snippetLength = 240

// snippet is the piece of the bodies with the most different wanted words, the earliest of equal ones; the beginning of the first when
// there are none.
func snippet(bodies []string, wanted map[string]bool) []Part {
	best, text, from := -1, "", 0
	for _, body := range bodies {
		body = strings.Join(strings.Fields(body), " ")
		if body == "" {
			continue
		}
		if at, n := richest(body, wanted); n > best {
			best, text, from = n, body, at
		}
	}
	if best < 0 {
		return []Part{}
	}
	return mark(window(text, from), wanted)
}

// richest is where the window begins that has the most different wanted words.
func richest(text string, wanted map[string]bool) (at, most int) {
	type found struct {
		at   int
		word string
	}
	var hits []found
	for i := 0; i < len(text); {
		start := strings.IndexFunc(text[i:], isWord)
		if start < 0 {
			break
		}
		start += i
		end := strings.IndexFunc(text[start:], func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(text) - start
		}
		if word := text[start : start+end]; wanted[word] {
			hits = append(hits, found{start, word})
		}
		i = start + end
	}
	for i, h := range hits {
		different := map[string]bool{}
		for _, o := range hits[i:] {
			if o.at > h.at+snippetLength*2/3 {
				break
			}
			different[o.word] = true
		}
		if len(different) > most {
			at, most = h.at, len(different)
		}
	}
	return at, most
}

// window cuts a piece out of text, at words, that has position at in its first third.
func window(text string, at int) string {
	if len(text) <= snippetLength {
		return text
	}
	from := max(0, min(at-snippetLength/3, len(text)-snippetLength))
	before, after := "", ""
	if from > 0 {
		if space := strings.IndexByte(text[from:at], ' '); space >= 0 {
			from += space + 1
		} else {
			from = at
		}
		before = "… "
	}
	to := min(len(text), from+snippetLength)
	if to < len(text) {
		if space := strings.LastIndexByte(text[from:to], ' '); space > 0 {
			to = from + space
		} else if next := strings.IndexByte(text[to:], ' '); next >= 0 { // one long word: to its end
			to += next
		} else {
			to = len(text)
		}
		after = " …"
	}
	if to < len(text) {
		return before + text[from:to] + after
	}
	return before + text[from:to]
}
