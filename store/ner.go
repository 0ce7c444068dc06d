package store

import (
	"context"
	"fmt"

	"scrinalia/store/db"
	"scrinalia/worker"
)

// The notes of ner.
const (
	noteNames       = "names"
	noteLinked      = "entities_linked"
	noteUnlinked    = "entities_unlinked"
	noteWouldLink   = "would_link"
	maxPreviewLinks = 50
)

// ClaimNER returns the next documents with the text of these columns.
func (s *Store) ClaimNER(ctx context.Context, columns []string, after, size int64, force bool) ([]worker.Reading, error) {
	rows, err := s.q.ClaimNER(ctx, db.ClaimNERParams{Columns: columns, After: after, Force: force, MaxRows: int32(size)})
	if err != nil {
		return nil, translate("claim ner", err)
	}
	readings := make([]worker.Reading, len(rows))
	for i, r := range rows {
		readings[i] = reading(r.UnitID, r.UnitName, r.Value)
	}
	return readings, nil
}

// ApplyEntities replaces the links that runs made of documents which no human decided on and which still say what was read, and stamps them.
// What a failed document was linked with stays.
func (s *Store) ApplyEntities(ctx context.Context, runID int64, dry bool, columns []string, found []worker.Recognition) (counts worker.Counts, notes map[string]worker.Note, err error) {
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.Reading.ID
	}
	err = s.inRunTx(ctx, "apply entities", runID, dry, &counts, func(q *db.Queries) error {
		stamps := newStamping(worker.NamedEntities, "document", runID)
		locked, err := q.LockGoverned(ctx, db.LockGovernedParams{Columns: columns, Ids: ids})
		if err != nil {
			return err
		}
		for _, l := range locked {
			stamps.now[l.ID] = l.Fingerprint
		}
		var choose db.ChooseEntitiesParams
		var read []int64
		names := map[int64]string{}
		for _, f := range found {
			if !stamps.fresh(f.Reading) {
				continue
			}
			stamps.add(f.Reading, false, f.Error)
			if f.Error != "" {
				continue
			}
			read = append(read, f.Reading.ID)
			names[f.Reading.ID] = f.Reading.Name
			for _, e := range f.Entities {
				choose.Documents, choose.Names = append(choose.Documents, f.Reading.ID), append(choose.Names, CleanText(e.Name, 1000))
				choose.Types, choose.Scores = append(choose.Types, e.Type), append(choose.Scores, float32(e.Score))
			}
		}
		counts = stamps.counts
		chosen, err := q.ChooseEntities(ctx, choose)
		if err != nil {
			return err
		}
		if notes, err = linkEntities(ctx, q, runID, read, chosen); err != nil {
			return err
		}
		if dry {
			notes[noteWouldLink] = previewLinks(chosen, names)
		}
		return q.StampUnits(ctx, stamps.StampUnitsParams)
	})
	return counts, notes, err
}

// linkEntities makes the chosen names the only ones that runs found in these documents.
func linkEntities(ctx context.Context, q *db.Queries, runID int64, documents []int64, chosen []db.ChooseEntitiesRow) (map[string]worker.Note, error) {
	add := db.AddEntitiesParams{}
	link := db.LinkEntitiesParams{RunID: runID}
	for _, c := range chosen {
		add.Names, add.Types = append(add.Names, c.Name), append(add.Types, c.Type)
		link.Documents, link.Folded = append(link.Documents, c.DocumentID), append(link.Folded, c.Folded)
		link.Types, link.Scores = append(link.Types, c.Type), append(link.Scores, c.Score)
	}
	if err := q.AddEntities(ctx, add); err != nil {
		return nil, err
	}
	loose, err := q.UnlinkEntities(ctx, db.UnlinkEntitiesParams{Documents: documents, KeptDocuments: link.Documents, KeptFolded: link.Folded, KeptTypes: link.Types})
	if err != nil {
		return nil, err
	}
	if err := q.RenewEntityLinks(ctx, db.RenewEntityLinksParams(link)); err != nil {
		return nil, err
	}
	linked, err := q.LinkEntities(ctx, link)
	if err != nil {
		return nil, err
	}
	if len(loose) > 0 {
		if err := q.DropLooseEntities(ctx, loose); err != nil {
			return nil, err
		}
	}
	return worker.MergeNotes(worker.CountedNote(noteNames, int64(len(chosen))), worker.CountedNote(noteLinked, linked),
		worker.CountedNote(noteUnlinked, int64(len(loose)))), nil
}

func previewLinks(chosen []db.ChooseEntitiesRow, names map[int64]string) worker.Note {
	n := worker.Note{Count: int64(len(chosen))}
	for _, c := range chosen[:min(len(chosen), maxPreviewLinks)] {
		n.Examples = append(n.Examples, fmt.Sprintf("%s: %s, %s (%.2f)", names[c.DocumentID], c.Name, c.Type, c.Score))
	}
	return n
}
