package store_test

import (
	"testing"

	"scrinalia/views"
)

// TestNotesHaveTexts runs every worker over the sample, as a dry run and then in earnest: whatever a run notes has a text in every language.
func TestNotesHaveTexts(t *testing.T) {
	t.Parallel()
	a := newSample(t)
	for _, name := range a.catalogue.Names() {
		for _, dry := range []bool{true, false} {
			r := a.run(name, map[string]any{"dry_run": dry})
			for _, l := range views.Languages {
				frame := views.Frame{Lang: l}
				for _, n := range frame.Notes(r.Notes) {
					if !n.Known {
						t.Errorf("%s notes %q: views/text/%s.json lacks %q; list the name in the worker's Spec.Notes too", name, n.Name, l, "note."+n.Name)
					}
				}
			}
		}
	}
}
