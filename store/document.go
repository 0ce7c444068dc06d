package store

import (
	"context"
	"encoding/json"
	"fmt"

	"scrinalia/archive"
	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// How much of the lists of a description its page shows.
const (
	maxChildren  = 50
	maxHistory   = 100
	noSuchRecord = "There is no description %d."
)

// Document returns a description with all that is known of it. inForce are the fingerprints of the settings in force of the workers whose units
// are descriptions, in their order.
func (s *Store) Document(ctx context.Context, id int64, inForce []archive.InForce) (archive.Document, error) {
	var d archive.Document
	err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		var err error
		if d, err = readDocument(ctx, q, id); err != nil {
			return err
		}
		if d.Work, err = readWork(ctx, q, d, inForce); err != nil {
			return err
		}
		names, err := q.CountDocumentNames(ctx, id)
		if err != nil {
			return err
		}
		d.Names = archive.Names(names)
		return readHistory(ctx, q, &d)
	})
	return d, noSuch(err, noSuchRecord, id)
}

// readDocument reads a description with its place and its links.
func readDocument(ctx context.Context, q *db.Queries, id int64) (archive.Document, error) {
	r, err := q.GetDocument(ctx, id)
	if err != nil {
		return archive.Document{}, err
	}
	d := archive.Document{
		Summary: archive.Summary{
			ID: r.ID, DescriptionID: r.DescriptionID, ReferenceCode: text(r.ReferenceCode), Title: r.OriginalTitle, Level: text(r.Level), Date: text(r.Date),
			Typology: text(r.Typology), Status: archive.Status(r.ReviewStatus), Reasons: listed(r.AnomalyReasons),
			Thumbnail: picture(r.Picture, r.Width, r.Height),
		},
		Extent: text(r.Extent), Repository: text(r.Repository), Producers: text(r.Producers), AdminBioHistory: text(r.AdminBioHistory),
		Provenance: text(r.Provenance), ScopeContent: text(r.ScopeContent), Language: text(r.Language), Access: text(r.AccessConditions),
		ArchivistNotes: text(r.ArchivistNotes), ImageURL: text(r.ImageUrl), TypologyPerson: text(r.TypologyPerson),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, Orphan: r.Orphan,
	}
	if r.LevelID != nil {
		d.LevelID = int32(*r.LevelID)
	}
	if r.TypologyID != nil {
		d.TypologyID = *r.TypologyID
	}
	if r.Score != nil && r.ScoreRun != nil {
		d.TypologyScore = &archive.Scoring{Label: text(r.Scored), Score: float64(*r.Score), RunID: *r.ScoreRun}
	}
	d.Version = archive.NewVersion(d)
	if err := readPlace(ctx, q, &d); err != nil {
		return d, err
	}
	return d, readLinks(ctx, q, &d)
}

func readPlace(ctx context.Context, q *db.Queries, d *archive.Document) error {
	above, err := q.ListAncestors(ctx, d.ID)
	if err != nil {
		return err
	}
	d.Ancestors, d.Children = make([]archive.Summary, len(above)), []archive.Summary{}
	for i, r := range above {
		d.Ancestors[i] = archive.Summary{
			ID: r.ID, DescriptionID: r.DescriptionID, ReferenceCode: text(r.ReferenceCode), Title: r.OriginalTitle, Level: text(r.Level), Date: text(r.Date),
			Status: archive.Status(r.ReviewStatus), Reasons: []string{},
		}
	}
	below, err := q.ListChildren(ctx, db.ListChildrenParams{ID: &d.ID, MaxRows: maxChildren + 1})
	if err != nil {
		return err
	}
	d.More = len(below) > maxChildren
	for _, r := range below[:min(len(below), maxChildren)] {
		d.Children = append(d.Children, archive.Summary{
			ID: r.ID, DescriptionID: r.DescriptionID, ReferenceCode: text(r.ReferenceCode), Title: r.OriginalTitle, Level: text(r.Level), Date: text(r.Date),
			Status: archive.Status(r.ReviewStatus), Reasons: []string{}, Thumbnail: picture(r.Picture, r.Width, r.Height),
		})
	}
	return nil
}

func readLinks(ctx context.Context, q *db.Queries, d *archive.Document) error {
	tags, err := q.ListDocumentTags(ctx, d.ID)
	if err != nil {
		return err
	}
	d.Tags = make([]archive.Link, len(tags))
	for i, r := range tags {
		d.Tags[i] = archive.Link{ID: r.ID, Name: r.Name, Category: text(r.Category), Origin: r.Origin, RunID: r.RunID, Person: text(r.Person)}
	}
	entities, err := q.ListDocumentEntities(ctx, d.ID)
	if err != nil {
		return err
	}
	d.Entities = make([]archive.Link, len(entities))
	for i, r := range entities {
		d.Entities[i] = archive.Link{ID: r.ID, Name: r.Name, Type: r.Type, Origin: r.Origin, RunID: r.RunID, Person: text(r.Person)}
		if r.Score != nil {
			d.Entities[i].Score = new(float64(*r.Score))
		}
	}
	return nil
}

