package store

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"scrinalia/importer"

	"github.com/jackc/pgx/v5"
)

// analyzeFrom is how many imported records make new statistics worth while.
const analyzeFrom = 1000

// createIncoming makes the table that holds the records of one file, in their
// order, for one transaction.
const createIncoming = `CREATE TEMPORARY TABLE incoming_records ON COMMIT DROP AS
SELECT description_id, title, parent_description_id, reference_code, parent_reference_code, level, date,
       extent, repository, producers, admin_bio_history, provenance, scope_content, language, access_conditions,
       archivist_notes, image_url, subjects, places, names, genres, raw, content_hash, source_file
FROM staging_records WITH NO DATA`

var recordColumns = []string{
	"description_id", "title", "parent_description_id", "reference_code", "parent_reference_code", "level", "date",
	"extent", "repository", "producers", "admin_bio_history", "provenance", "scope_content", "language", "access_conditions",
	"archivist_notes", "image_url", "subjects", "places", "names", "genres", "raw", "content_hash", "source_file",
}

// isNews is true for an incoming record that staging does not have as it is. As
// a subquery, and not a join, it leaves the scan of the table in charge: the
// records come in the order of the file, without a sort of a table that may be
// larger than memory. Records that are no news draw no id either.
const isNews = `(SELECT s.content_hash FROM staging_records s WHERE s.description_id = i.description_id) IS DISTINCT FROM i.content_hash`

// lookUpByIndex keeps the subquery of isNews from being a scan of staging for
// each record, which is what the planner chooses while staging is small: rows
// that the same statement adds would make that quadratic.
const lookUpByIndex = `SET LOCAL enable_seqscan = off`

const countNews = `SELECT count(*) FROM incoming_records i WHERE ` + isNews

const mergeIncoming = `INSERT INTO staging_records (description_id, title, parent_description_id, reference_code, parent_reference_code, level, date,
    extent, repository, producers, admin_bio_history, provenance, scope_content, language, access_conditions,
    archivist_notes, image_url, subjects, places, names, genres, raw, content_hash, source_file)
SELECT i.description_id, i.title, i.parent_description_id, i.reference_code, i.parent_reference_code, i.level, i.date,
    i.extent, i.repository, i.producers, i.admin_bio_history, i.provenance, i.scope_content, i.language, i.access_conditions,
    i.archivist_notes, i.image_url, i.subjects, i.places, i.names, i.genres, i.raw, i.content_hash, i.source_file
FROM incoming_records i WHERE ` + isNews + `
ON CONFLICT (description_id) DO UPDATE SET
    title = excluded.title, parent_description_id = excluded.parent_description_id, reference_code = excluded.reference_code,
    parent_reference_code = excluded.parent_reference_code, level = excluded.level, date = excluded.date, extent = excluded.extent,
    repository = excluded.repository, producers = excluded.producers, admin_bio_history = excluded.admin_bio_history,
    provenance = excluded.provenance, scope_content = excluded.scope_content, language = excluded.language,
    access_conditions = excluded.access_conditions, archivist_notes = excluded.archivist_notes, image_url = excluded.image_url,
    subjects = excluded.subjects, places = excluded.places, names = excluded.names, genres = excluded.genres, raw = excluded.raw,
    content_hash = excluded.content_hash, source_file = excluded.source_file, imported_at = excluded.imported_at
WHERE staging_records.content_hash <> excluded.content_hash`

// Two files that share records in another order would wait for each other, so
// one import writes at a time.
const lockStaging = `SELECT pg_advisory_xact_lock(hashtextextended('scrinalia: import into staging_records', 0))`

const hasStaging = `SELECT EXISTS (SELECT FROM staging_records)`

// analyzeStaging counts rows and looks at the columns that are searched; the
// long texts are left to autovacuum.
const analyzeStaging = `ANALYZE staging_records (description_id, parent_description_id, reference_code, parent_reference_code, level, content_hash)`

// ImportStaging puts the records of one file into staging in one transaction,
// and returns how many were new or changed and how many were there already. An
// error of the sequence is returned as it is and leaves staging untouched; so
// does checkOnly, which counts and writes nothing. Imports that run at the same
// time write one after the other.
func (s *Store) ImportStaging(ctx context.Context, file string, checkOnly bool, records iter.Seq2[importer.Record, error]) (imported, unchanged int64, err error) {
	source := newRecordSource(file, records)
	defer source.stop()
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		imported, unchanged, err = importInto(ctx, tx, checkOnly, source)
		return err
	})
	switch {
	case source.err != nil:
		return 0, 0, source.err
	case err != nil && ctx.Err() != nil: // a cancelled COPY closes its connection, which looks like a broken one
		return 0, 0, fmt.Errorf("import staging records: %w", context.Cause(ctx))
	case err != nil:
		return 0, 0, translate("import staging records", err)
	}
	return imported, unchanged, nil
}

