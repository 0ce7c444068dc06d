package pairs

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Threshold is the least similarity of a pair, a decimal fraction above 0 and up to 1.
type Threshold struct {
	numerator, denominator uint64
	decimal                string
}

// maxDigits is how many digits behind the point tell one float64 below 1 from another, as people type them.
const maxDigits = 15

var errThreshold = errors.New("a similarity threshold is above 0 and at most 1")

// NewThreshold is the decimal that v was typed as: 0.9 is nine tenths, not the binary fraction next to it.
func NewThreshold(v float64) (Threshold, error) {
	if math.IsNaN(v) || v <= 0 || v > 1 {
		return Threshold{}, errThreshold
	}
	decimal := strconv.FormatFloat(v, 'f', -1, 64)
	if len(decimal) > len("0.")+maxDigits {
		decimal = strings.TrimRight(strconv.FormatFloat(v, 'f', maxDigits, 64), "0")
	}
	whole, fraction, _ := strings.Cut(decimal, ".")
	numerator, err := strconv.ParseUint(whole+fraction, 10, 64)
	if err != nil || numerator == 0 {
		return Threshold{}, errThreshold
	}
	denominator := uint64(1)
	for range fraction {
		denominator *= 10
	}
	return Threshold{numerator, denominator, strings.TrimSuffix(decimal, ".")}, nil
}

// String is the threshold as a decimal, such as 0.9.
func (t Threshold) String() string { return t.decimal }

// Fraction is the threshold as a fraction of whole numbers.
func (t Threshold) Fraction() (numerator, denominator int64) {
	return int64(t.numerator), int64(t.denominator)
}

// Reached says whether a pair that has so many trigrams together and shares so many of them is similar enough.
func (t Threshold) Reached(shared, total int) bool { return total > 0 && shared >= t.least(total) }

// least is how many trigrams a pair with so many in total must share.
func (t Threshold) least(total int) int { return ceil(t.numerator, total, t.denominator) }

// overlap is how many trigrams two sets with so many members, added up, must share.
func (t Threshold) overlap(sum int) int { return ceil(t.numerator, sum, t.numerator+t.denominator) }

// ceil is numerator * n / denominator, rounded up; numerator is not above denominator.
func ceil(numerator uint64, n int, denominator uint64) int {
	high, low := bits.Mul64(numerator, uint64(n))
	low, carry := bits.Add64(low, denominator-1, 0)
	quotient, _ := bits.Div64(high+carry, low, denominator)
	return int(quotient)
}
