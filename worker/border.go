package worker

// What crosses the border between the workers and the database.

// The names of the workers, as they are typed and as they stand in the ledger.
const (
	Transfer         = "transfer"
	Cleaning         = "cleaning"
	QualityValidator = "quality-validator"
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
}
