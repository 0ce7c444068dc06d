// Package titles looks by rules for titles that no cataloguer can have meant: keyboard runs, damaged encodings, file names, placeholders, markup,
// what a scanner made of a page. Old spelling, abbreviations, codes, Latin and names of every origin are none of that. It knows the words of
// engine/lexical and the names of engine/tagger/gazetteer, Brazilian Portuguese first and English second, and imports these, engine and the
// standard library.
package titles

import (
	"strings"

	"scrinalia/engine"
)

// Model names the rules that verdicts come from. It changes whenever a verdict would.
const Model = "title-rules-v1"

// Why a title is suspect. The reasons are stored beside the document, and the pages translate them.
const (
	Encoding    = "damaged encoding"
	Markup      = "markup or program text"
	FileName    = "file name or address"
	Placeholder = "placeholder"
	TestEntry   = "test entry"
	Remark      = "remark to a colleague"
	Keyboard    = "keys pressed at random"
	NoWords     = "no words"
	Letters     = "repeated letters"
	Words       = "repeated words"
	CutOff      = "cut off"
	BlankForm   = "form that was not filled in"
	Scripts     = "letters of two scripts in a word"
	Noise       = "unreadable text of a scan"
)

// Reasons lists every reason.
var Reasons = []string{
	Encoding, Markup, FileName, Placeholder, TestEntry, Remark, Keyboard, NoWords, Letters, Words, CutOff, BlankForm, Scripts, Noise,
}

// suspect is the confidence from which a title is called so.
const suspect = 0.5

// maxBytes is how much of a title is read.
const maxBytes = 2000

// clue is a suspicion, and the share of titles like this one that it is right about.
type clue struct {
	reason     string
	confidence float64
}

// Check looks at one title.
func Check(title string) engine.TitleVerdict {
	if len(title) > maxBytes {
		title = title[:maxBytes]
	}
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return engine.TitleVerdict{}
	}
	t := read(title)
	var worst clue
	for _, check := range []func(text) clue{patterns, phrases, scripts, noWords, letters, keyboard, noise, repeats, cut} {
		if c := check(t); c.confidence > worst.confidence {
			worst = c
		}
	}
	if worst.confidence < suspect {
		return engine.TitleVerdict{Confidence: 1 - max(worst.confidence, 0.1)}
	}
	return engine.TitleVerdict{Suspect: true, Confidence: worst.confidence, Reason: worst.reason}
}
