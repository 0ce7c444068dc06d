package titles

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"scrinalia/engine/lexical"
)

// scripts finds words whose letters are of two alphabets that look alike.
func scripts(t text) clue {
	for _, w := range t.words {
		latin := count(w.text, func(r rune) bool { return unicode.Is(unicode.Latin, r) && r != 'ª' && r != 'º' })
		other := count(w.text, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) })
		if latin > 0 && other > 0 {
			return clue{Scripts, 0.95}
		}
	}
	return clue{}
}

// dates are numbers that say something by themselves: years, spans of years, days.
var dates = regexp.MustCompile(`^\W*(?:1[0-9]{3}|20[0-9]{2})(?:\W{1,3}(?:1[0-9]{3}|20[0-9]{2}|[0-9]{2}))?\W*$|^\W*[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4}\W*$|^[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?$`)

func noWords(t text) clue {
	switch {
	case count(t.title, isLetter) > 0 || dates.MatchString(t.title):
		return clue{}
	case count(t.title, unicode.IsDigit) == 0:
		return clue{NoWords, 0.95}
	}
	return clue{NoWords, 0.75}
}

// letters finds the same letter four times in a row. Roman numerals may have that.
func letters(t text) clue {
	for _, w := range t.words {
		run, last := 0, rune(0)
		for _, r := range w.text {
			if r != last || !unicode.IsLetter(r) {
				run, last = 0, r
			}
			if run++; run >= 4 && unicode.IsLetter(r) {
				if strings.Trim(w.text, "IVXLCDM") == "" {
					return clue{}
				}
				return clue{Letters, 0.9}
			}
		}
	}
	return clue{}
}

var keys = []string{"qwertyuiop", "asdfghjklç", "zxcvbnm", "abcdefghijklmnopqrstuvwxyz"}

// keyRun is the longest part of a word that runs along a row of keys, or along the alphabet.
func keyRun(w string) int {
	letters := []rune(strings.ToLower(w))
	longest := 0
	for _, row := range keys {
		at := func(r rune) int { return slices.Index([]rune(row), r) }
		for _, step := range []int{1, -1} {
			run := 1
			for i := 1; i < len(letters); i++ {
				if a, b := at(letters[i-1]), at(letters[i]); a >= 0 && b >= 0 && b-a == step {
					run++
				} else {
					run = 1
				}
				longest = max(longest, run)
			}
		}
	}
	return longest
}

// longestWord is the longest word, in letters, that keyboard looks at.
const longestWord = 64

// keyboard finds words that fingers wrote and nobody meant. Capitals are abbreviations.
func keyboard(t text) clue {
	if len(t.words) > 4 {
		return clue{}
	}
	runs, odd, long := 0, 0, 0
	for _, w := range t.words {
		n := utf8.RuneCountInString(w.folded)
		if w.known || n < 3 || n > longestWord || count(w.folded, unicode.IsDigit) == n {
			continue
		}
		long++
		letters := strings.TrimRight(w.folded, "0123456789")
		r := keyRun(letters)
		vowels := strings.Count(letters, "a") + strings.Count(letters, "e") + strings.Count(letters, "i") + strings.Count(letters, "o") + strings.Count(letters, "u") + strings.Count(letters, "y")
		ascii := count(w.text, func(r rune) bool { return r >= utf8.RuneSelf }) == 0
		switch {
		case r >= 4 && r*4 >= len(letters)*3, r == 3 && len(letters) == 3 && w.folded != letters:
			runs++
		case w.lower && ascii && len(letters) >= 4 && vowels == 0, w.lower && ascii && len(letters) >= 6 && strange(letters) >= 0.5:
			odd++
		}
	}
	switch {
	case long == 0:
		return clue{}
	case runs == long && runs*2 >= len(t.words):
		return clue{Keyboard, 0.95}
	case runs+odd == long && (runs+odd)*2 >= len(t.words):
		return clue{Keyboard, 0.85}
	}
	return clue{}
}

// Signs that a scan leaves within words: "Fot0gr~f|a", "C:lmnra".
var (
	withinWord = regexp.MustCompile(`\pL[~|@^\\;:!€£¢§¤¬¦*#$]+\pL`)
	digitsIn   = regexp.MustCompile(`\p{Ll}[0-9]+\p{Ll}|\b[0-9]\p{Ll}{2,}[0-9]|\p{Ll}{2,}[0-9]\b`)
	loose      = regexp.MustCompile(`(?:^| )[^\pL\pN\s"'()\[\]–—&/+-]{1,4}(?: |$)`)
	ordinals   = regexp.MustCompile(`^[0-9]+(?:st|nd|rd|th|a|o|as|os|h|hs|v|x|cm|mm|m|km|ha|kg|l|s)$`)
)

