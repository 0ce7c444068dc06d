package crf_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/engine/tagger/internal/crf"
)

// sentence returns random scores; few enough words that all sequences can be tried.
func sentence(r *rand.Rand, n int) ([]crf.Scores, *crf.Transitions) {
	emit, t := make([]crf.Scores, n), &crf.Transitions{}
	for i := range emit {
		for k := range emit[i] {
			emit[i][k] = float32(r.NormFloat64())
		}
	}
	for p := range t {
		for k := range t[p] {
			t[p][k] = float32(r.NormFloat64())
		}
	}
	return emit, t
}

// closed says whether a sequence may end with tag.
func closed(tag int) bool { return crf.Allowed(tag, crf.O) }

// every calls f with each allowed sequence and its score.
func every(emit []crf.Scores, t *crf.Transitions, f func(tags []uint8, score float64)) {
	tags := make([]uint8, len(emit))
	var walk func(i, prev int, score float64)
	walk = func(i, prev int, score float64) {
		if i == len(emit) {
			if closed(prev) {
				f(tags, score)
			}
			return
		}
		for k := range crf.NumTags {
			if crf.Allowed(prev, k) {
				tags[i] = uint8(k)
				walk(i+1, k, score+float64(t[prev][k]+emit[i][k]))
			}
		}
	}
	walk(0, crf.Start, 0)
}

func TestAgainstAllSequences(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	for range 20 {
		emit, trans := sentence(r, 1+r.IntN(4))
		best, sum := math.Inf(-1), 0.0
		want := make([]uint8, len(emit))
		every(emit, trans, func(tags []uint8, score float64) {
			sum += math.Exp(score)
			if score > best {
				best = score
				copy(want, tags)
			}
		})
		got := make([]uint8, len(emit))
		crf.Viterbi(got, emit, trans, nil)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		var l crf.Lattice
		l.SetTransitions(trans)
		l.Run(emit)
		if math.Abs(l.LogZ-math.Log(sum)) > 1e-4 {
			t.Errorf("LogZ = %v, want %v", l.LogZ, math.Log(sum))
		}
		checkSpans(t, &l, emit, trans, sum)
	}
}

func checkSpans(t *testing.T, l *crf.Lattice, emit []crf.Scores, trans *crf.Transitions, sum float64) {
	t.Helper()
	for from := range emit {
		for to := from + 1; to <= len(emit); to++ {
			for kind := range crf.Types {
				want := 0.0
				every(emit, trans, func(tags []uint8, score float64) {
					k, end := crf.Entity(tags, from)
					starts := from == 0 || closed(int(tags[from-1]))
					if starts && end == to && k == kind {
						want += math.Exp(score) / sum
					}
				})
				if got := l.Span(from, to, kind); math.Abs(got-want) > 1e-4 {
					t.Errorf("Span(%d, %d, %d) = %v, want %v", from, to, kind, got, want)
				}
			}
		}
	}
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	w := &crf.Weights{Scale: 0.5, Common: []string{"ata", "foto"}, IDs: []uint32{3, 64, 1000}, Rows: make([][16]int8, 3)}
	w.Rows[1][2], w.Rows[2][12], w.Trans[0][1] = -7, 127, 1.5
	data, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := crf.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, got, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".blocks" || p.Last().String() == ".packed" }, cmp.Ignore())); d != "" {
		t.Error(d)
	}
	if err := got.Index(1024); err != nil {
		t.Fatal(err)
	}
	if s := got.Score([]uint32{2, 64, 65, 1000}); s[2] != -3.5 || s[12] != 63.5 {
		t.Errorf("Score = %v", s)
	}
	if err := got.Index(512); err == nil {
		t.Error("a feature out of range is no error")
	}
	for n := range data {
		if _, err := crf.Decode(data[:n]); err == nil {
			t.Fatalf("the first %d bytes are no error", n)
		}
	}
}
