package crf

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"
)

// Weights are a trained model: one row of small whole numbers a feature.
type Weights struct {
	Scale  float32 // what a weight of 1 is worth
	Trans  Transitions
	Common []string   // folded words that are seldom names
	IDs    []uint32   // features, rising
	Rows   [][16]int8 // weights by tag, the last three unused
	packed []packed   // the rows, for adding
	blocks []rankedOn // which features are in IDs, for finding rows
}

// rankedOn is a piece of a bit set with the number of bits before it.
type rankedOn struct {
	bits uint64
	rank uint32
}

// packed is a row with 128 added to each weight, so that all are positive: eight
// bytes to a word, added two words at a time in lanes of 16 bits.
type packed [2]uint64

const (
	lanes = 0x00ff00ff00ff00ff
	bias  = 128
	// most is how many rows fit into a lane: 257 times 255 is 65,535.
	most = 257
)

// Score adds up the rows of the features of one token.
func (w *Weights) Score(ids []uint32) Scores {
	var sum [16]int32
	for len(ids) > most {
		w.addRows(&sum, ids[:most])
		ids = ids[most:]
	}
	w.addRows(&sum, ids)
	var out Scores
	for k := range out {
		out[k] = float32(sum[k]) * w.Scale
	}
	return out
}

// addRows adds the rows of at most most features.
func (w *Weights) addRows(sum *[16]int32, ids []uint32) {
	var even, odd [2]uint64
	var n int32
	for _, id := range ids {
		b := &w.blocks[id>>6]
		bit := uint64(1) << (id & 63)
		if b.bits&bit == 0 {
			continue
		}
		row := &w.packed[int(b.rank)+bits.OnesCount64(b.bits&(bit-1))]
		even[0] += row[0] & lanes
		odd[0] += row[0] >> 8 & lanes
		even[1] += row[1] & lanes
		odd[1] += row[1] >> 8 & lanes
		n++
	}
	for k := range sum {
		lane := even[k/8]
		if k%2 == 1 {
			lane = odd[k/8]
		}
		sum[k] += int32(lane>>(k%8/2*16)&0xffff) - n*bias
	}
}

func pack(row *[16]int8) (p packed) {
	for k, v := range row {
		p[k/8] |= uint64(uint8(int(v)+bias)) << (k % 8 * 8)
	}
	return p
}

// Index makes Score ready; space is the number of possible features.
func (w *Weights) Index(space int) error {
	w.blocks = make([]rankedOn, (space+63)/64)
	for i, id := range w.IDs {
		if int(id) >= space || i > 0 && w.IDs[i-1] >= id {
			return errors.New("features are out of order or out of range")
		}
		w.blocks[id>>6].bits |= 1 << (id & 63)
	}
	w.packed = make([]packed, len(w.Rows))
	for i := range w.Rows {
		w.packed[i] = pack(&w.Rows[i])
	}
	rank := 0
	for i := range w.blocks {
		w.blocks[i].rank = uint32(rank)
		rank += bits.OnesCount64(w.blocks[i].bits)
	}
	return nil
}

// magic names the format and its version.
const magic = "scrinalia-tagger-2\n"

// Encode writes the weights in their compact form: deflated; features as
// differences, weights tag by tag.
func (w *Weights) Encode() ([]byte, error) {
	var out bytes.Buffer
	out.WriteString(magic)
	z, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	if _, err := z.Write(w.body()); err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("deflate: %w", err)
	}
	return out.Bytes(), nil
}

func (w *Weights) body() []byte {
	b := binary.LittleEndian.AppendUint32(nil, math.Float32bits(w.Scale))
	for p := range w.Trans {
		for _, v := range w.Trans[p] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	common := strings.Join(w.Common, "\n")
	b = binary.AppendUvarint(b, uint64(len(common)))
	b = append(b, common...)
	b = binary.AppendUvarint(b, uint64(len(w.IDs)))
	last := uint32(0)
	for _, id := range w.IDs {
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	for k := range NumTags {
		for i := range w.Rows {
			b = append(b, byte(w.Rows[i][k]))
		}
	}
	return b
}

// errFormat says that data are no weights of this version.
var errFormat = errors.New("not weights of this version of the tagger")

// Decode reads what Encode wrote. It does not index.
func Decode(data []byte) (*Weights, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, errFormat
	}
	body, err := io.ReadAll(flate.NewReader(bytes.NewReader(rest)))
	if err != nil {
		return nil, fmt.Errorf("inflate: %w", err)
	}
	return parse(&reader{body: body})
}

func parse(r *reader) (*Weights, error) {
	w := &Weights{Scale: r.float()}
	for p := range w.Trans {
		for k := range w.Trans[p] {
			w.Trans[p][k] = r.float()
		}
	}
	w.Common = strings.Fields(string(r.take(int(r.uvarint()))))
	n := int(r.uvarint())
	if r.failed || n > len(r.body) {
		return nil, errFormat
	}
	w.IDs = make([]uint32, n)
	last := uint32(0)
	for i := range w.IDs {
		last += uint32(r.uvarint())
		w.IDs[i] = last
	}
	w.Rows = make([][16]int8, n)
	for k := range NumTags {
		for i, v := range r.take(n) {
			w.Rows[i][k] = int8(v)
		}
	}
	if r.failed || len(r.body) != 0 {
		return nil, errFormat
	}
	return w, nil
}

// reader takes pieces off the front of body until one is missing.
type reader struct {
	body   []byte
	failed bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.body) {
		r.failed, r.body = true, nil
		return nil
	}
	out := r.body[:n]
	r.body = r.body[n:]
	return out
}

func (r *reader) float() float32 {
	b := r.take(4)
	if b == nil {
		return 0
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.body)
	if n <= 0 {
		r.failed, r.body = true, nil
		return 0
	}
	r.body = r.body[n:]
	return v
}
