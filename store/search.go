package store

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"scrinalia/search"
	"scrinalia/store/db"

	"github.com/jackc/pgx/v5"
)

// IndexWaiting reads the words of about so many descriptions that wait for it, and returns how many it read, 0 when none waited.
func (s *Store) IndexWaiting(ctx context.Context, atMost int) (int, error) {
	n, err := s.q.IndexWaiting(ctx, int32(atMost))
	return int(n), translate("index words", err)
}

// CountWaiting says how many descriptions wait for their words to be read.
func (s *Store) CountWaiting(ctx context.Context) (int64, error) {
	n, err := s.q.CountWaiting(ctx)
	return n, translate("count waiting words", err)
}

// CountSearchable says how many descriptions there are that nobody rejected.
func (s *Store) CountSearchable(ctx context.Context) (int64, error) {
	n, err := s.q.CountSearchable(ctx)
	return n, translate("count descriptions", err)
}

// FindWords returns the descriptions that have the words, the best first.
func (s *Store) FindWords(ctx context.Context, w search.Words, atMost int) ([]search.Scored, error) {
	rows, err := s.q.FindWords(ctx, db.FindWordsParams{Code: w.Query, Typed: w.Typed, Words: listed(w.Words), Variants: listed(w.Variants), AtMost: int32(atMost)})
	if err != nil {
		return nil, translate("find words", err)
	}
	hits := make([]search.Scored, len(rows))
	for i, r := range rows {
		hits[i] = search.Scored{ID: r.DocumentID, Score: float64(r.Score)}
	}
	return hits, nil
}

// listed is a list that is not NULL.
func listed(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// WantedWords returns those of the seen words that w is about.
func (s *Store) WantedWords(ctx context.Context, w search.Words, seen []string) ([]string, error) {
	words, err := s.q.WantedWords(ctx, db.WantedWordsParams{Seen: seen, Typed: w.Typed, Words: listed(w.Words), Variants: listed(w.Variants)})
	return words, translate("find wanted words", err)
}

// bodyLength is how many characters of each longer field a result may show a piece of.
const bodyLength = 4000

// Texts returns what is shown of descriptions; those that are gone or rejected are left out.
func (s *Store) Texts(ctx context.Context, ids []int64) (map[int64]search.Text, error) {
	rows, err := s.q.SearchedTexts(ctx, db.SearchedTextsParams{Ids: ids, AtMost: bodyLength})
	if err != nil {
		return nil, translate("read results", err)
	}
	texts := make(map[int64]search.Text, len(rows))
	for _, r := range rows {
		texts[r.ID] = search.Text{
			DescriptionID: r.DescriptionID, ReferenceCode: r.ReferenceCode, Level: r.Level, Date: r.Date, Title: r.Title,
			Bodies: []string{r.ScopeContent, r.AdminBioHistory, r.Provenance, r.ArchivistNotes},
		}
	}
	return texts, nil
}

// vectorsAtOnce is how many vectors are read in one go.
const vectorsAtOnce = 4096

// ChangedVectors calls each with every vector of the model that changed since a horizon, "" for all, nil where there is none any more. It
// returns the horizon to go on from: the oldest transaction that was still open, so that nothing which commits late is missed.
func (s *Store) ChangedVectors(ctx context.Context, model, since string, each func(id int64, vector []float32) error) (horizon string, err error) {
	if since == "" {
		since = "0"
	}
	oneSnapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, s.pool, oneSnapshot, func(tx pgx.Tx) error {
		q := s.q.WithTx(tx)
		if horizon, err = q.VectorHorizon(ctx); err != nil {
			return err
		}
		for after := int64(0); ; {
			rows, err := q.ListVectors(ctx, db.ListVectorsParams{Model: model, Since: since, After: after, AtMost: vectorsAtOnce})
			if err != nil {
				return err
			}
			for _, r := range rows {
				if r.Rejected {
					r.Vector = nil
				}
				if err := each(r.DocumentID, floats(r.Vector)); err != nil {
					return err
				}
				after = r.DocumentID
			}
			if len(rows) < vectorsAtOnce {
				return nil
			}
		}
	})
	return horizon, translate("read vectors", err)
}

// floats reads a stored vector.
func floats(raw []byte) []float32 {
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v
}

// Vectors returns the vectors of the model for these descriptions; those that are gone or rejected are left out.
func (s *Store) Vectors(ctx context.Context, model string, ids []int64) (map[int64][]float32, error) {
	rows, err := s.q.FetchVectors(ctx, db.FetchVectorsParams{Model: model, Ids: ids})
	if err != nil {
		return nil, translate("read vectors", err)
	}
	vectors := make(map[int64][]float32, len(rows))
	for _, r := range rows {
		vectors[r.DocumentID] = floats(r.Vector)
	}
	return vectors, nil
}

// OtherModel names a model that there are vectors of, beside this one; "" when there is none.
func (s *Store) OtherModel(ctx context.Context, model string) (string, error) {
	other, err := s.q.OtherModel(ctx, model)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return other, translate("look for vectors", err)
}
