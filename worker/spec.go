package worker

// Unit is what a worker's queue counts.
type Unit string

// The units.
const (
	StagingRecord Unit = "staging record"
	Document      Unit = "document"
	DocumentRule  Unit = "document x rule"
	Pair          Unit = "tag x entity pair"
	Tag           Unit = "tag"
)

// Axis is a kind of engine. The empty axis means that the worker needs none.
type Axis string

// The axes.
const (
	NoAxis         Axis = ""
	NER            Axis = "NER"
	Classification Axis = "classification"
	Embeddings     Axis = "embeddings"
	LLMs           Axis = "LLMs"
	TitleQuality   Axis = "title_quality"
)

// EngineSource says where a worker's engine is chosen.
type EngineSource string

// Where engines are chosen: nowhere, by default and override, or by the active LLM_CHECK rule.
const (
	EngineNone    EngineSource = "none"
	EngineDefault EngineSource = "default"
	EngineRule    EngineSource = "rule"
)

// Spec says what a worker is. It holds no code and opens nothing.
type Spec struct {
	Name         string // as typed: "quality-validator"
	Label        string // as shown, in English; the pages translate it by name
	Description  string // one or two sentences, in English
	Order        int    // place in the pipeline, from 1
	Unit         Unit
	Governed     bool // leaves documents alone that a human approved or rejected
	Axis         Axis
	EngineSource EngineSource
	Stamp        string   // where its stamps go
	Reads        string   // what it reads, in words
	Writes       string   // what it writes, in words
	Note         string   // shown beside the configuration as long as no rule gives an engine; may be empty
	Unmeasurable string   // why its queue cannot be counted; empty when it can
	Notes        []string // the names of what its runs may note beside their units; the pages translate them by name
}
