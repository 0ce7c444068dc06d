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

// selectSummaries is what the list shows of each description. The filters come behind it, each only where it is on: an index can only lead to
// what the statement's text asks for, and "no filter, or ..." hides that from the planner.
const selectSummaries = `SELECT d.id, d.description_id, coalesce(d.reference_code, ''), d.original_title, coalesce(l.name, ''), coalesce(d.date, ''),
    coalesce(t.name, ''), d.review_status, d.anomaly_reasons
FROM documents d LEFT JOIN levels l ON l.id = d.level_id LEFT JOIN typologies t ON t.id = d.typology_id`

// conditions gathers the filters of a list with their arguments.
type conditions struct {
	texts []string
	args  []any
}

// add joins a condition in which each ? is one of the arguments.
func (c *conditions) add(text string, args ...any) {
	for _, a := range args {
		c.args = append(c.args, a)
		text = strings.Replace(text, "?", fmt.Sprintf("$%d", len(c.args)), 1)
	}
	c.texts = append(c.texts, text)
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
	c, ok, err := s.filter(ctx, f)
	if err != nil || !ok {
		return archive.Page{}, err
	}
	order := "d.id"
	if f.Before > 0 {
		order = "d.id DESC"
	}
	rows, err := s.pool.Query(ctx, selectSummaries+"\nWHERE "+strings.Join(append(c.texts, "true"), "\n    AND ")+"\nORDER BY "+order+fmt.Sprintf("\nLIMIT %d", limit+1), c.args...)
	if err != nil {
		return archive.Page{}, translate("list documents", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d archive.Summary, err error) {
		err = row.Scan(&d.ID, &d.DescriptionID, &d.ReferenceCode, &d.Title, &d.Level, &d.Date, &d.Typology, &d.Status, &d.Reasons)
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

// filter turns a filter into conditions. Those on other tables repeat where the page begins, since the planner does not conclude it. ok is false when
// nothing can match.
func (s *Store) filter(ctx context.Context, f archive.Filter) (c conditions, ok bool, err error) {
	from, at := ">", f.After
	if f.Before > 0 {
		from, at = "<", f.Before
	}
	if at > 0 {
		c.add("d.id "+from+" ?::bigint", at)
	} else {
		from, at = ">", 0
	}
	if f.Status != "" {
		c.add("d.review_status = ?", string(f.Status))
	}
	if f.Reason != "" {
		c.add("d.is_anomaly AND d.anomaly_reasons @> ARRAY[?::text]", f.Reason)
	}
	if f.Typology != 0 {
		c.add("d.typology_id = ?::int", f.Typology)
	}
	if f.Level != 0 {
		c.add("d.level_id = ?::smallint", f.Level)
	}
	if f.Tag != 0 {
		c.add("EXISTS (SELECT FROM document_tags x WHERE x.document_id = d.id AND x.tag_id = ?::bigint AND x.document_id "+from+" ?::bigint)", f.Tag, at)
	}
	if f.Entity != 0 {
		c.add("EXISTS (SELECT FROM document_entities x WHERE x.document_id = d.id AND x.entity_id = ?::bigint AND x.document_id "+from+" ?::bigint)", f.Entity, at)
	}
	if f.Pending != "" {
		c.add("EXISTS (SELECT FROM document_queues q WHERE q.unit_id = d.id AND q.worker_name = ? AND q.pending AND q.unit_id "+from+" ?::bigint)", f.Pending, at)
	}
	if f.Stale == "" {
		return c, true, nil
	}
	runs, err := s.q.ListStaleRuns(ctx, db.ListStaleRunsParams{WorkerName: f.Stale, InForce: f.InForce})
	if err != nil || len(runs) == 0 {
		return c, false, translate("list stale runs", err)
	}
	which, arg := "= ANY (?::bigint[])", any(runs)
	if len(runs) == 1 {
		which, arg = "= ?::bigint", runs[0] // one run's stamps are indexed in the order of the list
	}
	c.add("EXISTS (SELECT FROM execution_log x WHERE x.unit_id = d.id AND x.worker_name = ? AND x.rule_version = 0 AND x.run_id "+which+
		" AND x.outcome <> 'FAILED' AND x.current AND NOT x.held AND x.unit_id "+from+" ?::bigint)", f.Stale, arg, at)
	return c, true, nil
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