// importInto copies straight into a staging that is empty, which is the first
// and often the largest import, and otherwise by way of incoming_records.
func importInto(ctx context.Context, tx pgx.Tx, checkOnly bool, source *recordSource) (imported, unchanged int64, err error) {
	empty := false
	if !checkOnly {
		if empty, err = lockIfEmpty(ctx, tx); err != nil {
			return 0, 0, err
		}
	}
	if empty {
		imported, err = tx.CopyFrom(ctx, pgx.Identifier{"staging_records"}, recordColumns, source)
		if err != nil {
			return 0, 0, fmt.Errorf("copy staging_records: %w", err)
		}
		return imported, 0, analyze(ctx, tx, imported)
	}
	if _, err := tx.Exec(ctx, createIncoming); err != nil {
		return 0, 0, fmt.Errorf("create incoming_records: %w", err)
	}
	copied, err := tx.CopyFrom(ctx, pgx.Identifier{"incoming_records"}, recordColumns, source)
	if err != nil {
		return 0, 0, fmt.Errorf("copy incoming_records: %w", err)
	}
	if _, err := tx.Exec(ctx, lookUpByIndex); err != nil {
		return 0, 0, fmt.Errorf("set enable_seqscan: %w", err)
	}
	if checkOnly {
		err = tx.QueryRow(ctx, countNews).Scan(&imported)
	} else {
		imported, err = merge(ctx, tx)
	}
	return imported, copied - imported, err
}

// lockIfEmpty says that staging is empty, and keeps other imports out if so.
func lockIfEmpty(ctx context.Context, tx pgx.Tx) (bool, error) {
	var filled bool
	for _, step := range []string{hasStaging, lockStaging, hasStaging} {
		if step == lockStaging {
			if _, err := tx.Exec(ctx, step); err != nil {
				return false, fmt.Errorf("lock staging_records: %w", err)
			}
			continue
		}
		if err := tx.QueryRow(ctx, step).Scan(&filled); err != nil {
			return false, fmt.Errorf("look into staging_records: %w", err)
		}
		if filled {
			return false, nil
		}
	}
	return true, nil
}

// merge moves the incoming records into staging and returns how many were news.
func merge(ctx context.Context, tx pgx.Tx) (int64, error) {
	if _, err := tx.Exec(ctx, lockStaging); err != nil {
		return 0, fmt.Errorf("lock staging_records: %w", err)
	}
	tag, err := tx.Exec(ctx, mergeIncoming)
	if err != nil {
		return 0, fmt.Errorf("merge incoming_records: %w", err)
	}
	return tag.RowsAffected(), analyze(ctx, tx, tag.RowsAffected())
}

func analyze(ctx context.Context, tx pgx.Tx, imported int64) error {
	if imported <= analyzeFrom {
		return nil
	}
	if _, err := tx.Exec(ctx, analyzeStaging); err != nil {
		return fmt.Errorf("analyze staging_records: %w", err)
	}
	return nil
}

// recordSource gives a sequence of records to COPY.
type recordSource struct {
	pull   func() (importer.Record, error, bool)
	stop   func()
	record importer.Record
	values []any
	err    error
}

func newRecordSource(file string, records iter.Seq2[importer.Record, error]) *recordSource {
	s := &recordSource{values: make([]any, len(recordColumns))}
	s.values[len(recordColumns)-1] = file
	s.pull, s.stop = iter.Pull2(records)
	return s
}

// Next takes the next record.
func (s *recordSource) Next() bool {
	record, err, ok := s.pull()
	if !ok || err != nil {
		s.err = err
		return false
	}
	s.record = record
	return true
}

// Values are the record's columns; an empty text is NULL where it may be.
func (s *recordSource) Values() ([]any, error) {
	r := &s.record
	if len(r.Raw) == 0 {
		return nil, errors.New("a record without its raw form")
	}
	s.values[0], s.values[1] = r.DescriptionID, r.Title
	for i, text := range [...]string{
		r.ParentDescriptionID, r.ReferenceCode, r.ParentReferenceCode, r.Level, r.Date, r.Extent, r.Repository, r.Producers,
		r.AdminBioHistory, r.Provenance, r.ScopeContent, r.Language, r.AccessConditions, r.ArchivistNotes, r.ImageURL,
	} {
		s.values[2+i] = nil
		if text != "" {
			s.values[2+i] = text
		}
	}
	for i, list := range [...][]string{r.Subjects, r.Places, r.Names, r.Genres} {
		if list == nil {
			list = []string{}
		}
		s.values[17+i] = list
	}
	s.values[21], s.values[22] = r.Raw, r.ContentHash[:]
	return s.values, nil
}

// Err is the error that ended the sequence.
func (s *recordSource) Err() error { return s.err }
