package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"scrinalia/engine/tagger/internal/crf"
)

// settings of training. What main.go sets was found on lener-br-dev, archival-a
// and a held-out tenth of Paramopama.
type settings struct {
	epochs  int
	rate    float64 // AdaGrad's step
	l2      float64
	dropout float64 // share of a token's features left out at each visit
	least   int     // features seen less often than this are dropped
	keep    int     // features kept after pruning
	seed    uint64
	mix     mix
}

// example is a sentence ready for training.
type example struct {
	ids  []uint32
	ends []int32
	tags []uint8
}

// optimiser fits a chain by stochastic AdaGrad on the log-likelihood, one
// sentence at a time and in one goroutine: the same input gives the same weights.
type optimiser struct {
	set     settings
	weights []crf.Scores // by dense feature number
	squares []crf.Scores
	sums    []crf.Scores // of the weights after each of the later epochs
	summed  int
	trans   crf.Transitions
	transSq crf.Transitions
	transUp crf.Transitions
	lattice crf.Lattice
	emit    []crf.Scores
	active  []uint32 // features left in by dropout
	ends    []int32
	random  *rand.PCG
}

func newOptimiser(set settings, features int) *optimiser {
	return &optimiser{
		set: set, weights: make([]crf.Scores, features), squares: make([]crf.Scores, features),
		sums: make([]crf.Scores, features), random: rand.NewPCG(set.seed, 1),
	}
}

// train runs all epochs and leaves the average of the later half in weights and trans.
func (o *optimiser) train(log io.Writer, examples []example) {
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	shuffle := rand.New(rand.NewPCG(o.set.seed, 2))
	for epoch := range o.set.epochs {
		shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		loss := 0.0
		for _, i := range order {
			loss += o.step(&examples[i])
		}
		if epoch >= o.set.epochs/2 {
			o.sum()
		}
		fmt.Fprintf(log, "epoch %2d  loss %.0f\n", epoch+1, loss)
	}
	o.average()
}

func (o *optimiser) sum() {
	o.summed++
	for f := range o.weights {
		for k, v := range o.weights[f] {
			o.sums[f][k] += v
		}
	}
	for p := range o.trans {
		for k, v := range o.trans[p] {
			o.transUp[p][k] += v
		}
	}
}

func (o *optimiser) average() {
	n := float32(o.summed)
	for f := range o.weights {
		for k := range o.weights[f] {
			o.weights[f][k] = o.sums[f][k] / n
		}
	}
	for p := range o.trans {
		for k := range o.trans[p] {
			o.trans[p][k] = o.transUp[p][k] / n
		}
	}
}

// step moves the weights along the gradient of one sentence and returns its loss.
func (o *optimiser) step(e *example) float64 {
	o.score(e)
	o.lattice.SetTransitions(&o.trans)
	o.lattice.Run(o.emit)
	loss := o.lattice.LogZ
	prev := crf.Start
	from := int32(0)
	for i, tag := range e.tags {
		loss -= float64(o.emit[i][tag] + o.trans[prev][tag])
		var grad crf.Scores
		for k := range grad {
			grad[k] = float32(o.lattice.Forward[i][k] * o.lattice.Backward[i][k])
		}
		grad[tag]--
		o.update(o.active[from:o.ends[i]], &grad)
		from = o.ends[i]
		prev = int(tag)
	}
	o.updateTransitions(e.tags)
	return loss
}

// score fills emit, leaving out some features.
func (o *optimiser) score(e *example) {
	o.active, o.ends, o.emit = o.active[:0], o.ends[:0], o.emit[:0]
	limit := uint64(o.set.dropout * (1 << 16))
	from := int32(0)
	for _, to := range e.ends {
		var sum crf.Scores
		var bits uint64
		for n, id := range e.ids[from:to] {
			if n%4 == 0 {
				bits = o.random.Uint64()
			}
			if bits&0xffff < limit {
				bits >>= 16
				continue
			}
			bits >>= 16
			o.active = append(o.active, id)
			w := &o.weights[id]
			for k := range sum {
				sum[k] += w[k]
			}
		}
		scale := float32(1 / (1 - o.set.dropout))
		for k := range sum {
			sum[k] *= scale
		}
		o.emit = append(o.emit, sum)
		o.ends = append(o.ends, int32(len(o.active)))
		from = to
	}
}

// tiny is a gradient too small to move a weight by a quantisation step.
const tiny = 1e-4

func (o *optimiser) update(ids []uint32, grad *crf.Scores) {
	most := float32(0)
	for _, g := range grad {
		most = max(most, g, -g)
	}
	if most < tiny {
		return
	}
	rate, l2 := float32(o.set.rate), float32(o.set.l2)
	for _, id := range ids {
		w, q := &o.weights[id], &o.squares[id]
		for k := range w {
			g := grad[k] + l2*w[k]
			q[k] += g * g
			w[k] -= rate * g / (1e-3 + sqrt(q[k]))
		}
	}
}

func sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }

func (o *optimiser) updateTransitions(tags []uint8) {
	var grad crf.Transitions
	l := &o.lattice
	for k := range grad[crf.Start] {
		grad[crf.Start][k] = float32(l.Forward[0][k] * l.Backward[0][k])
	}
	grad[crf.Start][tags[0]]--
	for i := 1; i < len(tags); i++ {
		for p := range crf.NumTags {
			for k := range crf.NumTags {
				if l.Trans[p][k] == 0 {
					continue
				}
				grad[p][k] += float32(l.Forward[i-1][p] * l.Trans[p][k] * l.Emit[i][k] * l.Backward[i][k] / l.Scale[i])
			}
		}
		grad[tags[i-1]][tags[i]]--
	}
	for p := range grad {
		for k, g := range grad[p] {
			if crf.Allowed(p, k) {
				o.transSq[p][k] += g * g
				o.trans[p][k] -= float32(o.set.rate) * g / (1e-3 + sqrt(o.transSq[p][k]))
			}
		}
	}
}

// compact makes the model: the features with the largest weights, in whole numbers.
// names are the features' numbers in the hashed space.
func (o *optimiser) compact(names []uint32, common []string) *crf.Weights {
	w := &crf.Weights{Scale: quantum, Trans: o.trans, Common: common}
	for _, f := range o.largest(names) {
		w.IDs = append(w.IDs, names[f])
		var row [16]int8
		for k, v := range o.weights[f] {
			row[k] = int8(max(-127, min(127, math.RoundToEven(float64(v)/quantum))))
		}
		w.Rows = append(w.Rows, row)
	}
	return w
}

// largest returns the features to keep, in the order of their names.
func (o *optimiser) largest(names []uint32) []int {
	order := make([]int, len(names))
	size := make([]float32, len(names))
	for f := range names {
		order[f] = f
		for _, v := range o.weights[f] {
			size[f] = max(size[f], v, -v)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(names[a], names[b]))
	})
	order = order[:min(o.set.keep, len(order))]
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	return order
}

// quantum is what one step of a kept weight is worth. At 1/20 and 480,000 features
// the development scores were within half a point of those at 1/32 and 700,000, in
// two thirds of the bytes; 127 steps are more than nearly any weight reaches.
const quantum = 1.0 / 20
