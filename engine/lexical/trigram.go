package lexical

// Misspellings are met by character trigrams: Dice's coefficient of a word and
// a term, both padded by a blank. The limits were
// set on the -weak examples.
const (
	fuzzyLetters = 7   // shorter words have too few trigrams to be told apart
	fuzzyDice    = 0.7 // "relatrio" has 0.71 of "relatório", "carteiro" 0.63 of "canteiro"
)

type trigram [3]byte

type trigramIndex struct {
	words []string
	lists map[trigram][]int32
}

func newTrigramIndex(words []string) trigramIndex {
	x := trigramIndex{lists: map[trigram][]int32{}}
	for _, w := range words {
		if len(w) < fuzzyLetters {
			continue
		}
		id := int32(len(x.words))
		x.words = append(x.words, w)
		for _, t := range trigrams(w) {
			if l := x.lists[t]; len(l) == 0 || l[len(l)-1] != id {
				x.lists[t] = append(l, id)
			}
		}
	}
	return x
}

func trigrams(w string) []trigram {
	padded := " " + w + " "
	out := make([]trigram, 0, len(w))
	for i := 0; i+3 <= len(padded); i++ {
		out = append(out, trigram{padded[i], padded[i+1], padded[i+2]})
	}
	return out
}

// nearest is the word most like w, and how much; "" when none is near. Words
// that begin otherwise or differ in length by more than one letter are other
// words, not misspellings.
func (x *trigramIndex) nearest(w string) (string, float64) {
	if len(w) < fuzzyLetters-1 {
		return "", 0
	}
	counts := map[int32]int{}
	for _, t := range trigrams(w) {
		for _, id := range x.lists[t] {
			counts[id]++
		}
	}
	best, bestDice := "", fuzzyDice
	for id, n := range counts {
		v := x.words[id]
		d := len(v) - len(w)
		if v[0] != w[0] || d < -1 || d > 1 {
			continue
		}
		dice := float64(2*n) / float64(len(v)+len(w))
		if dice > bestDice || dice == bestDice && (best == "" || v < best) {
			best, bestDice = v, dice
		}
	}
	if best == "" {
		return "", 0
	}
	return best, bestDice
}
