package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"scrinalia/archive"
	"scrinalia/store/db"
	"scrinalia/worker"

	"github.com/jackc/pgx/v5"
)

// A list is read from one source, in its order: from the descriptions, or from what leads to them by tag, by entity or by run. The source is
// chosen here and held by OFFSET 0: the planner takes what is asked for to be spread evenly, and reads every description in front of it when
// all of it stands at the end. For the same reason a filter is only in the statement where it is on.
const (
	selectSummaries = `SELECT d.id, d.description_id, coalesce(d.reference_code, ''), d.original_title, coalesce(l.name, ''), coalesce(d.date, ''),
    coalesce(t.name, ''), d.review_status, d.anomaly_reasons, p.digest, p.width, p.height
FROM `
	joinNames = ` LEFT JOIN levels l ON l.id = d.level_id LEFT JOIN typologies t ON t.id = d.typology_id
    LEFT JOIN thumbnails p ON p.document_id = d.id AND p.fingerprint = input_hash(coalesce(d.image_url, ''))`
	eachDocumentOf = ` x CROSS JOIN LATERAL (SELECT * FROM documents o WHERE o.id = x.`
)

// statement is a list with its filters.
type statement struct {
	source, key string // what is read, and the column that has the descriptions' ids in order
	conditions  []string
	args        []any
}

// where joins a condition in which each ? is one of the arguments.
func (st *statement) where(text string, args ...any) {
	for _, a := range args {
		st.args = append(st.args, a)
		text = strings.Replace(text, "?", fmt.Sprintf("$%d", len(st.args)), 1)
	}
	st.conditions = append(st.conditions, text)
}

// from reads the descriptions by a table that leads to them.
func (st *statement) from(table, column string) {
	st.source, st.key = table+eachDocumentOf+column+" OFFSET 0) d", "x."+column
}

func (st *statement) text(back bool, limit int) string {
	order := st.key
	if back {
		order += " DESC"
	}
	return selectSummaries + st.source + joinNames + "\nWHERE " + strings.Join(append(st.conditions, "true"), "\n    AND ") + "\nORDER BY " + order + fmt.Sprintf("\nLIMIT %d", limit)
}

// Documents returns a page of the list, in the order of the import.
func (s *Store) Documents(ctx context.Context, f archive.Filter) (archive.Page, error) {
	limit := f.Limit
	if limit <= 0 || limit > 500 {
		limit = 50
	}
	if f.Pending != "" {
		none, err := s.nothingPending(ctx, f.Pending)
		if err != nil || none {
			return archive.Page{}, err
		}
	}
	st, ok, err := s.statement(ctx, f)
	if err != nil || !ok {
		return archive.Page{}, err
	}
	rows, err := s.pool.Query(ctx, st.text(f.Before > 0, limit+1), st.args...)
	if err != nil {
		return archive.Page{}, translate("list documents", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d archive.Summary, err error) {
		var digest []byte
		var width, height *int32
		err = row.Scan(&d.ID, &d.DescriptionID, &d.ReferenceCode, &d.Title, &d.Level, &d.Date, &d.Typology, &d.Status, &d.Reasons, &digest, &width, &height)
		d.Thumbnail = picture(digest, width, height)
		return d, err
	})
	if err != nil {
		return archive.Page{}, translate("list documents", err)
	}
	return pageOf(found, f, limit), nil
}

// pageOf cuts what was read beyond the page, and says whether the list goes on.
func pageOf(found []archive.Summary, f archive.Filter, limit int) archive.Page {
	more := len(found) > limit
	found = found[:min(limit, len(found))]
	if f.Before > 0 {
		slices.Reverse(found)
	}
	p := archive.Page{Documents: found}
	if len(found) == 0 {
		return p
	}
	if f.Before > 0 || more {
		p.Later = found[len(found)-1].ID
	}
	if f.Before > 0 && more || f.Before == 0 && f.After > 0 {
		p.Earlier = found[0].ID
	}
	return p
}

// nothingPending says that a worker's queue is empty, as its count knows without looking at a description.
func (s *Store) nothingPending(ctx context.Context, name string) (bool, error) {
	queues, err := s.Queues(ctx, nil)
	if err != nil {
		return false, err
	}
	pending := queues[name].Pending
	return pending != nil && *pending == 0, nil
}

