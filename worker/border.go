package worker

import (
	"fmt"
	"regexp"
	"time"
)

// What crosses the border between the workers and the database.

// The names of the workers, as they are typed and as they stand in the ledger.
const (
	Transfer         = "transfer"
	Cleaning         = "cleaning"
	NamedEntities    = "ner" // NER is its axis
	Typology         = "typology"
	ConflictJudge    = "conflict-judge"
	Thumbnails       = "thumbnail"
	MacroCategory    = "macro-category"
	QualityValidator = "quality-validator"
	Embedding        = "embedding"
)

// Rule is an active REWRITE or VALIDATE rule. Pattern is RE2; Replacement may name groups as $1 or ${name}.
type Rule struct {
	ID            int32
	Version       int64 // another version is another rule, as far as stamps go
	Name          string
	Column        string
	Pattern       string
	Replacement   string
	CaseSensitive bool
}

// Compile compiles the pattern, without regard to case unless the rule says so. The error names the rule and what is wrong with the pattern.
func (r Rule) Compile() (*regexp.Regexp, error) {
	pattern := r.Pattern
	if !r.CaseSensitive {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, Errorf(Invalid, "The pattern of rule %q is no RE2 expression: %w", r.Name, err)
	}
	return re, nil
}

// TextUnit is one document under one rewrite rule, with the text that the rule reads.
type TextUnit struct {
	Document    int64
	Name        string // how people know the document
	RuleID      int32
	RuleVersion int64
	Column      string
	Text        string
}

// TextEdit is what became of a column of a document: the text that was read, the text that is left, and each rule's part in it.
type TextEdit struct {
	Document      int64
	Column        string
	Before, After string
	Rules         []int64 // versions of the rules that were applied or refused
	Changes       []TextChange
}

// TextChange is what one rule changed.
type TextChange struct {
	RuleID        int32
	Before, After string
}

// Description is what the validator reads of one document.
type Description struct {
	ID            int64
	Name          string // how people know it
	Fingerprint   []byte // of all that was read
	Title, Date   string
	SameTitle     int64 // documents with this folded title, this one included, up to 100
	HasTags       bool
	HasTypology   bool
	HasEntities   bool
	TypologyReady bool              // the typology worker has been there
	EntitiesReady bool              // the ner worker has been there
	Texts         map[string]string // by column, for rules
}

// Verdict is what the validator says of one document: no reason means that it is clean.
type Verdict struct {
	ID          int64
	Fingerprint []byte
	Reasons     []string
	Error       string // why there is no verdict
}

// Reading is the text of one unit as a worker read it.
type Reading struct {
	ID          int64
	Name        string // how people know the unit
	Text        string
	Fingerprint []byte // of the text
}

// Entity is a name that was found, spelled as it stands in the text.
type Entity struct {
	Name  string
	Type  string // PER, ORG or LOC
	Score float64
}

// Recognition is what ner found in one document, or why it found nothing.
type Recognition struct {
	Reading  Reading
	Entities []Entity
	Error    string
}

// Label is a label that a classifier is offered: a typology or a subject category.
type Label struct {
	ID   int32
	Name string
}

// Filing is what a classifier made of one document or tag. Label 0 is none. Set says that the score was high enough.
type Filing struct {
	Reading Reading
	Label   int32
	Score   float64
	Set     bool
	Refusal string // why a tag is no subject
	Error   string
}

// Exclusion is a term that is no subject. Collection says that it is a person whom the collection is about.
type Exclusion struct {
	Term       string
	Collection bool
}

// The sides of a pair that may win, and the decision that it is no conflict.
const (
	KeepTag    = "TAG"
	KeepEntity = "ENTITY"
	Dismissed  = "DISMISSED" // they are different things, and both stay
)

// NamePair is a tag and an entity that bear almost the same name.
type NamePair struct {
	ID         int64
	TagID      int64
	Tag        string
	EntityID   int64
	Entity     string
	EntityType string  // PER, ORG or LOC
	Similarity float64 // of both names, as pg_trgm measures it
	// Documents that have the tag, documents that the entity was found in, and those that have both.
	TagDocuments, EntityDocuments, SharedDocuments int64
}

// Ruling is what a judge said of a pair, or why it said nothing. Resolve says that it was sure enough for the name to go to the winner
// without a person.
type Ruling struct {
	Pair       NamePair
	Winner     string // KeepTag or KeepEntity
	Confidence float64
	Reason     string
	Resolve    bool
	Error      string
}

// PairCount is how many pairs wait for the judge, and how many a forced run would judge.
type PairCount struct{ Pending, Eligible int64 }

// Decision is what was decided of a conflict, by a run or a person, and whether somebody undid it.
type Decision struct {
	ID         int64      `json:"id"`
	Review     int64      `json:"review"`
	Winner     string     `json:"winner"`
	RunID      *int64     `json:"run_id"`
	By         string     `json:"by"` // a person, or run:ID
	At         time.Time  `json:"at"`
	Confidence *float64   `json:"confidence"`
	Reason     string     `json:"reason"`
	Documents  int64      `json:"documents"` // that the loser was linked with
	UndoneAt   *time.Time `json:"undone_at"`
	UndoneBy   *string    `json:"undone_by"`
}

// Placement is the vector of one document; a text without words has none.
type Placement struct {
	Reading Reading
	Vector  []float32
	Error   string
}

// VectorModel names the space that vectors of an embedding engine live in: vectors of two spaces are never compared.
func VectorModel(engine, model string, dimensions int) string {
	return fmt.Sprintf("%s/%s/%d", engine, model, dimensions)
}

// LabelNames are the names of labels, in their order.
func LabelNames(labels []Label) []string {
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = l.Name
	}
	return names
}

// ReadingTexts are the texts of readings, in their order.
func ReadingTexts(readings []Reading) []string {
	texts := make([]string, len(readings))
	for i, r := range readings {
		texts[i] = r.Text
	}
	return texts
}
