package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"scrinalia/archive"
	"scrinalia/store/db"
	"scrinalia/worker"
)

// EditDocument changes a description as a person asks, with a revision that says what: it becomes HUMAN_APPROVED, unless the person rejects it
// or gives it back to the workers. It fails with NotFound, with Invalid and its fields, or with an *archive.ChangedError. An edit that changes nothing
// leaves no revision.
func (s *Store) EditDocument(ctx context.Context, id int64, e archive.Edit, by archive.Actor) error {
	if err := e.Check(); err != nil {
		return err
	}
	err := s.inTx(ctx, "edit document", func(q *db.Queries) error {
		_, err := editDocument(ctx, q, id, e, by)
		return err
	})
	return noSuch(err, noSuchRecord, id)
}

// editDocument is EditDocument inside a transaction. It returns the id of the revision, 0 when nothing changed.
func editDocument(ctx context.Context, q *db.Queries, id int64, e archive.Edit, by archive.Actor) (int64, error) {
	if _, err := q.LockDocument(ctx, id); err != nil {
		return 0, err
	}
	d, err := readDocument(ctx, q, id)
	if err != nil {
		return 0, err
	}
	if err := unseen(ctx, q, d, e.Version); err != nil {
		return 0, err
	}
	ed := editor{q: q, by: by, d: d, before: map[string]any{}, after: map[string]any{}}
	wrong := map[string]string{}
	for name, now := range e.ChangedTexts(d) {
		ed.change(name, d.Text(name), now)
		ed.set(name, now)
	}
	if err := ed.choose(ctx, e, wrong); err != nil {
		return 0, err
	}
	if err := ed.links(ctx, e, wrong); err != nil {
		return 0, err
	}
	if err := archive.Refuse(wrong); err != nil {
		return 0, err
	}
	return ed.finish(ctx, e)
}

// unseen refuses an edit of what is no longer as its editor saw it.
func unseen(ctx context.Context, q *db.Queries, d archive.Document, version string) error {
	if version == "" {
		return nil
	}
	changed, ok := d.Since(version)
	if !ok {
		return archive.Refuse(map[string]string{"version": "version takes what the description was shown with"})
	}
	if len(changed) == 0 {
		return nil
	}
	conflict := &archive.ChangedError{Fields: changed, Now: d}
	last, err := readRevisions(ctx, q, d.ID, 1)
	if err == nil && len(last) > 0 {
		conflict.Last = &last[0]
	}
	if err != nil {
		return err
	}
	return conflict
}

// editor changes one description that it has locked.
type editor struct {
	q             *db.Queries
	by            archive.Actor
	d             archive.Document
	before, after map[string]any
	chosen        bool // the typology was chosen by this edit
}

func (ed *editor) change(name string, before, after any) {
	ed.before[name], ed.after[name] = before, after
}

// set puts a text into the description in memory.
func (ed *editor) set(name, value string) {
	d := &ed.d
	for field, at := range map[string]*string{
		"title": &d.Title, "date": &d.Date, "extent": &d.Extent, "repository": &d.Repository, "producers": &d.Producers,
		"admin_bio_history": &d.AdminBioHistory, "provenance": &d.Provenance, "scope_content": &d.ScopeContent, "access_conditions": &d.Access,
		"language": &d.Language, "archivist_notes": &d.ArchivistNotes,
	} {
		if field == name {
			*at = value
		}
	}
}

// choose sets the level and the typology.
func (ed *editor) choose(ctx context.Context, e archive.Edit, wrong map[string]string) error {
	if e.Level != nil && *e.Level != ed.d.LevelID {
		name, why, err := ed.level(ctx, *e.Level)
		if err != nil {
			return err
		}
		if why != "" {
			wrong["level_id"] = why
		}
		ed.change("level", ed.d.Level, name)
		ed.d.LevelID, ed.d.Level = *e.Level, name
	}
	if e.Typology == nil || *e.Typology == ed.d.TypologyID {
		return nil
	}
	name := ""
	if *e.Typology != 0 {
		t, err := ed.q.GetTypology(ctx, *e.Typology)
		if worker.KindOf(translate("", err)) == worker.NotFound {
			wrong["typology_id"] = "typology_id takes the id of a typology that is in use"
		} else if err != nil {
			return err
		}
		name = t.Name
	}
	ed.change("typology", ed.d.Typology, name)
	ed.d.TypologyID, ed.d.Typology, ed.chosen = *e.Typology, name, true
	return nil
}

