package engine

import (
	"context"
	"errors"
)

// Every call answers as many values as it was given, in the same order. A value's Err concerns that unit alone; the call's
// error concerns the engine (a server that is away), decides nothing and leaves every unit of the call pending. Engines may be
// used by several goroutines at once.

// EntityType is the kind of a named entity.
type EntityType string

// The types of entities that the archive keeps.
const (
	Person       EntityType = "PER"
	Organisation EntityType = "ORG"
	Place        EntityType = "LOC"
)

// EntityTypes lists every type.
var EntityTypes = []EntityType{Person, Organisation, Place}

// Entity is a name as it is written in the text, with the engine's confidence from 0 to 1.
type Entity struct {
	Name  string
	Type  EntityType
	Score float64
}

// Found is what an NER engine found in one text. Truncated says that the engine did not read the text to its end.
type Found struct {
	Entities  []Entity
	Truncated bool
	Err       error
}

// NER finds the named entities of texts.
type NER interface {
	Entities(ctx context.Context, texts []string) ([]Found, error)
}

// Choice is the label of one text, empty when none fits, with the engine's confidence in it from 0 to 1.
type Choice struct {
	Label     string
	Score     float64
	Truncated bool
	Err       error
}

// Classifier chooses one of the labels for each text, or none, without having been trained on them.
type Classifier interface {
	Classify(ctx context.Context, texts, labels []string) ([]Choice, error)
}

// Vector is the position of one text in the space of an engine's model.
type Vector struct {
	Values    []float32
	Truncated bool
	Err       error
}

// ErrNoWords is the Err of a text that has nothing to embed: it has no place in the space, which is no failure.
var ErrNoWords = errors.New("the text has no words to embed")

// Embedder turns texts into vectors of Dimensions values, none of them NaN or infinite.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([]Vector, error)
	Dimensions() int
}

// Winner is the side of a pair that a ruling keeps.
type Winner string

// The sides of a pair.
const (
	TagWins    Winner = "TAG"
	EntityWins Winner = "ENTITY"
)

// Pair is a tag and an entity that bear almost the same name.
type Pair struct {
	Tag        string
	Entity     string
	EntityType EntityType // may be empty
	// How the two are used, where that is known: documents that have the tag, documents that the entity was found in, and those that have both.
	TagDocuments, EntityDocuments, Shared int
}

// Ruling says which side of a pair the name belongs to, with the engine's confidence from 0 to 1.
type Ruling struct {
	Winner     Winner
	Confidence float64
	Reason     string // one line, at most 200 characters
	Truncated  bool
	Err        error
}

// Judge rules on pairs of a tag and an entity.
type Judge interface {
	Judge(ctx context.Context, pairs []Pair) ([]Ruling, error)
}

// TitleVerdict says whether a title looks wrong, with the engine's confidence from 0 to 1. A suspect title has a reason.
type TitleVerdict struct {
	Suspect    bool
	Confidence float64
	Reason     string // one line, at most 200 characters
	Truncated  bool
	Err        error
}

// TitleChecker looks for titles that no cataloguer can have meant.
type TitleChecker interface {
	Check(ctx context.Context, titles []string) ([]TitleVerdict, error)
}
