package token

import (
	"unicode"
	"unicode/utf8"
)

// MaxSentence is the number of tokens after which a sentence is cut:
// the longest of the training corpora that is no list has fewer.
const MaxSentence = 160

// SentenceEnd returns the end (exclusive) of the sentence that begins at token i.
func SentenceEnd(text string, tokens []Token, i int) int {
	limit := min(len(tokens), i+MaxSentence)
	for k := i + 1; k < limit; k++ {
		if breaksBefore(text, tokens, k) {
			return k
		}
	}
	return limit
}

func breaksBefore(text string, tokens []Token, k int) bool {
	prev := text[tokens[k-1].Start:tokens[k-1].End]
	next, _ := utf8.DecodeRuneInString(text[tokens[k].Start:])
	if tokens[k].Break {
		// A wrapped line goes on in small letters or after a short small word ("de").
		small, _ := utf8.DecodeRuneInString(prev)
		return !unicode.IsLower(next) && (len(prev) > 3 || !unicode.IsLower(small))
	}
	switch prev {
	case ".", "...":
		return !unicode.IsLower(next) && (unicode.IsLetter(next) || unicode.IsDigit(next)) && !afterShort(text, tokens, k)
	case "!", "?":
		return unicode.IsUpper(next)
	}
	return false
}

// afterShort says whether the full stop before token k follows an abbreviation
// or an initial that was written apart from it ("Des .", "J ."), as corpora do.
func afterShort(text string, tokens []Token, k int) bool {
	if k < 2 || tokens[k-2].End == tokens[k-1].Start {
		return false
	}
	return abbreviates(text[tokens[k-2].Start:tokens[k-2].End])
}
