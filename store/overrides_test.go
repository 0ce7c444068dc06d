package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"scrinalia/store"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func save(t *testing.T, s *store.Store, seen int64, by string, options map[string]any) worker.Saved {
	t.Helper()
	saved, err := s.SaveOverride(t.Context(), worker.OverrideChange{
		Worker: "ner", Seen: seen, By: by, Channel: worker.CLI, Note: "because", Settings: worker.Settings{Options: options},
	})
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func revisions(t *testing.T, s *store.Store, f worker.RevisionFilter) worker.RevisionPage {
	t.Helper()
	f.Worker = "ner"
	page, err := s.Revisions(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func versions(p worker.RevisionPage) (out []int64) {
	for _, r := range p.Revisions {
		out = append(out, r.Version)
	}
	return out
}

// TestSaveOverride writes each change with its revision, nothing when there is nothing to change, and lets no editor write over another.
func TestSaveOverride(t *testing.T) {
	t.Parallel()
	s := newArchive(t).Store
	half := map[string]any{"threshold": 0.5}
	if got := save(t, s, 0, "Ana", half); got.Version != 1 || !got.Changed {
		t.Errorf("the first change became %+v", got)
	}
	if got := save(t, s, 1, "Rui", half); got.Version != 1 || got.Changed {
		t.Errorf("no change became %+v", got)
	}
	save(t, s, worker.AnyVersion, "Rui", map[string]any{"threshold": 0.6, "columns": []string{"provenance"}})

	_, err := s.SaveOverride(t.Context(), worker.OverrideChange{Worker: "ner", Seen: 1, By: "Ana", Channel: worker.Panel})
	moved, ok := errors.AsType[*worker.SettingsChangedError](err)
	if !ok || worker.KindOf(err) != worker.Conflict || moved.Seen != 1 || moved.Current.Version != 2 || moved.Current.By != "Rui" {
		t.Fatalf("the second editor got %v", err)
	}
	if _, err := s.SaveOverride(t.Context(), worker.OverrideChange{Worker: "typology", Seen: 7, Channel: worker.API}); worker.KindOf(err) != worker.Conflict {
		t.Errorf("a version that never was: %v, want a conflict", err)
	}
	reset := save(t, s, 2, "Ana", nil)
	if reset.Version != 3 || !reset.Settings.Empty() {
		t.Errorf("the reset became %+v", reset)
	}
	page := revisions(t, s, worker.RevisionFilter{})
	if diff := cmp.Diff([]int64{3, 2, 1}, versions(page)); diff != "" {
		t.Error(diff)
	}
	second := page.Revisions[1]
	want := []worker.Difference{{Name: "columns", Now: []any{"provenance"}}, {Name: "threshold", Was: 0.5, Now: 0.6}}
	if diff := cmp.Diff(want, second.Changes()); diff != "" || second.Note != "because" || second.Channel != worker.CLI || second.At.IsZero() {
		t.Errorf("%+v: -want +got:\n%s", second, diff)
	}
	for _, sql := range []string{
		"UPDATE worker_override_revisions SET note = 'x'", "DELETE FROM worker_override_revisions", "TRUNCATE worker_override_revisions CASCADE",
	} {
		if _, err := s.Pool().Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "never changed or deleted") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestRevisionsAreFilteredAndPaged: by field, by person, and both, from page to page.
func TestRevisionsAreFilteredAndPaged(t *testing.T) {
	t.Parallel()
	s := newArchive(t).Store
	for i := range 12 {
		field := []string{"threshold", "batch", "host"}[i%3]
		save(t, s, int64(i), fmt.Sprintf("person %d", i%2), map[string]any{field: float64(i)})
	}
	for _, tt := range []struct {
		name   string
		filter worker.RevisionFilter
		want   []int64
		older  int64
	}{
		{"the first page", worker.RevisionFilter{Limit: 5}, []int64{12, 11, 10, 9, 8}, 8},
		{"the next", worker.RevisionFilter{Limit: 5, Before: 8}, []int64{7, 6, 5, 4, 3}, 3},
		{"the last", worker.RevisionFilter{Limit: 5, Before: 3}, []int64{2, 1}, 0},
		{"a field", worker.RevisionFilter{Field: "threshold", Limit: 3}, []int64{11, 10, 8}, 8},
		{"a person", worker.RevisionFilter{By: "person 1"}, []int64{12, 10, 8, 6, 4, 2}, 0},
		{"both", worker.RevisionFilter{By: "person 1", Field: "threshold"}, []int64{10, 8, 4, 2}, 0},
		{"a field that nobody set", worker.RevisionFilter{Field: "engine"}, nil, 0},
		{"what no text may hold", worker.RevisionFilter{Field: "a\x00\xff", By: "\x00"}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page := revisions(t, s, tt.filter)
			if diff := cmp.Diff(tt.want, versions(page)); diff != "" || page.Older != tt.older {
				t.Errorf("older %d, want %d; -want +got:\n%s", page.Older, tt.older, diff)
			}
		})
	}
	editors, err := s.Editors(t.Context(), "ner")
	if diff := cmp.Diff([]string{"person 0", "person 1"}, editors); diff != "" || err != nil {
		t.Errorf("editors: %v %s", err, diff)
	}
	if none, err := s.Editors(t.Context(), "typology"); len(none) > 0 || err != nil {
		t.Errorf("editors of what nobody set: %v %v", none, err)
	}
}

// TestEditorsAtOnce: of many who saw the same version one wins, and the others are told.
func TestEditorsAtOnce(t *testing.T) {
	t.Parallel()
	s := newArchive(t).Store
	const editors = 12
	var wg sync.WaitGroup
	errs := make([]error, editors)
	for i := range editors {
		wg.Go(func() {
			_, errs[i] = s.SaveOverride(t.Context(), worker.OverrideChange{
				Worker: "ner", By: fmt.Sprint(i), Channel: worker.Panel, Settings: worker.Settings{Options: map[string]any{"threshold": float64(i+1) / 100}},
			})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if worker.KindOf(err) != worker.Conflict {
			t.Error(err)
		}
	}
	if page := revisions(t, s, worker.RevisionFilter{}); won != 1 || len(page.Revisions) != 1 {
		t.Errorf("%d editors won and %d revisions were written, want 1 and 1", won, len(page.Revisions))
	}
}
