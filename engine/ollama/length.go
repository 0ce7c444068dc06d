package ollama

import (
	"unicode"
	"unicode/utf8"
)

// The number of tokens of a text is only known to the model. These are counted on the safe side: a word of a language written with
// spaces has a token for every three letters begun, any other sign has one of its own.
const lettersPerToken = 3

// longestToken is the mean length in bytes that no tokenizer reaches over ordinary text: when fewer tokens were read than
// bytes/longestToken, some of the text was not read.
const longestToken = 10

func estimate(text string) int {
	_, n := scan(text, -1)
	return n
}

// fit cuts text, before a word if it can, to what should be at most limit tokens.
func fit(text string, limit int) (head string, cut bool) {
	end, _ := scan(text, max(limit, 0))
	if end == len(text) {
		return text, false
	}
	return trimWord(text, end), true
}

// half is the first half of the text, for a server that says that it is still too long.
func half(text string) string {
	end := len(text) / 2
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return trimWord(text, end)
}

// trimWord cuts at end, moved back to the last white space if that is near.
func trimWord(text string, end int) string {
	const near = 40 // bytes
	for i := end; i > max(0, end-near); i-- {
		if i < len(text) && text[i] == ' ' {
			return text[:i]
		}
	}
	return text[:end]
}

// scan counts tokens and returns where the text has to end to have at most limit of them; a negative limit is none.
func scan(text string, limit int) (end, tokens int) {
	letters := 0
	for i, r := range text {
		n := 1
		switch {
		case unicode.IsSpace(r):
			n, letters = 0, 0
		case unicode.IsLetter(r) && r < 0x1000: // alphabets; beyond are scripts without spaces between words
			if letters%lettersPerToken != 0 {
				n = 0
			}
			letters++
		default:
			letters = 0
		}
		if limit >= 0 && tokens+n > limit {
			return i, tokens
		}
		tokens += n
	}
	return len(text), tokens
}
