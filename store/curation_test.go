package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"scrinalia/curation"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// curator's lists over an archive.
func lists(a *archive) *curation.Curation { return curation.New(a.catalogue, a.Store) }

func change(l curation.List, values curation.Values) curation.Change {
	return curation.Change{List: l, State: curation.State{Active: true, Values: values}, Seen: curation.AnyRevision, By: "Helena", Channel: worker.Panel}
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T { // takes what a call returns
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestEveryListKeepsItsHistory adds, changes, retires and restores an entry of every list, and finds each change in the history.
func TestEveryListKeepsItsHistory(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	c := lists(a)
	saved, ctx := must[curation.Saved](t), t.Context()
	samples := map[curation.List][2]curation.Values{
		curation.Rules: {
			{"name": "Barras", "kind": "REWRITE", "target_column": "scope_content", "pattern": `\s*\|\s*`, "replacement": " ", "position": int64(500)},
			{"name": "Barras", "kind": "REWRITE", "target_column": "scope_content", "pattern": `\s*\|+\s*`, "replacement": "; ", "case_sensitive": true, "position": int64(500)},
		},
		curation.Typologies: {{"name": "Bilhete avulso"}, {"name": "Bilhete postal"}},
		curation.Categories: {{"name": "Saneamento"}, {"name": "Saneamento", "classifier_label": "água e esgoto"}},
		curation.Levels:     {{"name": "Coleção especial", "position": int64(77)}, {"name": "Coleção especial", "position": int64(77), "is_leaf": true}},
		curation.Stopwords:  {{"term": "vários assuntos", "scope": "TAG"}, {"term": "assuntos vários", "scope": "TAG"}},
		curation.Synonyms:   {{"term": "bondinho", "canonical": "bonde", "scope": "TAG"}, {"term": "bondinho", "canonical": "bondes", "scope": "ALL"}},
		curation.Exclusions: {{"term": "s.d.", "kind": "NER"}, {"term": "s. d.", "kind": "NER"}},
	}
	for _, l := range curation.Lists {
		first, second := change(l, samples[l][0]), change(l, samples[l][1])
		added := saved(c.Save(ctx, first))
		if added.Revision != 1 || !added.Changed || added.ID == 0 {
			t.Fatalf("%s: added %+v", l, added)
		}
		second.ID, second.Seen = added.ID, 1
		if s := saved(c.Save(ctx, second)); s.Revision != 2 || !s.Changed {
			t.Errorf("%s: changed %+v", l, s)
		}
		second.Seen = 2
		if s := saved(c.Save(ctx, second)); s.Changed || s.Revision != 2 {
			t.Errorf("%s: the same again is %+v", l, s)
		}
		second.Seen = 1
		if _, err := c.Save(ctx, second); worker.KindOf(err) != worker.Conflict {
			t.Errorf("%s: a second editor got %v", l, err)
		}
		second.Seen = curation.AnyRevision
		if s := saved(c.SetActive(ctx, second, false)); s.Active || s.Revision != 3 {
			t.Errorf("%s: retired %+v", l, s)
		}
		if s := saved(c.Restore(ctx, second, 1)); !s.Active || s.Revision != 4 {
			t.Errorf("%s: restored %+v", l, s)
		}
		entry := must[curation.Entry](t)(c.Entry(ctx, l, added.ID))
		if diff := cmp.Diff(added.State, entry.State); diff != "" || entry.Revision != 4 {
			t.Errorf("%s after the restore: -want +got:\n%s", l, diff)
		}
		page := must[curation.Page](t)(c.EntryRevisions(ctx, curation.Filter{List: l, EntryID: added.ID, Limit: 3}))
		if len(page.Revisions) != 3 || page.Older == 0 || page.Revisions[0].RestoredFrom == nil || *page.Revisions[0].RestoredFrom != 1 || page.Revisions[0].By != "Helena" {
			t.Errorf("%s: history %+v", l, page)
		}
		if changes := page.Revisions[1].Changes(); len(changes) != 1 || changes[0].Name != curation.ActiveField {
			t.Errorf("%s: the retirement reads %+v", l, changes)
		}
		// The same name again, whatever its case and accents.
		again := change(l, samples[l][0])
		if _, err := c.Save(ctx, again); worker.KindOf(err) != worker.Conflict {
			t.Errorf("%s: the same entry twice: %v", l, err)
		}
		must[map[int32]int64](t)(c.Weights(ctx, l))
	}
	for _, sql := range []string{"UPDATE curation_revisions SET note = 'x'", "DELETE FROM curation_revisions", "TRUNCATE curation_revisions"} {
		if _, err := a.Pool().Exec(ctx, sql); err == nil {
			t.Errorf("%s was done", sql)
		}
	}
}

// TestEffectIsToldBefore counts what a change makes pending, and changes nothing.
func TestEffectIsToldBefore(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	c := lists(a)
	for _, name := range []string{worker.Transfer, worker.Cleaning, worker.Typology, worker.QualityValidator} {
		a.run(name, nil)
	}
	ctx := t.Context()
	effects := func(ch curation.Change) map[string]curation.Effect {
		t.Helper()
		out := map[string]curation.Effect{}
		for _, e := range must[[]curation.Effect](t)(c.Effect(ctx, ch)) {
			out[e.Worker] = e
		}
		return out
	}
	before := must[[]curation.Entry](t)(c.Entries(ctx, curation.Rules, 0))
	governed := value[int64](a, "SELECT count(*) FROM documents WHERE NOT human_decided(review_status)")
	titles := value[int64](a, "SELECT count(*) FROM documents WHERE NOT human_decided(review_status) AND original_title <> ''")
	rule := before[0]
	rule.Values["pattern"] = "&(amp|#38);"
	e := effects(curation.Change{List: curation.Rules, ID: rule.ID, State: rule.State, Seen: curation.AnyRevision})
	if got := e[worker.Cleaning]; got.After-got.Before != titles || len(e) != 1 {
		t.Errorf("another pattern: %+v, want %d pending more", e, titles)
	}
	e = effects(change(curation.Rules, curation.Values{"name": "Datas", "kind": "VALIDATE", "target_column": "original_title", "pattern": `\d{5}`}))
	if got := e[worker.QualityValidator]; got.After-got.Before != governed || len(e) != 1 {
		t.Errorf("a rule of validation: %+v, want %d pending more", e, governed)
	}
	if e = effects(change(curation.Typologies, curation.Values{"name": "Bilhete"})); e[worker.Typology].After <= e[worker.Typology].Before {
		t.Errorf("another typology: %+v", e)
	}
	renamed := before[0]
	renamed.Values = curation.Values{}
	maps.Copy(renamed.Values, before[0].Values)
	renamed.Values["pattern"], renamed.Values["name"] = "&amp;", "Outro nome"
	if e = effects(curation.Change{List: curation.Rules, ID: rule.ID, State: renamed.State, Seen: curation.AnyRevision}); len(e) != 0 {
		t.Errorf("another name: %+v", e)
	}
	if n := value[int64](a, "SELECT count(*) FROM curation_revisions"); n != 0 {
		t.Errorf("looking wrote %d revisions", n)
	}
	p := must[curation.Preview](t)(c.Preview(ctx, change(curation.Rules, curation.Values{
		"name": "x", "kind": "REWRITE", "target_column": "original_title", "pattern": "[aá]", "replacement": "<$0>",
	})))
	if p.Sampled() || p.Looked != titles || p.Changes == 0 || p.Changes != p.Matches || len(p.Examples) == 0 || !strings.Contains(p.Examples[0].After, "<") {
		t.Errorf("preview %+v", p)
	}
	matches := must[map[int32]curation.Preview](t)(c.Matches(ctx, before))
	if len(matches) != len(before) {
		t.Errorf("%d of %d rules have their matches", len(matches), len(before))
	}
}

// TestCurationReplays changes entries from many sides at once: the history replays to what is stored, and nothing is lost.
func TestCurationReplays(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	c := lists(a)
	ctx := t.Context()
	var ids []int32
	for i := range 3 {
		ids = append(ids, must[curation.Saved](t)(c.Save(ctx, change(curation.Stopwords, curation.Values{"term": fmt.Sprintf("palavra %d", i)}))).ID)
	}
	var wg sync.WaitGroup
	for editor := range 6 {
		r := rand.New(rand.NewPCG(uint64(editor), 7))
		wg.Go(func() {
			for range 25 {
				ch := curation.Change{List: curation.Stopwords, ID: ids[r.IntN(len(ids))], Seen: curation.AnyRevision, By: fmt.Sprint("editor ", editor), Channel: worker.API}
				var err error
				switch r.IntN(4) {
				case 0:
					_, err = c.SetActive(ctx, ch, r.IntN(2) == 0)
				case 1:
					_, err = c.Restore(ctx, ch, 1)
				case 2:
					_, err = c.Patch(ctx, ch, curation.Values{"scope": []string{"TAG", "ENTITY", "ALL", "NOBODY"}[r.IntN(4)]})
				default:
					_, err = c.Patch(ctx, ch, curation.Values{"term": fmt.Sprintf("palavra %d %d", ch.ID, r.IntN(5))})
				}
				if k := worker.KindOf(err); err != nil && k != worker.Conflict && k != worker.Invalid {
					t.Errorf("editor %d: %v", editor, err)
				}
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		stored := must[curation.Entry](t)(c.Entry(ctx, curation.Stopwords, id))
		page := must[curation.Page](t)(c.EntryRevisions(ctx, curation.Filter{List: curation.Stopwords, EntryID: id, Limit: 1000}))
		if n := int64(len(page.Revisions)); n != stored.Revision {
			t.Errorf("%d revisions of an entry at revision %d", n, stored.Revision)
		}
		last := curation.State{}
		for _, r := range slices.Backward(page.Revisions) {
			if r.Before != nil {
				if diff := cmp.Diff(last, *r.Before); diff != "" {
					t.Errorf("revision %d begins elsewhere: %s", r.Revision, diff)
				}
			}
			last = r.After
		}
		if diff := cmp.Diff(stored.State, last); diff != "" {
			t.Errorf("the history ends elsewhere: -stored +replayed:\n%s", diff)
		}
	}
}

// TestRefusedEntries: each is refused with its field, and nothing of it is stored.
func TestRefusedEntries(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	c := lists(a)
	rule := func(more curation.Values) curation.Values {
		v := curation.Values{"name": "regra", "pattern": "x"}
		maps.Copy(v, more)
		return v
	}
	for name, tt := range map[string]struct {
		list   curation.List
		values curation.Values
		field  string
		says   string
	}{
		"broken pattern":      {curation.Rules, rule(curation.Values{"pattern": "ab(c"}), "pattern", "missing closing )"},
		"where it breaks":     {curation.Rules, rule(curation.Values{"pattern": "ação [z-a] fim"}), "pattern", "at character 7"},
		"100 KB":              {curation.Rules, rule(curation.Values{"pattern": strings.Repeat("(a|b)", 20_000)}), "pattern", "at most 10000 characters"},
		"repetition":          {curation.Rules, rule(curation.Values{"pattern": "((a{100}){100}){100}"}), "pattern", "RE2"},
		"empty pattern":       {curation.Rules, rule(curation.Values{"pattern": ""}), "pattern", "must not be empty"},
		"control characters":  {curation.Rules, rule(curation.Values{"pattern": "a\x00b"}), "pattern", "control characters"},
		"line end in a name":  {curation.Rules, rule(curation.Values{"name": "a\nb"}), "name", "control characters"},
		"broken UTF-8":        {curation.Rules, rule(curation.Values{"name": "a\xffb"}), "name", "UTF-8"},
		"no name":             {curation.Rules, rule(curation.Values{"name": " \u00a0 "}), "name", "must not be empty"},
		"1 MB":                {curation.Rules, rule(curation.Values{"name": strings.Repeat("x", 1<<20)}), "name", "at most 200"},
		"kind":                {curation.Rules, rule(curation.Values{"kind": "DELETE"}), "kind", "REWRITE, VALIDATE, LLM_CHECK"},
		"column":              {curation.Rules, rule(curation.Values{"target_column": "id"}), "target_column", "original_title"},
		"unknown field":       {curation.Rules, rule(curation.Values{"patern": "x"}), "patern", "is not known"},
		"missing group":       {curation.Rules, rule(curation.Values{"pattern": "(a)", "replacement": "$2"}), "replacement", `"2"`},
		"group with a letter": {curation.Rules, rule(curation.Values{"pattern": "(a)", "replacement": "$1a"}), "replacement", "${1}x"},
		"engine of a rewrite": {curation.Rules, rule(curation.Values{"engine": "ollama"}), "engine", "LLM_CHECK"},
		"unknown engine":      {curation.Rules, curation.Values{"name": "r", "kind": "LLM_CHECK", "engine": "gpt"}, "engine", "ollama"},
		"preset of another":   {curation.Rules, curation.Values{"name": "r", "kind": "LLM_CHECK", "engine": "ollama", "preset": "nosuch"}, "preset", "takes one of"},
		"position":            {curation.Rules, rule(curation.Values{"position": -1}), "position", "from 0"},
		"fraction":            {curation.Rules, rule(curation.Values{"position": 1.5}), "position", "whole number"},
		"flag":                {curation.Rules, rule(curation.Values{"case_sensitive": "perhaps"}), "case_sensitive", "true or false"},
		"list for a text":     {curation.Typologies, curation.Values{"name": []any{"a"}}, "name", "takes a text"},
		"itself":              {curation.Synonyms, curation.Values{"term": "a", "canonical": "a"}, "canonical", "itself"},
		"scope":               {curation.Stopwords, curation.Values{"term": "a", "scope": "ner"}, "scope", "TAG"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Save(t.Context(), change(tt.list, tt.values))
			e, ok := errors.AsType[*worker.Error](err)
			if !ok || e.Kind != worker.Invalid || !strings.Contains(e.Fields[tt.field], tt.says) {
				t.Errorf("got %v with %v, want %s to say %q", err, e, tt.field, tt.says)
			}
		})
	}
	if n := value[int64](a, "SELECT count(*) FROM curation_revisions"); n != 0 {
		t.Errorf("%d revisions of refused changes", n)
	}
}

// TestMoveRule puts a rule behind its neighbour, and nothing becomes pending by it.
func TestMoveRule(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	c := lists(a)
	names := func() (out []string) {
		for _, e := range must[[]curation.Entry](t)(c.Entries(t.Context(), curation.Rules, 0)) {
			if e.Values["kind"] == curation.Rewrite {
				out = append(out, e.Name())
			}
		}
		return out
	}
	want := names()
	rules := must[[]curation.Entry](t)(c.Entries(t.Context(), curation.Rules, 0))
	ch := curation.Change{ID: rules[1].ID, Seen: rules[1].Revision, By: "Helena", Channel: worker.Panel}
	if err := c.Move(t.Context(), ch, true); err != nil {
		t.Fatal(err)
	}
	want[1], want[2] = want[2], want[1]
	if diff := cmp.Diff(want, names()); diff != "" {
		t.Error(diff)
	}
	if err := c.Move(t.Context(), ch, true); worker.KindOf(err) != worker.Conflict {
		t.Errorf("a move of a rule as it was before: %v", err)
	}
	first := curation.Change{ID: rules[0].ID, Seen: rules[0].Revision, By: "Helena", Channel: worker.Panel}
	if err := c.Move(t.Context(), first, false); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, names()); diff != "" {
		t.Errorf("the first rule moved up: %s", diff)
	}
}