// statement turns a filter into a statement. ok is false when nothing can match.
func (s *Store) statement(ctx context.Context, f archive.Filter) (st statement, ok bool, err error) {
	st.source, st.key = "documents d", "d.id"
	var stale []int64
	if f.Stale != "" {
		stale, err = s.q.ListStaleRuns(ctx, db.ListStaleRunsParams{WorkerName: f.Stale, InForce: f.InForce})
		if err != nil || len(stale) == 0 {
			return st, false, translate("list stale runs", err)
		}
	}
	const tagged, named, stamped = "x.tag_id = ?::bigint", "x.entity_id = ?::bigint",
		"x.worker_name = ? AND x.rule_version = 0 AND x.outcome NOT IN ('FAILED', 'GIVEN_UP') AND x.current AND NOT x.held"
	leads := []struct {
		on                   bool
		table, column, where string
		args                 []any
	}{
		{f.Entity != 0, "document_entities", "document_id", named, []any{f.Entity}},
		{f.Tag != 0, "document_tags", "document_id", tagged, []any{f.Tag}},
		{f.Stale != "", stampsOf(stale), "unit_id", stamped, []any{f.Stale}},
	}
	columns := f.Status != "" || f.Reason != "" || f.Typology != 0 || f.Level != 0
	for _, l := range leads {
		if !l.on {
			continue
		}
		leading := st.key == "d.id"
		if leading && columns { // few lead to few; of two that are many, the order of the links finds what stands at the end
			few, err := s.few(ctx, l.table, l.where, l.args)
			if err != nil {
				return st, false, err
			}
			if !few {
				var own statement
				own.columns(f, "x")
				if few, err = s.fewOf(ctx, "documents", own); err != nil {
					return st, false, err
				}
				leading = !few
			}
		}
		if leading {
			st.from(l.table, l.column)
			st.where(l.where, l.args...)
		} else {
			st.where("(SELECT true FROM "+l.table+" x WHERE x."+l.column+" = d.id AND "+l.where+")", l.args...)
		}
	}
	st.page(f)
	st.columns(f, "d")
	if f.Pending != "" {
		if columns || st.key != "d.id" || f.Stale != "" || f.Tag != 0 || f.Entity != 0 { // one by one of what the other filters leave
			st.where("(SELECT q.pending FROM document_queues q WHERE q.unit_id = d.id AND q.worker_name = ?)", f.Pending)
		} else {
			st.where("EXISTS (SELECT FROM document_queues q WHERE q.unit_id = d.id AND q.worker_name = ? AND q.pending)", f.Pending)
		}
	}
	return st, true, nil
}

// stampsOf are the stamps of some runs: of each apart, since only so an index has them in the order of the list.
func stampsOf(runs []int64) string {
	parts := make([]string, len(runs))
	for i, id := range runs {
		parts[i] = fmt.Sprintf("SELECT * FROM execution_log WHERE run_id = %d", id)
	}
	return "(" + strings.Join(parts, " UNION ALL ") + ")"
}

// page is where the page begins.
func (st *statement) page(f archive.Filter) {
	switch {
	case f.Before > 0:
		st.where(st.key+" < ?::bigint", f.Before)
	case f.After > 0:
		st.where(st.key+" > ?::bigint", f.After)
	}
}

// columns adds the filters on the columns of the descriptions, which alias names.
func (st *statement) columns(f archive.Filter, alias string) {
	if f.Status != "" {
		st.where(alias+".review_status = ?", string(f.Status))
	}
	if f.Reason != "" {
		st.where(alias+".is_anomaly AND "+alias+".anomaly_reasons @> ARRAY[?::text]", f.Reason)
	}
	if f.Typology != 0 {
		st.where(alias+".typology_id = ?::int", f.Typology)
	}
	if f.Level != 0 {
		st.where(alias+".level_id = ?::smallint", f.Level)
	}
}

// manyLinks is how many rows of a source are read to find those that the other filters leave.
const manyLinks = 5000

// few says whether few rows of a source match.
func (s *Store) few(ctx context.Context, table, where string, args []any) (bool, error) {
	var st statement
	st.where(where, args...)
	return s.fewOf(ctx, table, st)
}

func (s *Store) fewOf(ctx context.Context, table string, st statement) (bool, error) {
	var n int
	err := s.pool.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s x WHERE %s LIMIT %d) few", table, strings.Join(st.conditions, " AND "), manyLinks), st.args...).Scan(&n)
	return n < manyLinks, translate("count matches", err)
}

// Choices returns the vocabularies that the filters and the form offer, and the names of the tag and the entity that the filter asks for.
func (s *Store) Choices(ctx context.Context, f archive.Filter) (archive.Choices, error) {
	rows, err := s.q.ListChoices(ctx)
	if err != nil {
		return archive.Choices{}, translate("list choices", err)
	}
	var c archive.Choices
	for _, r := range rows {
		one := archive.Choice{ID: r.ID, Name: r.Name}
		switch r.Vocabulary {
		case "level":
			c.Levels = append(c.Levels, one)
		case "typology":
			c.Typologies = append(c.Typologies, one)
		case "category":
			c.Categories = append(c.Categories, one)
		case "rule":
			c.Reasons = append(c.Reasons, worker.RuleMatch+r.Name)
		}
	}
	if f.Tag != 0 {
		if c.Tag, err = s.q.NameTag(ctx, f.Tag); err != nil {
			return c, noSuch(err, "There is no tag %d.", f.Tag)
		}
	}
	if f.Entity != 0 {
		if c.Entity, err = s.q.NameEntity(ctx, f.Entity); err != nil {
			return c, noSuch(err, "There is no entity %d.", f.Entity)
		}
	}
	return c, nil
}

// noSuch translates an error, with a sentence for what is not there.
func noSuch(err error, format string, id int64) error {
	if err = translate("read", err); worker.KindOf(err) == worker.NotFound {
		return worker.Errorf(worker.NotFound, format, id)
	}
	return err
}
