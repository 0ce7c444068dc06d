package lexical

import (
	"math"
	"strings"
	"sync"
)

// Dimensions is the length of every vector.
const Dimensions = 384

// EmbeddingModel names the space the vectors live in. It changes whenever a
// vector would, so that vectors of two versions are never compared; the golden
// test fails until it does.
const EmbeddingModel = "lexical-384-v1"

// What each kind of feature adds to a vector. The squares of a word's own
// features sum to about 2.4. The figures were chosen on the -a searches.
const (
	weightStem   = 1.0  // the word without its inflection
	weightGroup  = 1.0  // the group of words that mean the same
	weightGrams  = 0.65 // all character n-grams of the word together
	weightPair   = 0.35 // two words in a row
	shortestGram = 3
	longestGram  = 4
)

// Weights are kept as integers until a vector is normalised, so that sums do
// not depend on their order or on fused multiply-add.
const (
	weightOne    = 1 << 16
	frequencyOne = 1 << 8
)

const (
	embedWords  = 1 << 15 // words read of one text; longer texts say nothing new
	cachedWords = 1 << 14 // words whose features are kept between texts
)

// Seeds keep features of different kinds apart.
const (
	seedStem uint64 = iota + 1
	seedGroup
	seedGram
	seedPair
)

// Embedder turns texts into vectors of hashed words, word pairs, groups of
// synonyms and character n-grams. Texts that share words, in any inflection,
// case or accentuation, are near. It may be used from many goroutines at once.
type Embedder struct{ pool sync.Pool }

// NewEmbedder returns an Embedder.
func NewEmbedder() *Embedder {
	return &Embedder{pool: sync.Pool{New: func() any { return newAccumulator(vocabularyOnce()) }}}
}

// Embed returns a unit vector of Dimensions numbers for each text, the same on
// every machine; nil for a text without words.
func (e *Embedder) Embed(texts []string) [][]float32 {
	a := e.pool.Get().(*accumulator)
	defer e.pool.Put(a)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = a.embed(text)
	}
	return out
}

// slot is one of the places of a vector that a word adds to.
type slot struct {
	at     int32
	weight int32 // of weightOne
}

// features are what a word adds to a vector.
type features struct {
	slots  []slot
	stem   uint64  // hash
	weight float64 // 0..1, little for words that are everywhere
	seen   int     // in the text at hand
}

// accumulator is the scratch of one goroutine.
type accumulator struct {
	vocabulary *vocabulary
	cache      map[string]*features
	touched    []*features
	pairs      map[uint64]pair
	sum        [Dimensions]int64
}

type pair struct {
	weight float64
	seen   int
}

func newAccumulator(v *vocabulary) *accumulator {
	return &accumulator{vocabulary: v, cache: map[string]*features{}, pairs: map[uint64]pair{}}
}

func (a *accumulator) embed(text string) []float32 {
	a.read(text)
	if len(a.touched) == 0 {
		return nil
	}
	clear(a.sum[:])
	for _, f := range a.touched {
		n := frequency(f.seen)
		for _, s := range f.slots {
			a.sum[s.at] += int64(s.weight) * n
		}
	}
	for h, p := range a.pairs {
		s := place(h, weightPair*p.weight)
		a.sum[s.at] += int64(s.weight) * frequency(p.seen)
	}
	return normalize(&a.sum)
}

// read counts the words of text and the pairs of those that say something.
func (a *accumulator) read(text string) {
	for _, f := range a.touched {
		f.seen = 0
	}
	a.touched = a.touched[:0]
	clear(a.pairs)
	if len(a.cache) > cachedWords {
		clear(a.cache)
	}
	var previous *features
	for w := range words(text, embedWords) {
		f := a.cache[w]
		if f == nil {
			f = a.vocabulary.features(w)
			a.cache[strings.Clone(w)] = f
		}
		if f.seen == 0 {
			a.touched = append(a.touched, f)
		}
		f.seen++
		if f.weight < weightPairs {
			continue
		}
		if previous != nil {
			h := mix(previous.stem*31 + f.stem + seedPair)
			p := a.pairs[h]
			a.pairs[h] = pair{weight: min(previous.weight, f.weight), seen: p.seen + 1}
		}
		previous = f
	}
}

// frequency is the sub-linear weight of a word that stands n times in a text.
// A square root is exact everywhere, a logarithm is not.
func frequency(n int) int64 { return int64(math.Sqrt(float64(n)) * frequencyOne) }

// place hashes a feature to its place and sign. More places a feature did
// worse on the -a searches: 384 fill up.
func place(h uint64, weight float64) slot {
	s := slot{at: int32(h % Dimensions), weight: int32(weight * weightOne)}
	if h>>63 == 1 {
		s.weight = -s.weight
	}
	return s
}

func normalize(sum *[Dimensions]int64) []float32 {
	total := 0.0
	for _, v := range sum {
		x := float64(v)
		total += float64(x * x) // the conversion keeps it from being fused
	}
	if total == 0 {
		return nil
	}
	norm := math.Sqrt(total)
	out := make([]float32, Dimensions)
	for i, v := range sum {
		out[i] = float32(float64(v) / norm)
	}
	return out
}

// hash is FNV-1a, begun from a seed.
func hash(seed uint64, s string) uint64 {
	h := 14695981039346656037 ^ seed*0x9e3779b97f4a7c15
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mix(h)
}

// mix is the finaliser of splitmix64: every bit of h reaches every bit.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
