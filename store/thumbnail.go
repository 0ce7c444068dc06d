package store

import (
	"context"

	"scrinalia/archive"
	"scrinalia/store/db"
	"scrinalia/worker"
)

// ClaimThumbnails returns the next documents with the address of their picture as text.
func (s *Store) ClaimThumbnails(ctx context.Context, after, size int64, force bool) ([]worker.Reading, error) {
	rows, err := s.q.ClaimThumbnails(ctx, db.ClaimThumbnailsParams{After: after, Force: force, MaxRows: int32(size)})
	if err != nil {
		return nil, translate("claim thumbnails", err)
	}
	readings := make([]worker.Reading, len(rows))
	for i, r := range rows {
		readings[i] = worker.Reading{ID: r.UnitID, Name: r.UnitName, Text: r.Address, Fingerprint: fingerprint(r.Address)}
	}
	return readings, nil
}

// ApplyThumbnails notes thumbnails that are in storage, of documents which no human decided on and which still have the address that was
// fetched, and stamps them. What could not be had for good is given up. A thumbnail of the same address stays when a later try fails; one of
// another address goes, and its key is among those that nothing points to any more.
func (s *Store) ApplyThumbnails(ctx context.Context, runID int64, dry bool, made []worker.Thumbnail) (counts worker.Counts, loose []string, err error) {
	ids := make([]int64, len(made))
	for i, t := range made {
		ids[i] = t.Reading.ID
	}
	err = s.inRunTx(ctx, "apply thumbnails", runID, dry, &counts, func(q *db.Queries) error {
		stamps := newStamping(worker.Thumbnails, "document", runID)
		locked, err := q.LockPictured(ctx, ids)
		if err != nil {
			return err
		}
		for _, l := range locked {
			stamps.now[l.ID] = l.Fingerprint
		}
		save := db.SaveThumbnailsParams{RunID: runID}
		var skipped db.ListLooseKeysParams
		for _, t := range made {
			if !stamps.fresh(t.Reading) {
				if t.Key != "" {
					skipped.Ids, skipped.Keys = append(skipped.Ids, t.Reading.ID), append(skipped.Keys, t.Key)
				}
				continue
			}
			if t.Failure != nil {
				stamps.add(t.Reading, t.Failure.Reason.Permanent(), t.Failure.Error())
				continue
			}
			stamps.add(t.Reading, false, "")
			save.Ids, save.Fingerprints = append(save.Ids, t.Reading.ID), append(save.Fingerprints, t.Reading.Fingerprint)
			save.Keys, save.ContentTypes = append(save.Keys, t.Key), append(save.ContentTypes, t.ContentType)
			save.Bytes, save.Digests = append(save.Bytes, t.Bytes), append(save.Digests, t.Digest)
			save.Widths, save.Heights = append(save.Widths, int32(t.Width)), append(save.Heights, int32(t.Height))
		}
		counts = stamps.counts
		if loose, err = q.DropOutdatedThumbnails(ctx, stamps.UnitIds); err != nil {
			return err
		}
		unused, err := q.ListLooseKeys(ctx, skipped)
		if err != nil {
			return err
		}
		loose = append(loose, unused...)
		if err := q.SaveThumbnails(ctx, save); err != nil {
			return err
		}
		return q.StampUnits(ctx, stamps.StampUnitsParams)
	})
	return counts, loose, err
}

// Thumbnail returns the thumbnail of a document, or NotFound. One of an address that the document no longer has is none.
func (s *Store) Thumbnail(ctx context.Context, document int64) (worker.Thumbnail, error) {
	r, err := s.q.ReadThumbnail(ctx, document)
	if err != nil {
		return worker.Thumbnail{}, translate("read thumbnail", err)
	}
	return worker.Thumbnail{
		Reading: worker.Reading{ID: r.DocumentID}, Key: r.Key, ContentType: r.ContentType, Bytes: r.Bytes, Width: int(r.Width), Height: int(r.Height), Digest: r.Digest,
	}, nil
}

// picture is a thumbnail that was joined to a description, nil when there is none.
func picture(digest []byte, width, height *int32) *archive.Picture {
	if width == nil || height == nil {
		return nil
	}
	return &archive.Picture{Version: worker.Thumbnail{Digest: digest}.Version(), Width: int(*width), Height: int(*height)}
}