// readWork says how each worker stands to a description: whether it waits is what the queue says, why is what the stamp says.
func readWork(ctx context.Context, q *db.Queries, d archive.Document, inForce []archive.InForce) ([]archive.Work, error) {
	names := make([]string, len(inForce))
	for i, w := range inForce {
		names[i] = w.Worker
	}
	stamps, err := q.ListDocumentStamps(ctx, db.ListDocumentStampsParams{Workers: names, ID: d.ID})
	if err != nil {
		return nil, err
	}
	queues, err := q.ListDocumentQueues(ctx, d.ID)
	if err != nil {
		return nil, err
	}
	pending, eligible := map[string]bool{}, map[string]bool{}
	for _, r := range queues {
		pending[r.WorkerName], eligible[r.WorkerName] = r.Pending, true
	}
	work := make([]archive.Work, len(inForce))
	for i, w := range inForce {
		one := archive.Work{Worker: w.Worker}
		var stamp *db.ListDocumentStampsRow
		for k := range stamps { // the last of several is the newest run's
			if stamps[k].WorkerName == w.Worker {
				stamp = &stamps[k]
				if stamp.ByRule {
					one.Rules++
				}
			}
		}
		if stamp != nil {
			if err := stamped(&one, *stamp, string(w.Fingerprint)); err != nil {
				return nil, err
			}
		}
		one.Standing = standing(d, pending[w.Worker], eligible[w.Worker], stamp)
		work[i] = one
	}
	return work, nil
}

func stamped(w *archive.Work, r db.ListDocumentStampsRow, inForce string) error {
	var c worker.Config
	if err := json.Unmarshal(r.Config, &c); err != nil {
		return fmt.Errorf("decode configuration of run %d: %w", r.RunID, err)
	}
	w.RunID, w.At, w.Error = &r.RunID, r.StartedAt, text(r.Error)
	w.Stale = r.Outcome != "FAILED" && r.Outcome != "GIVEN_UP" && r.Current && inForce != string(r.ConfigFingerprint)
	if c.Engine != nil {
		w.Engine = fmt.Sprint(c.Engine.Value)
		if c.Preset != nil {
			w.Engine += "/" + fmt.Sprint(c.Preset.Value)
		}
	}
	return nil
}

func standing(d archive.Document, pending, eligible bool, stamp *db.ListDocumentStampsRow) archive.Standing {
	switch {
	case pending && stamp == nil:
		return archive.NeverProcessed
	case pending && stamp.Outcome == "FAILED":
		return archive.FailedBefore
	case pending && !stamp.Current:
		return archive.TextChanged
	case pending && !stamp.InContext:
		return archive.RulesChanged
	case pending:
		return archive.Waiting
	case !eligible && d.Status.Human():
		return archive.LeftAlone
	case stamp != nil && !eligible && !stamp.Current && stamp.Outcome != "SETTLED":
		return archive.NothingToDo // what it read is gone
	case stamp != nil && stamp.Outcome == "GIVEN_UP":
		return archive.GivenUp
	case stamp != nil && stamp.Outcome == "SETTLED":
		return archive.SettledBy
	case stamp != nil:
		return archive.DoneBy
	}
	return archive.NothingToDo
}

// readHistory reads what runs and people changed, the last first.
func readHistory(ctx context.Context, q *db.Queries, d *archive.Document) error {
	changes, err := q.ListDocumentChanges(ctx, db.ListDocumentChangesParams{ID: d.ID, MaxRows: maxHistory})
	if err != nil {
		return err
	}
	d.Changes = make([]archive.Change, len(changes))
	for i, c := range changes {
		d.Changes[i] = archive.Change{ID: c.ID, RunID: c.RunID, Worker: c.WorkerName, Field: c.Field, Before: c.Before, After: c.After, Rule: c.RuleName}
	}
	d.Revisions, err = readRevisions(ctx, q, d.ID, maxHistory)
	return err
}

func readRevisions(ctx context.Context, q *db.Queries, id int64, limit int32) ([]archive.Revision, error) {
	rows, err := q.ListDocumentRevisions(ctx, db.ListDocumentRevisionsParams{DocumentID: id, MaxRows: limit})
	if err != nil {
		return nil, err
	}
	revisions := make([]archive.Revision, len(rows))
	for i, r := range rows {
		revisions[i] = archive.Revision{ID: r.ID, At: r.ChangedAt, Person: r.ChangedBy, Channel: r.Channel, Note: r.Note}
		if err := json.Unmarshal(r.Before, &revisions[i].Before); err != nil {
			return nil, fmt.Errorf("decode revision %d: %w", r.ID, err)
		}
		if err := json.Unmarshal(r.After, &revisions[i].After); err != nil {
			return nil, fmt.Errorf("decode revision %d: %w", r.ID, err)
		}
	}
	return revisions, nil
}

// text reads a column that may be NULL.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
