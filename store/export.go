package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"scrinalia/importer"
	"scrinalia/store/db"

	"github.com/jackc/pgx/v5"
)

// ReviewStatuses are the review statuses that a description can have.
var ReviewStatuses = []string{"PENDING_AI", "AI_APPROVED", "NEEDS_REVIEW", "HUMAN_APPROVED", "REJECTED"}

// declareExported sorts ids and paths alone: each description stands behind its parent and its branch together, whatever it says.
const declareExported = `DECLARE exported NO SCROLL CURSOR FOR
SELECT d.id FROM documents d LEFT JOIN document_hierarchy h ON h.document_id = d.id
WHERE $1 = '' OR d.review_status = $1
ORDER BY coalesce(h.ancestors, '{}') || d.id`

// fetchExported returns as many ids as descriptions are in memory at once.
const fetchExported = `FETCH 200 FROM exported`

// exportAlone: a batch is too small for the planner's idea of what helpers are worth.
const exportAlone = `SET LOCAL max_parallel_workers_per_gather = 0`

var errExportStopped = errors.New("the reader of the export stopped")

// Descriptions yields every description, or those in one review status, with what was found in them, as they were at one moment;
// parents come before their children. It holds one batch in memory.
func (s *Store) Descriptions(ctx context.Context, status string) iter.Seq2[importer.Description, error] {
	return func(yield func(importer.Description, error) bool) {
		snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		err := pgx.BeginTxFunc(ctx, s.pool, snapshot, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, declareExported, status); err != nil {
				return fmt.Errorf("declare exported: %w", err)
			}
			if _, err := tx.Exec(ctx, exportAlone); err != nil {
				return fmt.Errorf("set max_parallel_workers_per_gather: %w", err)
			}
			for {
				batch, err := exportBatch(ctx, tx, s.q.WithTx(tx))
				if err != nil || len(batch) == 0 {
					return err
				}
				for _, d := range batch {
					if !yield(d, nil) {
						return errExportStopped
					}
				}
			}
		})
		if err != nil && !errors.Is(err, errExportStopped) {
			yield(importer.Description{}, translate("export", err))
		}
	}
}

// exportBatch reads the next descriptions, in the cursor's order.
func exportBatch(ctx context.Context, tx pgx.Tx, q *db.Queries) ([]importer.Description, error) {
	rows, err := tx.Query(ctx, fetchExported)
	if err != nil {
		return nil, fmt.Errorf("fetch exported: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	documents, err := q.ReadExported(ctx, ids)
	if err != nil {
		return nil, err
	}
	batch, at := make([]importer.Description, len(ids)), make(map[int64]*importer.Description, len(ids))
	for i, id := range ids {
		at[id] = &batch[i]
	}
	var decided []int64
	for _, r := range documents {
		*at[r.ID] = exportedDescription(r)
		if r.HumanDecided {
			decided = append(decided, r.ID)
		}
	}
	if err := addFound(ctx, q, ids, at); err != nil {
		return nil, err
	}
	return batch, dropRefused(ctx, q, decided, at)
}

func exportedDescription(r db.ReadExportedRow) importer.Description {
	d := importer.Description{
		Record: importer.Record{
			DescriptionID: r.DescriptionID, Title: r.OriginalTitle, ParentDescriptionID: r.ParentDescriptionID, ReferenceCode: r.ReferenceCode,
			ParentReferenceCode: r.ParentReferenceCode, Level: r.Level, Date: r.Date, Extent: r.Extent, Repository: r.Repository,
			Producers: r.Producers, AdminBioHistory: r.AdminBioHistory, Provenance: r.Provenance, ScopeContent: r.ScopeContent,
			Language: r.Language, AccessConditions: r.AccessConditions, ArchivistNotes: r.ArchivistNotes, ImageURL: r.ImageUrl,
			Subjects: r.Subjects, Places: r.Places, Names: r.Names, Genres: r.Genres, Raw: r.Raw,
		},
		Source:   importer.Source{ContentHash: [32]byte(r.ContentHash), ImportedAt: r.ImportedAt},
		ParentID: r.ParentID, ReviewStatus: r.ReviewStatus, AnomalyReasons: r.AnomalyReasons, Thumbnail: r.Thumbnail,
	}
	if r.Typology != "" {
		origin := "source"
		switch {
		case r.TypologyPerson != nil:
			origin = "human"
		case r.TypologyRunID != nil:
			origin = "run"
		}
		d.Typology = &importer.Typology{Name: r.Typology, Score: r.TypologyScore, Origin: exportedOrigin(origin, r.TypologyRunID)}
	}
	return d
}

// exportedOrigin is source, human or run:ID.
func exportedOrigin(origin string, run *int64) string {
	if run == nil {
		return origin
	}
	return fmt.Sprintf("run:%d", *run)
}

// addFound adds entities and tags.
func addFound(ctx context.Context, q *db.Queries, ids []int64, at map[int64]*importer.Description) error {
	entities, err := q.ReadExportedEntities(ctx, ids)
	if err != nil {
		return err
	}
	for _, r := range entities {
		d := at[r.DocumentID]
		d.Entities = append(d.Entities, importer.Entity{Name: r.Name, Type: r.Type, Score: r.Score, Origin: exportedOrigin(r.Origin, r.RunID)})
	}
	tags, err := q.ReadExportedTags(ctx, ids)
	for _, r := range tags {
		d := at[r.DocumentID]
		d.Tags = append(d.Tags, importer.Tag{Name: r.Name, Category: r.Category, Score: r.Score, Origin: exportedOrigin(r.Origin, r.RunID)})
	}
	return err
}

// dropRefused drops the access points of the source that a human took off, from descriptions that one decided on.
func dropRefused(ctx context.Context, q *db.Queries, decided []int64, at map[int64]*importer.Description) error {
	if len(decided) == 0 {
		return nil
	}
	points, err := q.ListRefusedPoints(ctx, decided)
	for _, p := range points {
		d := at[p.ID]
		list := map[string]*[]string{"subjects": &d.Subjects, "places": &d.Places, "names": &d.Names, "genres": &d.Genres}[p.List]
		*list = slices.DeleteFunc(*list, func(s string) bool { return s == p.Value })
	}
	return err
}

// Sources returns the staging records of those of these descriptions that there are, by description id.
func (s *Store) Sources(ctx context.Context, ids []string) (map[string]importer.Source, error) {
	rows, err := s.q.ListSources(ctx, ids)
	if err != nil {
		return nil, translate("look up staging records", err)
	}
	sources := make(map[string]importer.Source, len(rows))
	for _, r := range rows {
		sources[r.DescriptionID] = importer.Source{ContentHash: [32]byte(r.ContentHash), ImportedAt: r.ImportedAt}
	}
	return sources, nil
}
