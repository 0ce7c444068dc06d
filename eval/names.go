package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"scrinalia/engine"
	"scrinalia/engine/tagger"
)

// nameSets are the examples of NER.
var nameSets = []struct{ file, about string }{
	{"archival-a.tsv", "half that was tuned on"},
	{"archival-b.tsv", "untouched half"},
}

// entityTypes are the types, and "-" for what is no entity, in the order of the table.
var entityTypes = []string{"PER", "ORG", "LOC"}

// names compares what was found with what there is: the name as it is written, and its type.
func (e *evaluation) names(ctx context.Context) error {
	model, err := e.registry.NewNER(e.described)
	if err != nil {
		return err
	}
	for _, set := range nameSets {
		f, err := e.open("engine", "tagger", "testdata", set.file)
		if err != nil {
			return err
		}
		sentences, err := tagger.ReadCorpus(f)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", set.file, err)
		}
		texts := make([]string, len(sentences))
		for i, s := range sentences {
			texts[i] = s.Text
		}
		found, err := ask(ctx, texts, model.Entities)
		if err != nil {
			return err
		}
		c := nameCounts{byType: map[string]*score{}, confused: map[[2]string]int{}}
		for i, s := range sentences {
			c.compare(s, found[i])
		}
		fmt.Fprintf(e.out, "\n%s: %s, %d sentences, exact name and type\n", set.file, set.about, len(sentences))
		c.print(e)
	}
	return nil
}

type nameCounts struct {
	byType   map[string]*score
	confused map[[2]string]int // expected and given type of the same name; "none" where there is nothing on the other side
}

func (c *nameCounts) of(kind string) *score {
	if c.byType[kind] == nil {
		c.byType[kind] = &score{}
	}
	return c.byType[kind]
}

func (c *nameCounts) compare(s tagger.Sentence, found engine.Found) {
	open := map[string][]string{} // name -> types that are still to be found
	for _, g := range s.Entities {
		c.of(g.Type).expected++
		name := s.Text[g.Start:g.End]
		open[name] = append(open[name], g.Type)
	}
	for _, f := range found.Entities {
		kind := string(f.Type)
		c.of(kind).given++
		types := open[f.Name]
		at := slices.Index(types, kind)
		switch {
		case at >= 0:
			c.of(kind).hits++
			open[f.Name] = slices.Delete(types, at, at+1)
		case len(types) > 0:
			c.confused[[2]string{types[0], kind}]++
			open[f.Name] = types[1:]
		default:
			c.confused[[2]string{"none", kind}]++
		}
	}
	for _, types := range open {
		for _, kind := range types {
			c.confused[[2]string{kind, "none"}]++
		}
	}
}

func (c *nameCounts) print(e *evaluation) {
	var all score
	for _, kind := range entityTypes {
		s := c.of(kind)
		fmt.Fprint(e.out, s.row(kind))
		all.expected, all.given, all.hits = all.expected+s.expected, all.given+s.given, all.hits+s.hits
	}
	fmt.Fprint(e.out, all.row("all types"))
	pairs := make([][2]string, 0, len(c.confused))
	for p := range c.confused {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(a, b [2]string) int {
		return cmp.Or(c.confused[b]-c.confused[a], cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for _, p := range pairs {
		fmt.Fprintf(e.out, "    %s taken for %s: %d\n", p[0], p[1], c.confused[p])
	}
}
