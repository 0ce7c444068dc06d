package store_test

import (
	"slices"
	"testing"

	described "scrinalia/archive"
	"scrinalia/worker"
)

// waiting lists what waits of a kind, in pages of 3.
func (a *archive) waiting(kind described.Kind) []described.Review {
	a.t.Helper()
	var all []described.Review
	for after := int64(0); ; {
		p, err := a.Reviews(a.t.Context(), kind, after, 3)
		if err != nil {
			a.t.Fatal(err)
		}
		all = append(all, p.Reviews...)
		if after = p.Next; after == 0 {
			return all
		}
	}
}

func (a *archive) decide(kind described.Kind, id int64, verdict described.Verdict, category int32) int64 {
	a.t.Helper()
	decided, err := a.Decide(a.t.Context(), described.Judgement{Kind: kind, ID: id, Verdict: verdict, Category: category}, curator)
	if err != nil {
		a.t.Fatal(err)
	}
	return decided
}

func (a *archive) wantWaiting(when string, want map[described.Kind]int) {
	a.t.Helper()
	counts, err := a.ReviewCounts(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	for kind, n := range want {
		if got := len(a.waiting(kind)); got != n || counts[kind].N != int64(n) {
			a.t.Errorf("%s: %d of %s wait and %d are counted, want %d", when, got, kind, counts[kind].N, n)
		}
	}
}

// TestSubjectsAreDecided: a category is the person's, no subject is an exclusion, and both can be undone.
func TestSubjectsAreDecided(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Ponte", "subjects": []string{"coisas de zabumba", "xerimbabo qualquer", "mixórdia de trecos", "bugigangas várias"}})
	a.run(worker.Transfer, nil)
	a.run(worker.MacroCategory, map[string]any{"threshold": 0.99})
	open := a.waiting(described.Subject)
	if len(open) < 2 || open[0].TagUse.Descriptions != 1 || !slices.Equal(open[0].TagUse.Titles, []string{"Ponte"}) {
		t.Fatalf("%+v", open)
	}
	n := len(open)
	filed := a.decide(described.Subject, open[0].ID, described.File, 3)
	none := a.decide(described.Subject, open[1].ID, described.NoSubject, 0)
	a.wantWaiting("two decided", map[described.Kind]int{described.Subject: n - 2})
	if got := value[string](a, "SELECT category_person FROM tags WHERE id = $1 AND subject_category_id = 3", open[0].TagID); got != curator.Person {
		t.Errorf("the category is %q's", got)
	}
	if n := value[int64](a, "SELECT count(*) FROM exclusions WHERE term = $1 AND kind = 'SUBJECT' AND retired_at IS NULL", open[1].TagName); n != 1 {
		t.Errorf("%d exclusions", n)
	}
	last, err := a.Decided(t.Context(), 10)
	if err != nil || len(last) != 2 || last[0].ID != none || last[1].Evidence.Chosen == "" || last[1].DecidedBy != curator.Person {
		t.Fatalf("%+v %v", last, err)
	}
	if _, err := a.Decide(t.Context(), described.Judgement{Kind: described.Subject, ID: open[0].ID, Verdict: described.NoSubject}, curator); worker.KindOf(err) != worker.Conflict {
		t.Errorf("decided twice: %v", err)
	}
	if _, err := a.Decide(t.Context(), described.Judgement{Kind: described.Subject, ID: open[2].ID, Verdict: described.File, Category: 99}, curator); worker.KindOf(err) != worker.Invalid {
		t.Errorf("no such category: %v", err)
	}
	a.run(worker.MacroCategory, map[string]any{"threshold": 0.99})
	for _, id := range []int64{filed, none} {
		if err := a.UndoReview(t.Context(), id, curator); err != nil {
			t.Fatal(err)
		}
		if err := a.UndoReview(t.Context(), id, curator); worker.KindOf(err) != worker.Conflict {
			t.Errorf("undone twice: %v", err)
		}
	}
	a.wantWaiting("undone", map[described.Kind]int{described.Subject: n})
	if n := value[int64](a, "SELECT count(*) FROM tags WHERE category_person IS NOT NULL OR subject_category_id IS NOT NULL"); n != 0 {
		t.Errorf("%d tags still have a category", n)
	}
	if n := value[int64](a, "SELECT count(*) FROM exclusions WHERE term = $1", open[1].TagName); n != 0 {
		t.Errorf("the exclusion stays")
	}
	a.checkQueues()
}

// TestAnomaliesAreDecided: accepted as they are they are approved, rejected they are rejected; both leave a revision and can be undone as long as nobody
// edits the description.
func TestAnomaliesAreDecided(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	for _, id := range []string{"a", "b", "c", "d"} {
		a.load(record{"description_id": id, "title": "Ponte do mercado"})
	}
	a.runAll()
	open := a.waiting(described.Anomaly)
	if len(open) != 4 || !slices.Contains(open[0].Document.Reasons, "REPEATED_TITLE") {
		t.Fatalf("%+v", open)
	}
	alike, err := a.Alike(t.Context(), described.Anomaly, open[0].ID)
	if err != nil || len(alike.IDs) != 4 {
		t.Errorf("%+v %v", alike, err)
	}
	fine := a.decide(described.Anomaly, open[0].ID, described.Accept, 0)
	gone := a.decide(described.Anomaly, open[1].ID, described.TurnDown, 0)
	edited := a.decide(described.Anomaly, open[2].ID, described.Accept, 0)
	for i, want := range []described.Status{described.HumanApproved, described.Rejected, described.HumanApproved, described.NeedsReview} {
		if d := a.described(open[i].ID); d.Status != want || i < 3 && len(d.Revisions) != 1 {
			t.Errorf("%d is %s with %d revisions", i, d.Status, len(d.Revisions))
		}
	}
	if _, err := a.Decide(t.Context(), described.Judgement{Kind: described.Anomaly, ID: open[0].ID, Verdict: described.TurnDown}, curator); worker.KindOf(err) != worker.Conflict {
		t.Errorf("decided twice: %v", err)
	}
	a.edit(open[2].ID, described.Edit{Texts: map[string]string{"date": "1911"}})
	if err := a.UndoReview(t.Context(), edited, curator); worker.KindOf(err) != worker.Conflict {
		t.Errorf("edited since: %v", err)
	}
	for _, id := range []int64{fine, gone} {
		if err := a.UndoReview(t.Context(), id, curator); err != nil {
			t.Fatal(err)
		}
	}
	a.wantWaiting("undone", map[described.Kind]int{described.Anomaly: 3})
	if n := len(a.described(open[0].ID).Revisions); n != 2 {
		t.Errorf("%d revisions, want 2", n)
	}
	a.checkQueues()
}

// TestConflictsAreDecided goes the way of the page: the winner keeps the name, what is dismissed stays, and undo brings back what went.
func TestConflictsAreDecided(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.load(record{"description_id": "a", "title": "Carta de João Ferreira da Silva ao prefeito", "names": []string{"João Ferreira da Silva"}})
	a.run(worker.Transfer, nil)
	a.run(worker.NamedEntities, nil)
	a.run(worker.ConflictJudge, map[string]any{"auto_resolve_threshold": 1.0})
	open := a.waiting(described.Conflict)
	if len(open) != 1 || open[0].TagName != "joão ferreira da silva" || open[0].Evidence.Winner == "" {
		t.Fatalf("%+v", open)
	}
	if alike, err := a.Alike(t.Context(), described.Conflict, 0); err != nil || !slices.Equal(alike.IDs, []int64{open[0].ID}) {
		t.Errorf("%+v %v", alike, err)
	}
	for _, verdict := range []described.Verdict{described.KeepEntity, described.KeepTag, described.Dismiss} {
		id := a.decide(described.Conflict, open[0].ID, verdict, 0)
		a.wantWaiting(string(verdict), map[described.Kind]int{described.Conflict: 0})
		one, err := a.DecidedReview(t.Context(), id)
		if err != nil || one.Verdict != verdict || one.TagName == "" || one.Entity == "" || one.DecidedBy != curator.Person {
			t.Errorf("%s: %+v %v", verdict, one, err)
		}
		if err := a.UndoReview(t.Context(), id, curator); err != nil {
			t.Fatal(err)
		}
		a.wantWaiting(string(verdict)+" undone", map[described.Kind]int{described.Conflict: 1})
	}
	if err := a.UndoReview(t.Context(), open[0].ID, curator); worker.KindOf(err) != worker.Conflict {
		t.Errorf("nothing to undo: %v", err)
	}
	for _, kind := range described.Kinds {
		if _, err := a.Decide(t.Context(), described.Judgement{Kind: kind, ID: 999, Verdict: kind.Verdicts()[0], Category: 1}, curator); worker.KindOf(err) != worker.NotFound {
			t.Errorf("no such %s: %v", kind, err)
		}
	}
}
