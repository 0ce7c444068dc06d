package archive

import (
	"slices"
	"time"
)

// Kind is what a review is about.
type Kind string

// The kinds, in the order in which they are shown.
const (
	Conflict Kind = "CONFLICT" // a tag and an entity bear almost the same name
	Subject  Kind = "SUBJECT"  // no category is sure enough for a tag
	Anomaly  Kind = "ANOMALY"  // the validator found something in a description
)

// Kinds lists every kind.
var Kinds = []Kind{Conflict, Subject, Anomaly}

// Known says whether k is one of Kinds.
func (k Kind) Known() bool { return slices.Contains(Kinds, k) }

// Verdict is what a person decides in a review.
type Verdict string

// The verdicts, by kind.
const (
	KeepTag    Verdict = "TAG"
	KeepEntity Verdict = "ENTITY"
	Dismiss    Verdict = "DISMISSED" // they are different things

	File      Verdict = "CATEGORY"
	NoSubject Verdict = "NO_SUBJECT" // the tag is none, and no other of that name

	Accept   Verdict = "ACCEPT" // it is fine as it is
	TurnDown Verdict = "REJECT"
)

var verdicts = map[Kind][]Verdict{
	Conflict: {KeepTag, KeepEntity, Dismiss}, Subject: {File, NoSubject}, Anomaly: {Accept, TurnDown},
}

// Verdicts lists what can be decided in a review of this kind.
func (k Kind) Verdicts() []Verdict { return slices.Clone(verdicts[k]) }

// Review is something that waits for a person, or that was decided. ID is the description's of an anomaly that waits, else the review's own.
type Review struct {
	ID        int64     `json:"id"`
	Kind      Kind      `json:"kind"`
	Since     time.Time `json:"since"`
	RunID     *int64    `json:"run_id,omitempty"`
	TagID     int64     `json:"tag_id,omitempty"`
	TagName   string    `json:"tag,omitempty"`
	TagUse    Use       `json:"tag_use,omitzero"`
	EntityID  int64     `json:"entity_id,omitempty"`
	Entity    string    `json:"entity,omitempty"`
	Type      string    `json:"entity_type,omitempty"`
	EntityUse Use       `json:"entity_use,omitzero"`
	Evidence  Evidence  `json:"evidence"`
	Document  *Summary  `json:"document,omitempty"`
	Excerpt   string    `json:"excerpt,omitempty"` // of an anomaly's description

	DecidedAt *time.Time `json:"decided_at,omitempty"`
	DecidedBy string     `json:"decided_by,omitempty"` // a person, or run:ID
	Verdict   Verdict    `json:"verdict,omitempty"`
}

// Use is how a name is used: in how many descriptions, at most UseUpTo and one, and the titles of the first.
type Use struct {
	Descriptions int64    `json:"descriptions"`
	Titles       []string `json:"titles"`
}

// UseUpTo is how far descriptions are counted; one more means more.
const UseUpTo = 100

// Evidence is what a run left for the person who decides.
type Evidence struct {
	Similarity float64  `json:"similarity,omitempty"` // of both names
	Winner     string   `json:"winner,omitempty"`     // whom the judge would keep
	Confidence float64  `json:"confidence,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	CategoryID int32    `json:"subject_category_id,omitempty"` // the best category
	Category   string   `json:"category,omitempty"`
	Score      float64  `json:"score,omitempty"`
	Chosen     string   `json:"chosen,omitempty"` // the category that was decided
	Tag        string   `json:"tag,omitempty"`    // the names, once one of them is gone
	Entity     string   `json:"entity,omitempty"`
	EntityType string   `json:"entity_type,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`
}

// Count is how many reviews of a kind wait; Capped means that there are more.
type Count struct {
	N      int64 `json:"n"`
	Capped bool  `json:"capped"`
}

// CountUpTo is how far reviews are counted.
const CountUpTo = 10_000

// ReviewPage is a page of reviews of one kind.
type ReviewPage struct {
	Reviews []Review
	Next    int64 // after which the next page begins, 0 when there is none
}

// Judgement decides a review.
type Judgement struct {
	Kind     Kind
	ID       int64
	Verdict  Verdict
	Category int32 // with File
}

// Alike are reviews that one decision may answer.
type Alike struct {
	IDs   []int64
	Names []string // of the first, to be looked at
}

// MaxAlike is how many reviews are decided at once.
const MaxAlike = 500
