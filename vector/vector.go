// Package vector finds the exact nearest neighbours of a vector among all those of one model, held in memory at a byte a
// dimension. A first pass over the bytes bounds how near every vector can be; what may be among the nearest is then compared
// with the vectors themselves, which the caller brings from where they are kept. docs/adr/0003-search.md says why.
//
// It knows numbers and ids, nothing of descriptions, engines or databases, and imports the standard library only.
package vector

import (
	"errors"
	"math"
	"sync"
)

// Index holds the vectors of one model, which all have the length of the first one. The zero value is empty and ready. It is safe for
// concurrent use.
type Index struct {
	dimensions int // 0 as long as there was none
	stride     int // bytes of one vector: dimensions, filled up to whole words

	mu     sync.RWMutex
	blocks []*block
	at     map[int64]int // the slot of each id
}

// blockSize is how many vectors are allocated, and looked through, at once.
const blockSize = 1 << 12

// block holds vectors in slots: the bytes of one after the other, and what is needed to tell how far they are off.
type block struct {
	codes []byte
	scale [blockSize]float32 // what one step of a code stands for
	off   [blockSize]float32 // the length of what the codes left out
	sum   [blockSize]int32   // of the codes
	ids   [blockSize]int64
}

// ErrLength says that a vector has another length than those of the index.
var ErrLength = errors.New("the vector has another length than those of the index, or one that no vector can have")

// ErrDirection says that a vector points nowhere: it is zero, or holds what is no number.
var ErrDirection = errors.New("the vector has no direction")

// Len is how many vectors there are.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.at)
}

// Bytes is about how much memory the index takes.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	const ofSlot, ofEntry = 4 + 4 + 4 + 8, 40 // an entry of the map
	return int64(len(x.blocks))*blockSize*int64(x.stride+ofSlot) + int64(len(x.at))*ofEntry
}

// Put adds the vector of an id, or replaces it. Only its direction counts.
func (x *Index) Put(id int64, v []float32) error {
	unit, err := direction(v)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.dimensions == 0 {
		x.dimensions, x.stride, x.at = len(v), (len(v)+7)/8*8, map[int64]int{}
	}
	if len(v) != x.dimensions {
		return ErrLength
	}
	slot, known := x.at[id]
	if !known {
		slot = len(x.at)
		if slot == len(x.blocks)*blockSize {
			x.blocks = append(x.blocks, &block{codes: make([]byte, blockSize*x.stride)})
		}
		x.at[id] = slot
	}
	b, i := x.blocks[slot/blockSize], slot%blockSize
	b.ids[i] = id
	b.scale[i], b.off[i], b.sum[i] = encode(b.codes[i*x.stride:][:x.dimensions], unit)
	return nil
}

// Remove forgets ids. One that is not there is no mistake.
func (x *Index) Remove(ids ...int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		slot, known := x.at[id]
		if !known {
			continue
		}
		delete(x.at, id)
		if last := len(x.at); slot != last { // the last one takes the free slot
			x.move(last, slot)
		}
		if keep := (len(x.at) + blockSize - 1) / blockSize; keep < len(x.blocks) {
			x.blocks[keep] = nil
			x.blocks = x.blocks[:keep]
		}
	}
}

func (x *Index) move(from, to int) {
	a, i := x.blocks[from/blockSize], from%blockSize
	b, j := x.blocks[to/blockSize], to%blockSize
	copy(b.codes[j*x.stride:][:x.stride], a.codes[i*x.stride:][:x.stride])
	b.scale[j], b.off[j], b.sum[j], b.ids[j] = a.scale[i], a.off[i], a.sum[i], a.ids[i]
	x.at[b.ids[j]] = to
}

// longest is how many values a vector may have: the sums of their codes fit into 32 bits.
const longest = 1 << 14

// direction is v at length 1.
func direction(v []float32) ([]float64, error) {
	if len(v) == 0 || len(v) > longest {
		return nil, ErrLength
	}
	unit := make([]float64, len(v))
	squares := 0.0
	for i, a := range v {
		unit[i] = float64(a)
		squares += unit[i] * unit[i]
	}
	length := math.Sqrt(squares)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, ErrDirection
	}
	for i := range unit {
		unit[i] /= length
	}
	return unit, nil
}

// zero is the code of 0, levels how many steps there are on each side of it.
const (
	zero   = 128
	levels = 127
)

// encode writes a vector as bytes and returns what one step stands for, how long that which was left out is, and the sum of the bytes.
func encode(codes []byte, unit []float64) (scale, off float32, sum int32) {
	most := 0.0
	for _, a := range unit {
		most = max(most, math.Abs(a))
	}
	scale = float32(most / levels)
	squares := 0.0
	for i, a := range unit {
		n := min(max(math.Round(a/float64(scale)), -levels), levels)
		codes[i] = byte(int(n) + zero)
		sum += int32(codes[i])
		left := a - n*float64(scale)
		squares += left * left
	}
	return scale, float32(math.Sqrt(squares)), sum
}
