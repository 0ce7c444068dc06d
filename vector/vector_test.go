package vector_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"scrinalia/vector"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// kept is where the vectors of a test are kept.
type kept map[int64][]float32

func (s kept) fetch(_ context.Context, ids []int64) (map[int64][]float32, error) {
	out := map[int64][]float32{}
	for _, id := range ids {
		if v, ok := s[id]; ok {
			out[id] = v
		}
	}
	return out, nil
}

// naive compares the query with every vector.
func (s kept) naive(query []float32, k int) []vector.Hit {
	var hits []vector.Hit
	for id, v := range s {
		var product, a, b float64
		for i := range v {
			product += float64(v[i]) * float64(query[i])
			a += float64(v[i]) * float64(v[i])
			b += float64(query[i]) * float64(query[i])
		}
		hits = append(hits, vector.Hit{ID: id, Score: product / math.Sqrt(a) / math.Sqrt(b)})
	}
	slices.SortFunc(hits, func(a, b vector.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return hits[:min(k, len(hits))]
}

func fill(t testing.TB, vectors kept) *vector.Index {
	t.Helper()
	x := new(vector.Index)
	for _, id := range slices.Sorted(keys(vectors)) {
		if err := x.Put(id, vectors[id]); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func keys(s kept) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		for id := range s {
			if !yield(id) {
				return
			}
		}
	}
}

// shapes are the ways in which real vectors are hard: they fill the room evenly, crowd in one direction, have few large values, or differ in length.
var shapes = map[string]func(r *rand.Rand, v []float32){
	"even": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
	},
	"crowded": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = 1 + 0.02*float32(r.NormFloat64())
		}
	},
	"sparse": func(r *rand.Rand, v []float32) {
		for range 5 {
			v[r.IntN(len(v))] = float32(r.NormFloat64())
		}
		v[0] += 0.001
	},
	"long and short": func(r *rand.Rand, v []float32) {
		length := float32(math.Pow(10, 6*r.Float64()-3))
		for i := range v {
			v[i] = length * float32(r.NormFloat64())
		}
	},
	"one side": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = -r.Float32() - 1e-6
		}
	},
}

// TestSearchIsExact compares with the naive search in float64, while vectors come, change and go.
func TestSearchIsExact(t *testing.T) {
	t.Parallel()
	for name, draw := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(12) {
				r := rand.New(rand.NewPCG(seed, 7))
				dimensions := 1 + r.IntN(70)
				if seed == 0 {
					dimensions = 384
				}
				one := func() []float32 {
					v := make([]float32, dimensions)
					for v[0] == 0 { // none is zero
						draw(r, v)
					}
					return v
				}
				vectors := kept{}
				for range 1 + r.IntN(6000) {
					vectors[r.Int64N(1e6)] = one()
				}
				x := fill(t, vectors)
				ids := slices.Sorted(keys(vectors))
				for _, id := range ids[:len(ids)/3] { // some go, one that the index is not told of, and some change
					switch r.IntN(3) {
					case 0:
						delete(vectors, id)
						x.Remove(id)
					case 1:
						delete(vectors, id)
					case 2:
						vectors[id] = one()
						if err := x.Put(id, vectors[id]); err != nil {
							t.Fatal(err)
						}
					}
				}
				for range 5 {
					query, k := one(), 1+r.IntN(40)
					got, err := x.Search(t.Context(), query, k, vectors.fetch)
					if err != nil {
						t.Fatal(err)
					}
					if diff := gocmp.Diff(vectors.naive(query, k), got.Hits, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateEmpty()); diff != "" {
						t.Fatalf("seed %d, %d of %d vectors of %d values: -want +got:\n%s", seed, k, len(vectors), dimensions, diff)
					}
				}
			}
		})
	}
}

// TestSameVectors: equally near ones come by id, however many there are.
func TestSameVectors(t *testing.T) {
	t.Parallel()
	vectors := kept{}
	for id := range int64(5000) {
		vectors[id] = []float32{1, 2, 3}
	}
	x := fill(t, vectors)
	got, err := x.Search(t.Context(), []float32{3, 2, 1}, 4, vectors.fetch)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(vectors.naive([]float32{3, 2, 1}, 4), got.Hits, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if math.Abs(got.Mean-got.Hits[0].Score) > 0.02 || got.Deviation > 0.001 {
		t.Errorf("mean %v, deviation %v of equal vectors that score %v", got.Mean, got.Deviation, got.Hits[0].Score)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	x := fill(t, kept{1: {1, 0}})
	for name, tt := range map[string]struct {
		give []float32
		want error
	}{
		"none": {nil, vector.ErrLength}, "short": {[]float32{1}, vector.ErrLength}, "long": {[]float32{1, 2, 3}, vector.ErrLength}, "zero": {[]float32{0, 0}, vector.ErrDirection},
		"no number": {[]float32{nan, 1}, vector.ErrDirection}, "infinite": {[]float32{1, inf}, vector.ErrDirection},
	} {
		if err := x.Put(2, tt.give); !errors.Is(err, tt.want) {
			t.Errorf("%s: Put says %v, want %v", name, err, tt.want)
		}
		if _, err := x.Search(t.Context(), tt.give, 1, kept{}.fetch); !errors.Is(err, tt.want) {
			t.Errorf("%s: Search says %v, want %v", name, err, tt.want)
		}
	}
	away := errors.New("away")
	if _, err := x.Search(t.Context(), []float32{1, 1}, 1, func(context.Context, []int64) (map[int64][]float32, error) { return nil, away }); !errors.Is(err, away) {
		t.Errorf("a fetch that fails: %v", err)
	}
	if got, err := fill(t, nil).Search(t.Context(), []float32{1, 1}, 1, kept{}.fetch); err != nil || len(got.Hits) > 0 {
		t.Errorf("an empty index: %v, %v", got, err)
	}
}

// TestRoom: removed vectors give their memory back.
func TestRoom(t *testing.T) {
	t.Parallel()
	vectors := kept{}
	for id := range int64(10_000) {
		vectors[id] = []float32{float32(id) + 1, 1}
	}
	x := fill(t, vectors)
	before := x.Bytes()
	for id := range int64(9_999) {
		x.Remove(id)
	}
	if x.Len() != 1 || x.Bytes() > before/2 {
		t.Errorf("%d vectors in %d bytes, %d before", x.Len(), x.Bytes(), before)
	}
	got, err := x.Search(t.Context(), []float32{1, 0}, 5, vectors.fetch)
	if err != nil || len(got.Hits) != 1 || got.Hits[0].ID != 9_999 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestTogether searches while vectors come and go.
func TestTogether(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	vectors := kept{}
	for id := range int64(3000) {
		v := make([]float32, 16)
		shapes["even"](r, v)
		vectors[id] = v
	}
	x := fill(t, vectors)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for id := range int64(1000) {
			x.Remove(id)
			if err := x.Put(id, vectors[id]); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 50 {
		if got, err := x.Search(t.Context(), vectors[2500], 3, vectors.fetch); err != nil || got.Hits[0].ID != 2500 {
			t.Errorf("%v, %v", got, err)
		}
	}
	<-done
}

func BenchmarkSearch(b *testing.B) {
	const count, dimensions = 100_000, 384
	r := rand.New(rand.NewPCG(1, 2))
	x := new(vector.Index)
	vectors := kept{}
	for id := range int64(count) {
		v := make([]float32, dimensions)
		shapes["even"](r, v)
		vectors[id] = v
		if err := x.Put(id, v); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := x.Search(b.Context(), vectors[r.Int64N(count)], 200, vectors.fetch); err != nil {
			b.Fatal(err)
		}
	}
}
