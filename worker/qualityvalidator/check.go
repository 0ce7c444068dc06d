package qualityvalidator

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"scrinalia/engine"
	"scrinalia/worker"
)

// The reasons that need no rule and no model.
const (
	MissingDate   = "MISSING_DATE"
	FutureDate    = "FUTURE_DATE"
	EmptyTitle    = "EMPTY_TITLE"
	RepeatedTitle = "REPEATED_TITLE"
	AllCapsTitle  = "ALL_CAPS_TITLE"
	NoTags        = "NO_TAGS"
	NoTypology    = "NO_TYPOLOGY"
	NoEntities    = "NO_ENTITIES"
)

// SuspectTitle is the name of the note that counts titles which the engine of the LLM_CHECK rule suspects. As a reason of a document, it is
// followed by what the engine says: worker.LLMSuspect.
const SuspectTitle = "LLM_SUSPECT"

type checker struct {
	rules  []compiledRule
	repeat int64
	year   int
}

type compiledRule struct {
	name, column string
	re           *regexp.Regexp
}

func newChecker(rules []worker.Rule, repeat int64, now time.Time) (checker, error) {
	c := checker{repeat: repeat, year: now.Year()}
	for _, r := range rules {
		re, err := r.Compile()
		if err != nil {
			return c, err
		}
		c.rules = append(c.rules, compiledRule{r.Name, r.Column, re})
	}
	return c, nil
}

// all judges documents, with what an engine says of their titles, and counts each reason. A suspicion counts from the confidence on.
func (c checker) all(docs []worker.Description, titles []engine.TitleVerdict, confidence float64) ([]worker.Verdict, map[string]worker.Note) {
	verdicts := make([]worker.Verdict, len(docs))
	notes := map[string]worker.Note{}
	for i, d := range docs {
		verdicts[i] = worker.Verdict{ID: d.ID, Fingerprint: d.Fingerprint}
		if titles[i].Err != nil {
			verdicts[i].Error = titles[i].Err.Error()
			continue
		}
		verdicts[i].Reasons = c.reasons(d)
		for _, r := range verdicts[i].Reasons {
			notes[r] = worker.Note{Count: notes[r].Count + 1}
		}
		switch t := titles[i]; {
		case t.Suspect && t.Confidence >= confidence:
			why := strings.Join(strings.Fields(t.Reason), " ")
			verdicts[i].Reasons = append(verdicts[i].Reasons, worker.LLMSuspect+why)
			n := notes[SuspectTitle]
			notes[SuspectTitle] = worker.Note{Count: n.Count + 1, Examples: append(n.Examples, d.Name+": "+why)}
		case t.Suspect:
			notes["below_confidence"] = worker.Note{Count: notes["below_confidence"].Count + 1}
		}
	}
	return verdicts, notes
}

// previewVerdicts is how many documents a dry run shows of a batch.
const previewVerdicts = 50

// preview shows what a dry run would flag.
func preview(docs []worker.Description, verdicts []worker.Verdict) worker.Note {
	var n worker.Note
	for i, v := range verdicts {
		if len(v.Reasons) == 0 {
			continue
		}
		n.Count++
		if len(n.Examples) < previewVerdicts {
			n.Examples = append(n.Examples, docs[i].Name+": "+strings.Join(v.Reasons, ", "))
		}
	}
	return n
}

func (c checker) reasons(d worker.Description) []string {
	var reasons []string
	add := func(reason string, holds bool) {
		if holds {
			reasons = append(reasons, reason)
		}
	}
	empty := emptyTitle(d.Title)
	add(MissingDate, missingDate(d.Date))
	add(FutureDate, c.futureDate(d.Date))
	add(EmptyTitle, empty)
	add(RepeatedTitle, d.SameTitle >= c.repeat && !empty)
	add(AllCapsTitle, allCaps(d.Title))
	add(NoTags, !d.HasTags)
	add(NoTypology, d.TypologyReady && !d.HasTypology)
	add(NoEntities, d.EntitiesReady && !d.HasEntities)
	for _, r := range c.rules {
		add(worker.RuleMatch+strings.ReplaceAll(r.name, "\n", " "), r.re.MatchString(d.Texts[r.column]))
	}
	return reasons
}

// noDate are the ways to write that there is no date, as bare writes them.
var noDate = map[string]bool{
	"": true, "sd": true, "semdata": true, "nd": true, "undated": true, "semd": true, "dataignorada": true, "datadesconhecida": true,
	"nãodatado": true, "naodatado": true, "nodate": true, "desconhecida": true, "ignorada": true, "unknown": true,
}

func missingDate(date string) bool { return noDate[bare(date)] }

// bare keeps the letters and digits of a text, in lower case: "[S. d.]" becomes "sd".
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

var year = regexp.MustCompile(`(?:^|[^0-9])([12][0-9]{3})(?:[^0-9]|$)`)

func (c checker) futureDate(date string) bool {
	for rest := date; ; {
		m := year.FindStringSubmatchIndex(rest)
		if m == nil {
			return false
		}
		if y, err := strconv.Atoi(rest[m[2]:m[3]]); err == nil && y > c.year {
			return true
		}
		rest = rest[m[3]:]
	}
}

// noTitle are placeholders that stand where a title should, as bare writes them.
var noTitle = map[string]bool{
	"semtítulo": true, "semtitulo": true, "untitled": true, "notitle": true, "atribuir": true, "nãoidentificado": true, "naoidentificado": true,
	"nãoidentificada": true, "naoidentificada": true, "títulonãoidentificado": true, "semidentificação": true, "semidentificacao": true, "xxx": true, "atitular": true,
	"títuloatribuído": true, "unidentified": true, "null": true, "none": true, "st": true,
}

// minTitle is the number of characters below which a title says nothing.
const minTitle = 3

func emptyTitle(title string) bool {
	trimmed := strings.Join(strings.Fields(title), " ")
	letters := bare(trimmed)
	return utf8.RuneCountInString(trimmed) < minTitle || letters == "" || noTitle[letters]
}

// A title in capitals has at least 10 characters and 2 words; fewer may be an abbreviation.
const (
	capsMinChars = 10
	capsMinWords = 2
)

func allCaps(title string) bool {
	words := strings.Fields(title)
	if len(words) < capsMinWords || utf8.RuneCountInString(strings.Join(words, " ")) < capsMinChars {
		return false
	}
	upper := false
	for _, r := range title {
		if unicode.IsLower(r) {
			return false
		}
		upper = upper || unicode.IsUpper(r)
	}
	return upper
}
