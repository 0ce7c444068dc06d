package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime"
	"time"

	"scrinalia/search"
	"scrinalia/vector"

	"golang.org/x/sync/errgroup"
)

// Budgets of a search, in milliseconds.
const (
	nearestBudget = 150 // of all vectors of one model
	searchBudget  = 150 // a page, by words
)

// measureSearch looks for the nearest of many vectors, and through the words of a bulk import.
func (b *bench) measureSearch(ctx context.Context) error {
	if err := b.searchVectors(ctx); err != nil {
		return err
	}
	return b.searchWords(ctx)
}

// room makes vectors in crowds, as texts make them: of a few hundred subjects, each vector has one, and a part of its own. The same id always
// gives the same vector, so that they need no room beside the index.
type room struct{ subjects [][]float32 }

const values = 384

func newRoom() *room {
	r := &room{subjects: make([][]float32, 300)}
	for i := range r.subjects {
		r.subjects[i] = noise(uint64(i), 1)
	}
	return r
}

func noise(seed uint64, size float32) []float32 {
	random := rand.New(rand.NewPCG(seed, seedLow))
	v := make([]float32, values)
	for i := range v {
		v[i] = size * (random.Float32() + random.Float32() + random.Float32() - 1.5)
	}
	return v
}

func (r *room) vector(id int64) []float32 {
	v := noise(uint64(id)+1000, 1.2)
	for i, s := range r.subjects[int(id)%len(r.subjects)] {
		v[i] += s
	}
	return v
}

func (r *room) fetch(_ context.Context, ids []int64) (map[int64][]float32, error) {
	vectors := make(map[int64][]float32, len(ids))
	for _, id := range ids {
		vectors[id] = r.vector(id)
	}
	return vectors, nil
}

func (b *bench) searchVectors(ctx context.Context) error {
	r, index := newRoom(), new(vector.Index)
	if err := index.Put(0, r.vector(0)); err != nil {
		return err
	}
	group := new(errgroup.Group)
	workers := runtime.NumCPU()
	for w := range workers {
		group.Go(func() error {
			for id := int64(w); id < int64(b.size.huge) && ctx.Err() == nil; id += int64(workers) {
				if err := index.Put(id, r.vector(id)); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	took := make([]time.Duration, b.size.filtered)
	used := b.cpu()
	for i := range took {
		query := r.vector(int64(b.size.huge + i))
		begin := time.Now()
		found, err := index.Search(ctx, query, search.PageSize*search.MaxPage, r.fetch)
		if err != nil {
			return err
		}
		took[i] = time.Since(begin)
		if len(found.Hits) != search.PageSize*search.MaxPage {
			return fmt.Errorf("%d nearest vectors, want %d", len(found.Hits), search.PageSize*search.MaxPage)
		}
	}
	size := fmt.Sprintf("%s vectors of %d values", thousands(int64(b.size.huge)), values)
	each := (b.cpu() - used) / time.Duration(len(took))
	b.add(figure{what: "the 200 nearest of " + size + ", exact, p95", value: percentile(took, 95), unit: milliseconds, budget: nearestBudget, cpu: each})
	b.also("    the same, median", percentile(took, 50), milliseconds)
	b.also("    memory of these vectors", float64(index.Bytes())/1e6, megabytes)
	return nil
}

// searches are from a rare word to one that most descriptions have.
var searches = []struct{ name, query string }{
	{"a code", "BR PC 004711"},
	{"three words", "ponte mercado alagado"},
	{"a phrase", `"ponte do mercado"`},
	{"one frequent word", "ofício"},
	{"a word that most have", "ponte"},
	{"words that nothing has", "xilindró inexistente"},
}

func (b *bench) searchWords(ctx context.Context) error {
	const database = "bench_search"
	c := b.size.bulk()
	if err := b.stage(ctx, c); err != nil {
		return err
	}
	if _, err := b.transferOnce(ctx, database, c.records); err != nil {
		return err
	}
	p, err := b.open(ctx, database)
	if err != nil {
		return err
	}
	defer p.close()
	begin := time.Now()
	for {
		n, err := p.store.IndexWaiting(ctx, 1000)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	took := time.Since(begin)
	size := thousands(int64(c.records)) + " descriptions"
	b.also("reading the words of "+size+", behind their transfer", float64(c.records)/took.Seconds(), perSecond)
	if err := b.exec(ctx, database, "VACUUM ANALYZE document_search"); err != nil {
		return err
	}
	web, err := b.serve(ctx, p)
	if err != nil {
		return err
	}
	defer web.close()
	for _, s := range searches {
		v, err := web.visit(ctx, b.size.filtered, false, "/search?q="+url.QueryEscape(s.query))
		if err != nil {
			return err
		}
		b.answered("GET /search by words, "+size+", "+s.name, v, searchBudget)
	}
	return b.drop(ctx, database)
}
