package pairs

import (
	"fmt"
	"hash/crc32"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Alphabet has the characters that words are made of, each with its lower case; all others separate words. Which they are depends on the locale of
// the database.
type Alphabet map[rune]string

// Learn adds a character to the alphabet from what the database's show_trgm says of it alone. Lower cases are tried in turn until one gives the
// same trigrams, so that a wrong guess is an error and no wrong pair.
func (a Alphabet) Learn(r rune, shown []string, lower ...string) error {
	if len(shown) == 0 {
		return nil
	}
	want := make([]uint32, len(shown))
	for i, s := range shown {
		trigram, err := readTrigram(s)
		if err != nil {
			return err
		}
		want[i] = trigram
	}
	slices.Sort(want)
	for _, l := range append(lower, string(r)) {
		if slices.Equal(Alphabet{r: l}.Trigrams(string(r)), want) {
			a[r] = l
			return nil
		}
	}
	return fmt.Errorf("pg_trgm reads the character %q in a way that is not known here: %q", r, shown)
}

// readTrigram reads a trigram as show_trgm shows it: three ASCII characters, or 0x and six digits.
func readTrigram(s string) (uint32, error) {
	if len(s) == 3 {
		return uint32(s[0])<<16 | uint32(s[1])<<8 | uint32(s[2]), nil
	}
	n, err := strconv.ParseUint(s, 0, 24)
	if err != nil {
		return 0, fmt.Errorf("show_trgm gave %q: %w", s, err)
	}
	return uint32(n), nil
}

// Trigrams returns the set of trigrams of a name, sorted: the very numbers that pg_trgm compares, which are three bytes, or a checksum of that
// size where characters take more.
func (a Alphabet) Trigrams(name string) []uint32 {
	trigrams := make([]uint32, 0, len(name)+4)
	var buffer [128]byte
	word := append(buffer[:0], "  "...)
	for _, r := range name {
		if lower, ok := a[r]; ok {
			word = append(word, lower...)
			continue
		}
		trigrams = addWord(trigrams, word)
		word = word[:2]
	}
	trigrams = addWord(trigrams, word)
	slices.Sort(trigrams)
	return slices.Compact(trigrams)
}

// addWord adds the trigrams of a word that has its two blanks before it.
func addWord(trigrams []uint32, word []byte) []uint32 {
	if len(word) == 2 {
		return trigrams
	}
	word = append(word, ' ')
	var start [3]int // of the characters of the trigram that ends before i
	for i, n := 0, 0; i < len(word); n++ {
		size := 1
		if word[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRune(word[i:])
		}
		start[0], start[1], start[2] = start[1], start[2], i
		i += size
		if n >= 2 {
			trigrams = append(trigrams, trigram(word[start[0]:i]))
		}
	}
	return trigrams
}

func trigram(characters []byte) uint32 {
	if len(characters) == 3 {
		return uint32(characters[0])<<16 | uint32(characters[1])<<8 | uint32(characters[2])
	}
	sum := ^uint32(0)
	for _, c := range characters { // PostgreSQL's "legacy" checksum runs the reflected table the other way round
		sum = crc32.IEEETable[byte(sum>>24)^c] ^ sum<<8
	}
	sum = ^sum
	return sum&0xff<<16 | sum&0xff00 | sum>>16&0xff // the lower three bytes, as they lie in a little-endian memory
}

// Sets returns the trigrams of each name, with all processors.
func (a Alphabet) Sets(names []string) [][]uint32 {
	sets := make([][]uint32, len(names))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for begin := int(next.Add(chunk)) - chunk; begin < len(names); begin = int(next.Add(chunk)) - chunk {
				for i := begin; i < min(begin+chunk, len(names)); i++ {
					sets[i] = a.Trigrams(names[i])
				}
			}
		})
	}
	all.Wait()
	return sets
}