// level returns the name of a level, or why the description cannot have it.
func (ed *editor) level(ctx context.Context, id int32) (name, why string, err error) {
	if id == 0 {
		return "", "", nil
	}
	l, err := ed.q.GetLevel(ctx, int16(min(id, 1<<15-1)))
	if worker.KindOf(translate("", err)) == worker.NotFound {
		return "", "level_id takes the id of a level of description that is in use", nil
	}
	if err == nil && l.NeedsParent && len(ed.d.Ancestors) == 0 {
		why = "this level stands below another description, and this one stands below none"
	}
	return l.Name, why, err
}

// links adds and removes tags and entities. What a person removes stays removed.
func (ed *editor) links(ctx context.Context, e archive.Edit, wrong map[string]string) error {
	tags, entities := linkNames(ed.d.Tags), linkNames(ed.d.Entities)
	for _, id := range e.RemoveTags {
		gone, err := ed.q.RemoveTag(ctx, db.RemoveTagParams{DocumentID: ed.d.ID, TagID: id})
		if missing(err) {
			continue
		}
		if err == nil {
			err = ed.refuse(ctx, "TAG", gone.Folded)
		}
		if err != nil {
			return err
		}
	}
	for _, id := range e.RemoveEntities {
		gone, err := ed.q.RemoveEntity(ctx, db.RemoveEntityParams{DocumentID: ed.d.ID, EntityID: id})
		if missing(err) {
			continue
		}
		if err == nil {
			err = ed.refuse(ctx, gone.Type, gone.Folded)
		}
		if err == nil {
			err = ed.q.DropLooseEntities(ctx, []int64{id})
		}
		if err != nil {
			return err
		}
	}
	for _, name := range e.AddTags {
		if err := ed.addTag(ctx, name, wrong); err != nil {
			return err
		}
	}
	for _, n := range e.AddEntities {
		if err := ed.addEntity(ctx, n); err != nil {
			return err
		}
	}
	if len(e.AddTags)+len(e.RemoveTags)+len(e.AddEntities)+len(e.RemoveEntities) == 0 {
		return nil
	}
	if err := readLinks(ctx, ed.q, &ed.d); err != nil {
		return err
	}
	if now := linkNames(ed.d.Tags); !slices.Equal(tags, now) {
		ed.change("tags", tags, now)
	}
	if now := linkNames(ed.d.Entities); !slices.Equal(entities, now) {
		ed.change("entities", entities, now)
	}
	return nil
}

func missing(err error) bool { return worker.KindOf(translate("", err)) == worker.NotFound }

func (ed *editor) refuse(ctx context.Context, kind, folded string) error {
	return ed.q.RefuseLink(ctx, db.RefuseLinkParams{DocumentID: ed.d.ID, Kind: kind, Folded: folded, Person: ed.by.Person})
}

func (ed *editor) addTag(ctx context.Context, name string, wrong map[string]string) error {
	r, err := ed.q.ResolveTag(ctx, name)
	if err != nil {
		return err
	}
	if r.Stopped {
		wrong["add_tags"] = fmt.Sprintf("%q is a stop word of tags", name)
		return nil
	}
	if err := ed.q.AddTag(ctx, r.Name); err != nil {
		return err
	}
	t, err := ed.q.FindTag(ctx, r.Name)
	if err != nil {
		return err
	}
	if err := ed.q.AdmitLink(ctx, db.AdmitLinkParams{DocumentID: ed.d.ID, Kind: "TAG", Name: t.Name}); err != nil {
		return err
	}
	return ed.q.AddHumanTag(ctx, db.AddHumanTagParams{DocumentID: ed.d.ID, TagID: t.ID, Person: &ed.by.Person})
}

