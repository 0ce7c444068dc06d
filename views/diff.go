package views

import (
	"slices"
	"unicode"
)

// Difference is a change of a text, down to the words that differ, with some of what stands around them.
type Difference struct{ Lead, Gone, Come, Tail string }

// around is how much of the unchanged text is shown on each side.
const around = 60

// Differ finds what a change took out and put in, in whole words.
func Differ(before, after string) Difference {
	a, b := []rune(before), []rune(after)
	lead := 0
	for lead < len(a) && lead < len(b) && a[lead] == b[lead] {
		lead++
	}
	tail := 0
	for tail < len(a)-lead && tail < len(b)-lead && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	if lead < len(a) || lead < len(b) {
		for lead > 0 && !unicode.IsSpace(a[lead-1]) {
			lead--
		}
		for tail > 0 && !wordEnds(a, b, lead, tail) {
			tail--
		}
	}
	return Difference{
		Lead: last(a[:lead]), Gone: string(a[lead : len(a)-tail]), Come: string(b[lead : len(b)-tail]), Tail: first(a[len(a)-tail:]),
	}
}

// wordEnds says whether the unchanged tail begins between words, and something that can be seen is left before it: of a
// change of white space the next word is shown, too.
func wordEnds(a, b []rune, lead, tail int) bool {
	if unicode.IsSpace(a[len(a)-tail]) {
		return true
	}
	gone, come := a[lead:len(a)-tail], b[lead:len(b)-tail]
	return closed(gone) && closed(come) && (seen(gone) || seen(come))
}

func closed(r []rune) bool { return len(r) == 0 || unicode.IsSpace(r[len(r)-1]) }

func seen(r []rune) bool {
	return slices.ContainsFunc(r, func(c rune) bool { return !unicode.IsSpace(c) })
}

func last(r []rune) string {
	if len(r) > around {
		return "…" + string(r[len(r)-around:])
	}
	return string(r)
}

func first(r []rune) string {
	if len(r) > around {
		return string(r[:around]) + "…"
	}
	return string(r)
}
