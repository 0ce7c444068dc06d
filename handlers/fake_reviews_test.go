package handlers_test

import (
	"context"
	"slices"
	"strings"

	"scrinalia/archive"
	"scrinalia/worker"
)

// judged is a decision that a fake was asked for.
type judged struct {
	judgement archive.Judgement
	by        archive.Actor
}

// reviewsToDo are the reviews of a test, a few of each kind.
func reviewsToDo() []archive.Review {
	run := int64(1263)
	pair := func(id int64, tag, entity, entityType string, alike float64, winner string) archive.Review {
		return archive.Review{
			ID: id, Kind: archive.Conflict, Since: at(90), RunID: &run, TagID: 7, TagName: tag, EntityID: 21, Entity: entity, Type: entityType,
			TagUse: archive.Use{Descriptions: 12, Titles: []string{"Ponte metálica sobre o Rio Jaguari", ""}}, EntityUse: archive.Use{Descriptions: 101, Titles: []string{"Carta ao prefeito"}},
			Evidence: archive.Evidence{Similarity: alike, Winner: winner, Confidence: 0.6, Reason: "the name of a river"},
		}
	}
	tag := func(id int64, name string, category int32, label string) archive.Review {
		return archive.Review{
			ID: id, Kind: archive.Subject, Since: at(80), RunID: &run, TagID: id, TagName: name, TagUse: archive.Use{Descriptions: 1, Titles: []string{"Ata da sessão"}},
			Evidence: archive.Evidence{CategoryID: category, Category: label, Score: 0.41},
		}
	}
	first := bridge().Summary
	second := archive.Summary{ID: 102, DescriptionID: "hostil", Title: strings.Repeat("semespaços", 20), Status: archive.NeedsReview, Reasons: []string{"MISSING_DATE"}}
	return []archive.Review{
		pair(1, "rio jaguari", "Rio Jaguari", "LOC", 1, "ENTITY"), pair(2, "companhia mogiana de estradas de ferro", "Companhia Mogiana", "ORG", 0.91, "TAG"), pair(3, "obras", "Obras", "ORG", 1, ""),
		tag(11, "calçamento", 2, "Mobilidade e Transporte"), tag(12, "coisas várias", 0, ""),
		{ID: 101, Kind: archive.Anomaly, Since: at(70), Document: &first, Excerpt: "Montagem de uma ponte de quarenta metros, vinda em partes pelo porto de Santos."},
		{ID: 102, Kind: archive.Anomaly, Since: at(70), Document: &second},
	}
}

func (f *fake) open() []archive.Review {
	if f.nothingToDo {
		return nil
	}
	return slices.DeleteFunc(reviewsToDo(), func(r archive.Review) bool {
		return slices.ContainsFunc(f.judged, func(j judged) bool { return j.judgement.Kind == r.Kind && j.judgement.ID == r.ID })
	})
}

func (f *fake) Reviews(_ context.Context, kind archive.Kind, after int64, limit int) (archive.ReviewPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var p archive.ReviewPage
	for _, r := range f.open() {
		if f.spoil != "" {
			r.TagName, r.Entity, r.Type, r.Excerpt, r.TagUse.Titles = f.spoil, f.spoil, f.spoil, f.spoil, []string{f.spoil}
			r.Evidence.Reason, r.Evidence.Category, r.Evidence.Winner = f.spoil, f.spoil, f.spoil
		}
		if r.Kind == kind && r.ID > after && len(p.Reviews) < limit {
			p.Reviews = append(p.Reviews, r)
		}
	}
	return p, f.err
}

func (f *fake) ReviewCounts(context.Context) (map[archive.Kind]archive.Count, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := map[archive.Kind]archive.Count{}
	for _, r := range f.open() {
		c := counts[r.Kind]
		c.N++
		counts[r.Kind] = c
	}
	return counts, f.err
}

func (f *fake) Decided(context.Context, int) ([]archive.Review, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []archive.Review
	for _, j := range slices.Backward(f.judged) {
		list = append(list, f.done(j))
	}
	return list, f.err
}

func (f *fake) done(j judged) archive.Review {
	all := reviewsToDo()
	r := all[slices.IndexFunc(all, func(r archive.Review) bool { return r.Kind == j.judgement.Kind && r.ID == j.judgement.ID })]
	if f.spoil != "" {
		r.TagName, r.Entity, j.by.Person = f.spoil, f.spoil, f.spoil
	}
	r.DecidedAt, r.DecidedBy, r.Verdict, r.Evidence.Chosen = new(noon), j.by.Person, j.judgement.Verdict, "Religião"
	return r
}

func (f *fake) DecidedReview(_ context.Context, id int64) (archive.Review, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.judged {
		if j.judgement.ID == id {
			return f.done(j), nil
		}
	}
	return archive.Review{}, worker.Errorf(worker.NotFound, "There is no decided review %d.", id)
}

func (f *fake) Alike(_ context.Context, kind archive.Kind, id int64) (archive.Alike, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var a archive.Alike
	for _, r := range f.open() {
		if r.Kind == kind && (kind == archive.Conflict && r.Evidence.Similarity == 1 || r.ID == id) {
			a.IDs, a.Names = append(a.IDs, r.ID), append(a.Names, r.TagName)
		}
	}
	return a, f.err
}

func (f *fake) Decide(_ context.Context, j archive.Judgement, by archive.Actor) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, done := range f.judged {
		if done.judgement.Kind == j.Kind && done.judgement.ID == j.ID {
			return 0, worker.Errorf(worker.Conflict, "This was decided already: %s, by %s.", done.judgement.Verdict, done.by.Person)
		}
	}
	f.judged = append(f.judged, judged{j, by})
	return j.ID, f.err
}

func (f *fake) UndoReview(_ context.Context, id int64, _ archive.Actor) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.judged = slices.DeleteFunc(f.judged, func(j judged) bool { return j.judgement.ID == id })
	return f.err
}