func (ed *editor) addEntity(ctx context.Context, n archive.Named) error {
	err := ed.q.AddEntities(ctx, db.AddEntitiesParams{Names: []string{n.Name}, Types: []string{n.Type}})
	if err != nil {
		return err
	}
	found, err := ed.q.FindEntity(ctx, db.FindEntityParams{Name: n.Name, Type: n.Type})
	if err != nil {
		return err
	}
	if err := ed.q.AdmitLink(ctx, db.AdmitLinkParams{DocumentID: ed.d.ID, Kind: n.Type, Name: n.Name}); err != nil {
		return err
	}
	return ed.q.AddHumanEntity(ctx, db.AddHumanEntityParams{DocumentID: ed.d.ID, EntityID: found.ID, Person: &ed.by.Person})
}

// linkNames are the names of links, entities with their type, sorted.
func linkNames(links []archive.Link) []string {
	list := make([]string, len(links))
	for i, l := range links {
		list[i] = l.Name
		if l.Type != "" {
			list[i] += " (" + l.Type + ")"
		}
	}
	slices.Sort(list)
	return list
}

var statusAfter = map[archive.Decision]archive.Status{
	"": archive.HumanApproved, archive.Approve: archive.HumanApproved, archive.Reject: archive.Rejected, archive.GiveBack: archive.PendingAI,
}

// finish writes the description and its revision.
func (ed *editor) finish(ctx context.Context, e archive.Edit) (int64, error) {
	decided := e.Decision != "" && (e.Decision != archive.GiveBack || ed.d.Status.Human())
	if len(ed.after) == 0 && !decided {
		return 0, nil
	}
	status := statusAfter[e.Decision]
	if status != ed.d.Status {
		ed.change("review_status", ed.d.Status, status)
	}
	if len(ed.after) == 0 {
		return 0, nil
	}
	ed.d.Status = status
	if err := ed.q.UpdateDocument(ctx, ed.params()); err != nil {
		return 0, err
	}
	if e.Decision == archive.GiveBack {
		if err := ed.q.ForgetVerdict(ctx, ed.d.ID); err != nil {
			return 0, err
		}
	}
	before, err := json.Marshal(ed.before)
	if err != nil {
		return 0, fmt.Errorf("encode revision: %w", err)
	}
	after, err := json.Marshal(ed.after)
	if err != nil {
		return 0, fmt.Errorf("encode revision: %w", err)
	}
	return ed.q.AddRevision(ctx, db.AddRevisionParams{
		DocumentID: ed.d.ID, ChangedBy: CleanText(ed.by.Person, 200), Channel: string(ed.by.Channel), Note: e.Note, Before: before, After: after,
	})
}

func (ed *editor) params() db.UpdateDocumentParams {
	d := ed.d
	p := db.UpdateDocumentParams{
		ID: d.ID, OriginalTitle: d.Title, Date: optional(d.Date), Extent: optional(d.Extent), Repository: optional(d.Repository), Producers: optional(d.Producers),
		AdminBioHistory: optional(d.AdminBioHistory), Provenance: optional(d.Provenance), ScopeContent: optional(d.ScopeContent),
		AccessConditions: optional(d.Access), Language: optional(d.Language), ArchivistNotes: optional(d.ArchivistNotes),
		TypologyPerson: optional(d.TypologyPerson), ReviewStatus: string(d.Status),
	}
	if d.LevelID != 0 {
		p.LevelID = new(int16(d.LevelID))
	}
	if d.TypologyID != 0 {
		p.TypologyID = &d.TypologyID
	}
	if ed.chosen {
		p.TypologyPerson = nil
		if d.TypologyID != 0 {
			p.TypologyPerson = &ed.by.Person
		}
	}
	return p
}

// optional is a text, or NULL for none.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