// noise finds what a scanner makes of a page it cannot read.
func noise(t text) clue {
	odd := len(withinWord.FindAllString(t.title, -1)) + len(loose.FindAllString(t.title, -1))
	for _, w := range t.words {
		if digitsIn.MatchString(w.text) && !ordinals.MatchString(w.text) {
			odd++
		}
	}
	misread, readable := 0, 0
	for _, w := range t.words {
		switch {
		case w.known:
			readable++
		case w.lower && len(w.folded) >= 3 && count(w.folded, unicode.IsDigit) == 0 && strange(w.folded) > 0.25:
			misread++
		}
	}
	n := len(t.words)
	switch {
	case odd+misread >= 3 && readable*2 <= n, odd >= 2 && readable*3 <= n:
		return clue{Noise, 0.9}
	case odd+misread >= 2 && readable*2 <= n:
		return clue{Noise, 0.8}
	case odd >= 2:
		return clue{Noise, 0.65}
	case n >= 3 && misread >= 2 && misread*2 >= n-1:
		return clue{Noise, 0.65}
	}
	return clue{}
}

// links are words that end no title, and that nobody writes twice.
var links = map[string]bool{
	"de": true, "da": true, "do": true, "das": true, "dos": true, "em": true, "na": true, "no": true, "nas": true, "nos": true, "com": true, "para": true, "por": true,
	"pela": true, "pelo": true, "ao": true, "aos": true, "e": true, "ou": true, "sobre": true, "entre": true, "sem": true, "que": true, "um": true, "uma": true,
	"of": true, "the": true, "and": true, "to": true, "for": true, "with": true, "by": true, "from": true, "at": true, "an": true,
}

// repeats finds words and phrases that stand twice with nothing between them: signs between them make a refrain.
func repeats(t text) clue {
	var worst clue
	raise := func(confidence float64) {
		if confidence > worst.confidence {
			worst = clue{Words, confidence}
		}
	}
	run := 1
	for i := 1; i < len(t.words); i++ {
		w, before := t.words[i], t.words[i-1]
		if w.folded != before.folded || w.apart || count(w.folded, unicode.IsDigit) > 0 {
			run = 1
			continue
		}
		run++
		switch {
		case links[w.folded]:
			raise(0.85)
		case run > 2:
			raise(0.9)
		case w.lower && w.known && before.text != w.text && len(t.words) == 2:
			raise(0.72)
		case w.lower && w.known && len(w.folded) > 3 && !before.lower:
			raise(0.65)
		case len(t.words) == 2 && w.lower && before.lower && len(w.folded) > 3:
			raise(0.6)
		}
	}
	for size := 2; size*2 <= len(t.words); size++ {
		if len(t.words)%size == 0 && t.cycles(size) {
			raise(0.9)
		}
	}
	return worst
}

// cycles says whether the title is its first words over and over.
func (t text) cycles(size int) bool {
	for i := size; i < len(t.words); i++ {
		w := t.words[i]
		if w.folded != t.words[i-size].folded || i%size == 0 && w.apart {
			return false
		}
	}
	return count(strings.Join(strings.Fields(t.phrase)[:size], ""), isLetter) > size
}

// quoted says that the title ends within a quotation or brackets, where an ellipsis is the cataloguer's.
var quoted = regexp.MustCompile(`["'”’»)\]]$`)

// unfinished are letters that end no Portuguese word.
const unfinished = "bcdfgjkpqtv"

func cut(t text) clue {
	if len(t.words) == 0 || quoted.MatchString(t.title) {
		return clue{}
	}
	last := t.words[len(t.words)-1]
	ellipsis := strings.HasSuffix(t.title, "...") || strings.HasSuffix(t.title, "…")
	torn := !last.known && len(last.folded) > 2 && last.text != strings.ToUpper(last.text) && // capitals are an abbreviation
		strings.ContainsRune(unfinished, rune(last.folded[len(last.folded)-1])) && lexical.Begins(last.folded)
	closed := strings.HasSuffix(t.title, last.text)
	switch {
	case ellipsis && (torn || links[last.folded] || !last.known):
		return clue{CutOff, 0.88}
	case ellipsis && len(t.words) > 3:
		return clue{CutOff, 0.65}
	case !closed || len(t.words) < 3:
		return clue{}
	case links[last.folded] && last.lower:
		return clue{CutOff, 0.85}
	case torn:
		return clue{CutOff, 0.75}
	}
	return clue{}
}
