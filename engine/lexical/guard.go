package lexical

import "strings"

// Reasons why a tag is no subject, as NotASubject gives them. They are stored
// beside the tag, so they are part of the interface.
const (
	ReasonPlaceholder = "placeholder" // "não identificado", "illegible"
	ReasonDate        = "date"        // a bare year, decade, century or day
	ReasonQuantity    = "quantity"    // a number, alone or with its unit
	ReasonAddress     = "address"     // a street or an address
	ReasonExcluded    = "excluded"    // a term of the exclusions
)

// guardBytes bounds what the patterns read: a tag has 100 characters at most.
const guardBytes = 400

// Guard refuses tags that are no subject. It may be used from many goroutines
// at once.
type Guard struct{ excluded map[string]bool }

// NewGuard prepares exclusions: whole terms, compared without accents, case,
// plural or the order of an inverted name: "Prado, Honório" excludes
// "honorio prado".
func NewGuard(exclusions []string) *Guard {
	g := &Guard{excluded: make(map[string]bool, len(exclusions))}
	for _, e := range exclusions {
		if key := termKey(fold(e)); key != "" {
			g.excluded[key] = true
		}
	}
	return g
}

// NotASubject reports whether tag cannot be a subject, and why, by the rules
// of the language profiles (Portuguese, English) and the exclusions. To check
// many tags, make one Guard.
func NotASubject(tag string, exclusions []string) (reason string, refused bool) {
	return NewGuard(exclusions).NotASubject(tag)
}

// NotASubject is the function of that name with the guard's exclusions.
func (g *Guard) NotASubject(tag string) (reason string, refused bool) {
	if len(tag) > guardBytes {
		tag = tag[:guardBytes]
	}
	words := strings.Join(strings.Fields(fold(tag)), " ")
	if words == "" {
		return ReasonPlaceholder, true
	}
	if len(g.excluded) > 0 && g.excluded[termKey(words)] {
		return ReasonExcluded, true
	}
	for i := range profiles {
		p := &profiles[i]
		switch {
		case p.placeholder.MatchString(words):
			return ReasonPlaceholder, true
		case p.date.MatchString(words):
			return ReasonDate, true
		case p.quantity.MatchString(words):
			return ReasonQuantity, true
		case p.address.MatchString(words) && !p.subject.MatchString(words):
			return ReasonAddress, true
		}
	}
	return "", false
}

// termKey is what two spellings of a term share. A name with one comma is
// turned round.
func termKey(folded string) string {
	if last, first, ok := strings.Cut(folded, ","); ok && !strings.Contains(first, ",") {
		folded = first + " " + last
	}
	return strings.Join(lemmas(folded), " ")
}
