package store

import (
	"context"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// RewriteRules returns the active REWRITE rules in the order in which they apply.
func (s *Store) RewriteRules(ctx context.Context) ([]worker.Rule, error) {
	rows, err := s.q.ListRewriteRules(ctx)
	if err != nil {
		return nil, translate("list rules", err)
	}
	rules := make([]worker.Rule, len(rows))
	for i, r := range rows {
		rules[i] = worker.Rule{ID: r.ID, Version: r.Version, Name: r.Name, Column: r.TargetColumn, Pattern: r.Pattern, Replacement: r.Replacement, CaseSensitive: r.CaseSensitive}
	}
	return rules, nil
}

// rulesPerWindow guesses how many units a document has, to choose how many documents a batch reads.
const rulesPerWindow = 8

// ClaimCleaning returns at most size units after a document. The window of documents grows while nothing in it is pending.
func (s *Store) ClaimCleaning(ctx context.Context, after, size int64, force bool) ([]worker.TextUnit, int64, error) {
	for window := max(1, size/rulesPerWindow); ; window = min(window*4, 100_000) {
		upto, err := s.q.CleaningWindow(ctx, db.CleaningWindowParams{After: after, Documents: int32(window)})
		if err != nil || upto == 0 {
			return nil, 0, translate("claim cleaning", err)
		}
		rows, err := s.q.ClaimCleaning(ctx, db.ClaimCleaningParams{After: after, Upto: upto, Force: force, MaxRows: int32(size)})
		if err != nil {
			return nil, 0, translate("claim cleaning", err)
		}
		if len(rows) > 0 {
			units, last := wholeDocuments(rows, int(size), upto)
			return units, last, nil
		}
		after = upto
	}
}

// wholeDocuments leaves out the last document of a full batch, which may be cut, unless it is the only one.
func wholeDocuments(rows []db.ClaimCleaningRow, size int, upto int64) ([]worker.TextUnit, int64) {
	last := upto
	if len(rows) == size {
		last = rows[size-1].UnitID
		if first := rows[0].UnitID; first != last {
			for rows[len(rows)-1].UnitID == last {
				rows = rows[:len(rows)-1]
			}
			last = rows[len(rows)-1].UnitID
		}
	}
	units := make([]worker.TextUnit, len(rows))
	for i, r := range rows {
		units[i] = worker.TextUnit{Document: r.UnitID, Name: r.UnitName, RuleID: r.RuleID, RuleVersion: r.RuleVersion, Column: r.TargetColumn, Text: r.Value}
	}
	return units, last
}

// ApplyCleaning writes the edits of documents whose column still says what was read, journals them and stamps their rules with the text
// that is left.
func (s *Store) ApplyCleaning(ctx context.Context, runID int64, dry bool, edits []worker.TextEdit) (worker.Counts, error) {
	var counts worker.Counts
	err := s.inRunTx(ctx, "apply cleaning", runID, dry, &counts, func(q *db.Queries) error {
		counts = worker.Counts{}
		now, err := lockTexts(ctx, q, edits)
		if err != nil {
			return err
		}
		rewrites := map[string]*db.RewriteDocumentsParams{}
		stamps := db.StampUnitsParams{WorkerName: worker.Cleaning, UnitKind: "document", RunID: runID}
		journal := db.JournalChangesParams{RunID: runID, UnitKind: "document"}
		for _, e := range edits {
			if text, ok := now[e.Document]; !ok || text[e.Column] != e.Before {
				counts.Skipped += int64(len(e.Rules))
				continue
			}
			counts.Processed += int64(len(e.Rules))
			addRewrite(rewrites, e)
			addStamps(&stamps, e)
			addJournal(&journal, e)
		}
		for _, r := range rewrites {
			if err := q.RewriteDocuments(ctx, *r); err != nil {
				return err
			}
		}
		if err := q.StampUnits(ctx, stamps); err != nil {
			return err
		}
		if len(journal.UnitIds) == 0 {
			return nil
		}
		return q.JournalChanges(ctx, journal)
	})
	return counts, err
}

// lockTexts locks the documents and returns their texts by column.
func lockTexts(ctx context.Context, q *db.Queries, edits []worker.TextEdit) (map[int64]map[string]string, error) {
	ids := make([]int64, len(edits))
	for i, e := range edits {
		ids[i] = e.Document
	}
	rows, err := q.LockDocuments(ctx, ids)
	if err != nil {
		return nil, err
	}
	texts := make(map[int64]map[string]string, len(rows))
	for _, r := range rows {
		texts[r.ID] = map[string]string{
			"original_title": r.OriginalTitle, "scope_content": r.ScopeContent, "admin_bio_history": r.AdminBioHistory,
			"provenance": r.Provenance, "archivist_notes": r.ArchivistNotes,
		}
	}
	return texts, nil
}

func addRewrite(rewrites map[string]*db.RewriteDocumentsParams, e worker.TextEdit) {
	if e.Before == e.After {
		return
	}
	r := rewrites[e.Column]
	if r == nil {
		r = &db.RewriteDocumentsParams{TargetColumn: e.Column}
		rewrites[e.Column] = r
	}
	r.UnitIds = append(r.UnitIds, e.Document)
	r.NewValues = append(r.NewValues, e.After)
}

func addStamps(p *db.StampUnitsParams, e worker.TextEdit) {
	if e.After == "" {
		return // an emptied column is no unit any more: what is not eligible bears no stamp
	}
	stamp := fingerprint(e.After)
	for _, version := range e.Rules {
		p.UnitIds = append(p.UnitIds, e.Document)
		p.RuleVersions = append(p.RuleVersions, version)
		p.Fingerprints = append(p.Fingerprints, stamp)
		p.Errors = append(p.Errors, "")
	}
}

func addJournal(p *db.JournalChangesParams, e worker.TextEdit) {
	for _, c := range e.Changes {
		p.UnitIds = append(p.UnitIds, e.Document)
		p.Fields = append(p.Fields, e.Column)
		p.Befores = append(p.Befores, c.Before)
		p.Afters = append(p.Afters, c.After)
		p.RuleIds = append(p.RuleIds, c.RuleID)
	}
}
