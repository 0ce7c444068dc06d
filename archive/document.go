package archive

import "time"

// Document is a description with all that is known of it. Its JSON is a contract.
type Document struct {
	Summary

	LevelID         int32  `json:"level_id"`
	Extent          string `json:"extent"`
	Repository      string `json:"repository"`
	Producers       string `json:"producers"`
	AdminBioHistory string `json:"admin_bio_history"`
	Provenance      string `json:"provenance"`
	ScopeContent    string `json:"scope_content"`
	Language        string `json:"language"`
	Access          string `json:"access_conditions"`
	ArchivistNotes  string `json:"archivist_notes"`
	ImageURL        string `json:"image_url"`

	TypologyID     int32    `json:"typology_id"`
	TypologyPerson string   `json:"typology_person,omitempty"`
	TypologyScore  *Scoring `json:"typology_score,omitempty"` // the best that a run saw, also when it was not set

	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Version   string    `json:"version"` // what an edit gives back, see Edit

	Orphan    bool       `json:"orphan"` // it names a parent that is not there
	Ancestors []Summary  `json:"ancestors"`
	Children  []Summary  `json:"children"`
	More      bool       `json:"more_children"` // there are more than these
	Tags      []Link     `json:"tags"`
	Entities  []Link     `json:"entities"`
	Work      []Work     `json:"workers"`
	Names     Names      `json:"names"`
	Changes   []Change   `json:"changes"`
	Revisions []Revision `json:"revisions"`
}

// Names is how the tags and entities of a description stand to the workers whose units are names.
type Names struct {
	TagsPending       int64 `json:"tags_pending"`        // for macro-category
	TagsForPerson     int64 `json:"tags_for_person"`     // without a category that a run was sure of
	PairsPending      int64 `json:"pairs_pending"`       // similar names that were found and not judged yet
	ConflictsToDecide int64 `json:"conflicts_to_decide"` // that a run was not sure of
}

// Scoring is what a run thought of a label.
type Scoring struct {
	Label string  `json:"label"`
	Score float64 `json:"score"`
	RunID int64   `json:"run_id"`
}

// Link is a tag or an entity of a description, with who made the link.
type Link struct {
	ID       int64    `json:"id"`
	Name     string   `json:"name"`
	Type     string   `json:"type,omitempty"`     // of an entity: PER, ORG or LOC
	Category string   `json:"category,omitempty"` // of a tag
	Origin   string   `json:"origin"`             // source, run or human
	RunID    *int64   `json:"run_id,omitempty"`
	Person   string   `json:"person,omitempty"`
	Score    *float64 `json:"score,omitempty"`
}

// Standing is why a description is in a worker's queue, or is not.
type Standing string

// The standings.
const (
	NeverProcessed Standing = "never"   // pending: no stamp
	TextChanged    Standing = "changed" // pending: what was read is no longer what it says
	RulesChanged   Standing = "rules"   // pending: the labels or rules are others
	FailedBefore   Standing = "failed"  // pending again: it failed alone
	GivenUp        Standing = "givenup" // it failed, and trying again would end the same
	Waiting        Standing = "pending" // pending for another reason
	DoneBy         Standing = "done"
	SettledBy      Standing = "settled" // it got what it waited for, and left the queue
	LeftAlone      Standing = "human"   // a person decided on it
	NothingToDo    Standing = "nothing" // there is nothing in it that the worker reads or sets
)

// Pending says whether the worker's next run processes the description.
func (s Standing) Pending() bool {
	switch s {
	case NeverProcessed, TextChanged, RulesChanged, FailedBefore, Waiting:
		return true
	case DoneBy, SettledBy, GivenUp, LeftAlone, NothingToDo:
	}
	return false
}

// Work is how one worker stands to a description.
type Work struct {
	Worker   string     `json:"worker"`
	Standing Standing   `json:"standing"`
	RunID    *int64     `json:"run_id,omitempty"` // that stamped it last
	At       *time.Time `json:"at,omitempty"`     // when that run started
	Engine   string     `json:"engine,omitempty"` // and with which engine and preset
	Stale    bool       `json:"stale"`            // that run had other settings than those in force
	Error    string     `json:"error,omitempty"`
	Rules    int        `json:"rules,omitempty"` // cleaning: how many rules were applied
}

// Change is what a run changed of the description.
type Change struct {
	ID     int64   `json:"id"`
	RunID  int64   `json:"run_id"`
	Worker string  `json:"worker"`
	Field  string  `json:"field"`
	Before *string `json:"before"`
	After  *string `json:"after"`
	Rule   string  `json:"rule,omitempty"`
}

// Revision is what a person changed of the description.
type Revision struct {
	ID      int64          `json:"id"`
	At      time.Time      `json:"at"`
	Person  string         `json:"person"`
	Channel string         `json:"channel"`
	Note    string         `json:"note,omitempty"`
	Before  map[string]any `json:"before"`
	After   map[string]any `json:"after"`
}

// InForce is a worker whose units are descriptions, with what its settings in force are known by.
type InForce struct {
	Worker      string
	Fingerprint []byte
}
