package archive

import "slices"

// Status is where the review of a description stands.
type Status string

// The review statuses. The last two are a person's.
const (
	PendingAI     Status = "PENDING_AI"
	AIApproved    Status = "AI_APPROVED"
	NeedsReview   Status = "NEEDS_REVIEW"
	HumanApproved Status = "HUMAN_APPROVED"
	Rejected      Status = "REJECTED"
)

// Statuses lists every review status, in the order of a review.
var Statuses = []Status{PendingAI, AIApproved, NeedsReview, HumanApproved, Rejected}

// Known says whether s is one of Statuses.
func (s Status) Known() bool { return slices.Contains(Statuses, s) }

// Human says whether a person decided on the description, so that governed workers leave it alone.
func (s Status) Human() bool { return s == HumanApproved || s == Rejected }

// Filter selects a page of the list of descriptions. Zero fields match everything.
type Filter struct {
	Status   Status
	Reason   string // an anomaly reason, as stored
	Typology int32
	Level    int32
	Tag      int64
	Entity   int64
	Pending  string // the name of a worker: descriptions that its next run would process
	Stale    string // the name of a worker: descriptions that it processed with other settings than those in force
	Before   int64  // descriptions before this one; the page nearest to it
	After    int64  // descriptions after this one
	Limit    int    // of a page; 0 means 50

	InForce []byte // the fingerprint of the settings in force of the worker in Stale
}

// Filtered says whether any filter is on.
func (f Filter) Filtered() bool {
	return f.Status != "" || f.Reason != "" || f.Typology != 0 || f.Level != 0 || f.Tag != 0 || f.Entity != 0 || f.Pending != "" || f.Stale != ""
}

// ReadsAll says whether no index leads to what the filter wants, so that a page may read every description until it is full: descriptions that
// wait for a worker are those without a stamp, and nothing indexes what is not there.
func (f Filter) ReadsAll() bool {
	return f.Pending != "" && f.Status == "" && f.Reason == "" && f.Typology == 0 && f.Level == 0 && f.Tag == 0 && f.Entity == 0 && f.Stale == ""
}

// Summary is a description in the list.
type Summary struct {
	ID            int64    `json:"id"`
	DescriptionID string   `json:"description_id"`
	ReferenceCode string   `json:"reference_code"`
	Title         string   `json:"title"`
	Level         string   `json:"level"`
	Date          string   `json:"date"`
	Typology      string   `json:"typology"`
	Status        Status   `json:"review_status"`
	Reasons       []string `json:"anomaly_reasons"`
	Thumbnail     *Picture `json:"thumbnail,omitempty"`
}

// Picture is a thumbnail in storage, served at /thumbnails/ID?v=VERSION. Its size is in pixels.
type Picture struct {
	Version string `json:"version"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
}

// Code is how people know the description: its reference code, else the source's id.
func (s Summary) Code() string {
	if s.ReferenceCode != "" {
		return s.ReferenceCode
	}
	return s.DescriptionID
}

// Page is a page of the list, in the order of the import.
type Page struct {
	Documents []Summary
	Earlier   int64 // Before of the page before, 0 when there is none
	Later     int64 // After of the next page, 0 when there is none
}

// Choice is an entry of a vocabulary that a filter or a form offers.
type Choice struct {
	ID   int64
	Name string
}

// Choices are the vocabularies that filters and forms offer. Tag and Entity name what the filter asks for.
type Choices struct {
	Levels     []Choice
	Typologies []Choice
	Categories []Choice
	Reasons    []string // the anomaly reasons that the rules of the validator can give beside its own
	Tag        string
	Entity     string
}

// Reasons are the anomaly reasons that need no rule, as quality-validator stores them.
var Reasons = []string{
	"MISSING_DATE", "FUTURE_DATE", "EMPTY_TITLE", "REPEATED_TITLE", "ALL_CAPS_TITLE", "NO_TAGS", "NO_TYPOLOGY", "NO_ENTITIES",
}
