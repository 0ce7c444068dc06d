package store

import (
	"bytes"
	"context"
	"strings"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// ValidationRules returns the active VALIDATE rules in order.
func (s *Store) ValidationRules(ctx context.Context) ([]worker.Rule, error) {
	rows, err := s.q.ListValidationRules(ctx)
	if err != nil {
		return nil, translate("list rules", err)
	}
	rules := make([]worker.Rule, len(rows))
	for i, r := range rows {
		rules[i] = worker.Rule{Name: r.Name, Column: r.TargetColumn, Pattern: r.Pattern, CaseSensitive: r.CaseSensitive}
	}
	return rules, nil
}

// TitleRule returns the oldest active LLM_CHECK rule, whose engine checks titles; nil when none is active.
func (s *Store) TitleRule(ctx context.Context) (*worker.RuleEngine, error) {
	rows, err := s.q.ListTitleRules(ctx)
	if err != nil || len(rows) == 0 {
		return nil, translate("read the LLM_CHECK rule", err)
	}
	return &worker.RuleEngine{ID: rows[0].ID, Name: rows[0].Name, Engine: rows[0].Engine, Preset: rows[0].Preset}, nil
}

// ClaimValidation returns the next documents with everything the validator reads of them.
func (s *Store) ClaimValidation(ctx context.Context, after, size int64, force bool) ([]worker.Description, error) {
	rows, err := s.q.ClaimValidation(ctx, db.ClaimValidationParams{After: after, Force: force, MaxRows: int32(size)})
	if err != nil {
		return nil, translate("claim validation", err)
	}
	docs := make([]worker.Description, len(rows))
	for i, r := range rows {
		docs[i] = worker.Description{
			ID: r.UnitID, Name: r.UnitName, Fingerprint: r.Fingerprint, Title: r.Title, Date: r.Date, SameTitle: r.SameTitle,
			HasTags: r.HasTags, HasTypology: r.HasTypology, HasEntities: r.HasEntities, TypologyReady: r.TypologyReady, EntitiesReady: r.EntitiesReady,
			Texts: map[string]string{
				"original_title": r.Title, "scope_content": r.ScopeContent, "admin_bio_history": r.AdminBioHistory,
				"provenance": r.Provenance, "archivist_notes": r.ArchivistNotes,
			},
		}
	}
	return docs, nil
}

// maxReasons bounds the reasons of one document, in bytes; the text of some comes from a model.
const maxReasons = 64 << 10

// ApplyVerdicts writes the verdicts on documents that no human decided on and that still say what was read, and stamps them.
func (s *Store) ApplyVerdicts(ctx context.Context, runID int64, dry bool, verdicts []worker.Verdict) (counts worker.Counts, changed int64, err error) {
	ids := make([]int64, len(verdicts))
	for i, v := range verdicts {
		ids[i] = v.ID
	}
	err = s.inRunTx(ctx, "apply verdicts", runID, dry, &counts, func(q *db.Queries) error {
		counts = worker.Counts{}
		locked, err := q.LockForValidation(ctx, ids)
		if err != nil {
			return err
		}
		inputs, err := q.ReadValidationInputs(ctx, locked)
		if err != nil {
			return err
		}
		now := make(map[int64][]byte, len(inputs))
		for _, in := range inputs {
			now[in.DocumentID] = in.Fingerprint
		}
		set := db.SetVerdictsParams{}
		stamps := db.StampUnitsParams{WorkerName: worker.QualityValidator, UnitKind: "document", RunID: runID}
		for _, v := range verdicts {
			if f, ok := now[v.ID]; !ok || !bytes.Equal(f, v.Fingerprint) {
				counts.Skipped++
				continue
			}
			stamps.UnitIds, stamps.RuleVersions = append(stamps.UnitIds, v.ID), append(stamps.RuleVersions, 0)
			stamps.Fingerprints, stamps.Errors = append(stamps.Fingerprints, v.Fingerprint), append(stamps.Errors, CleanText(v.Error, maxUnitError))
			if v.Error != "" {
				counts.Failed++
				continue
			}
			counts.Processed++
			set.UnitIds, set.Reasons = append(set.UnitIds, v.ID), append(set.Reasons, CleanText(strings.Join(v.Reasons, "\n"), maxReasons))
		}
		if changed, err = q.SetVerdicts(ctx, set); err != nil {
			return err
		}
		return q.StampUnits(ctx, stamps)
	})
	return counts, changed, err
}
