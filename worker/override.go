package worker

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Override is what is set of a worker, against the code. Version 0 means that nothing was ever set.
type Override struct {
	Version  int64    `json:"version"`
	Settings Settings `json:"settings"`
}

// AnyVersion is what an editor has seen who replaces the override whatever it is.
const AnyVersion int64 = -1

// OverrideChange asks for another override of a worker. Empty settings follow the code everywhere.
type OverrideChange struct {
	Worker       string
	Settings     Settings
	Seen         int64 // the version that the editor started from
	By           string
	Channel      Trigger
	Note         string
	RestoredFrom int64 // the revision whose settings these are; 0 for none
}

// Saved is an override after a change; Changed says whether there was anything to change.
type Saved struct {
	Override

	Changed bool `json:"changed"`
}

// Revision is one change of a worker's override. Revisions are never changed or deleted.
type Revision struct {
	Worker       string    `json:"worker"`
	Version      int64     `json:"version"`
	At           time.Time `json:"at"`
	By           string    `json:"by"`
	Channel      Trigger   `json:"channel"`
	Note         string    `json:"note"`
	Before       Settings  `json:"before"`
	After        Settings  `json:"after"`
	RestoredFrom *int64    `json:"restored_from"`
}

// Changes lists what the revision changed, field by field.
func (r Revision) Changes() []Difference { return SettingsDiffer(r.Before, r.After) }

// RevisionFilter selects a page of a worker's revisions. Zero fields match everything.
type RevisionFilter struct {
	Worker string
	Field  string // only those that changed it
	By     string
	Before int64 // those below this version
	Limit  int   // rows of a page; 0 means 20
}

// RevisionPage is a page of revisions, newest first.
type RevisionPage struct {
	Revisions []Revision
	Older     int64 // Before of the next page, 0 when there is none
}

// SettingsChangedError says that the override was changed since the editor saw it; it carries the revision that is in force.
type SettingsChangedError struct {
	Seen    int64
	Current Revision
}

// Error names who changed it and when.
func (e *SettingsChangedError) Error() string {
	c := e.Current
	return fmt.Sprintf("The settings of %s were changed meanwhile: revision %d is in force, by %s at %s; you started from revision %d. Nothing was saved.",
		c.Worker, c.Version, c.By, c.At.UTC().Format("2006-01-02 15:04:05 MST"), e.Seen)
}

// As lets KindOf see a Conflict.
func (e *SettingsChangedError) As(target any) bool {
	if t, ok := target.(**Error); ok {
		*t = &Error{Kind: Conflict, Msg: e.Error()}
		return true
	}
	return false
}

// fields are the settings one by one: engine, preset, batch_size, and each option by its name.
func (s Settings) fields() map[string]any {
	all := maps.Clone(s.Options)
	if all == nil {
		all = map[string]any{}
	}
	if s.Engine != "" {
		all["engine"] = s.Engine
	}
	if s.Preset != "" {
		all["preset"] = s.Preset
	}
	if s.BatchSize != nil {
		all[batchSize] = s.BatchSize
	}
	return all
}

// Field returns the value that is set for engine, preset, batch_size or an option, and whether one is.
func (s Settings) Field(name string) (any, bool) {
	v, ok := s.fields()[name]
	return v, ok
}

// With returns the settings with one field set; nil lets it follow the layer below.
func (s Settings) With(name string, v any) Settings {
	s.Options = maps.Clone(s.Options)
	text, _ := v.(string)
	switch name {
	case "engine":
		s.Engine = text
	case "preset":
		s.Preset = text
	case batchSize:
		s.BatchSize = v
	default:
		if v == nil {
			delete(s.Options, name)
			break
		}
		if s.Options == nil {
			s.Options = map[string]any{}
		}
		s.Options[name] = v
	}
	return s
}

// SettingsDiffer lists the fields that differ between two layers, in the order engine, preset, batch_size, options. nil is a field that
// is not set.
func SettingsDiffer(was, now Settings) []Difference {
	a, b := was.fields(), now.fields()
	first := []string{"engine", "preset", batchSize}
	rest := slices.DeleteFunc(keys(a, b), func(name string) bool { return slices.Contains(first, name) })
	var out []Difference
	for _, name := range append(first, rest...) {
		if !same(a[name], b[name]) {
			out = append(out, Difference{name, a[name], b[name]})
		}
	}
	return out
}

// MergeSettings puts what an editor changed, from base to mine, over what became of base meanwhile.
func MergeSettings(base, mine, current Settings) Settings {
	for _, d := range SettingsDiffer(base, mine) {
		current = current.With(d.Name, d.Now)
	}
	return current
}

// maxNote is how many characters the note of a change may have.
const maxNote = 1000

// CheckChange validates a change as a whole and returns it with its values as they are stored: typed, and as the engine reads them. It is the
// one validation of every way to set something. A refusal is Invalid and names every field.
func CheckChange(d Definition, c OverrideChange) (OverrideChange, error) {
	wrong := map[string]string{}
	if n := utf8.RuneCountInString(c.Note); n > maxNote {
		wrong["note"] = fmt.Sprintf("a note of %d characters is not accepted; it takes up to %d", n, maxNote)
	} else if strings.ContainsFunc(c.Note, unstorable) {
		wrong["note"] = "a note with control characters is not accepted"
	}
	r, err := Resolve(d, c.Settings, Settings{})
	if err != nil {
		addFields(wrong, err)
	}
	maps.Copy(wrong, r.Ignored)
	if len(wrong) > 0 {
		return c, refusal(d, wrong)
	}
	c.Note, c.Settings = strings.TrimSpace(c.Note), typed(c.Settings, r.Config)
	return c, nil
}

// typed are the settings with the values that they were resolved to.
func typed(s Settings, c Config) Settings {
	if s.BatchSize != nil {
		s.BatchSize = c.BatchSize.Value
	}
	options := make(map[string]any, len(s.Options))
	for name := range s.Options {
		if v, ok := c.Options[name]; ok {
			options[name] = v.Value
		} else if name == batchSize {
			s.BatchSize = c.BatchSize.Value
		} else {
			options[name] = c.Resolved[name]
		}
	}
	s.Options = options
	return s
}

// unstorable says whether a character has no place in a note: control characters but for tab and line ends, and what is left of broken UTF-8.
func unstorable(r rune) bool {
	return unicode.IsControl(r) && r != '\t' && r != '\n' && r != '\r' || r == utf8.RuneError
}

// Takes says whether a setting of that name may be stored for the worker: engine, preset, or an option of the worker or of one of its engines.
func (d Definition) Takes(name string) bool {
	o, own := d.Option(name)
	return own && !o.RunOnly || name == "engine" || name == "preset" || slices.Contains(engineOptions(d), name)
}

// Followed are the values that a run of the worker would take if nothing but engine and preset were set: what each field is when it follows the
// code. An engine or preset that is empty or not known is the default one.
func (d Definition) Followed(engine, preset string) map[string]any {
	values := map[string]any{}
	for _, o := range d.Options {
		values[o.Name] = normal(o, o.Default)
	}
	if engineRefusal(d) != "" {
		return values
	}
	first, _ := d.engines.Describe(d.Axis, "", "", nil)
	chosen, err := d.engines.Describe(d.Axis, engine, "", nil)
	if err != nil {
		chosen = first
	}
	values["engine"], values["preset"] = first.Engine, chosen.Preset
	if with, err := d.engines.Describe(d.Axis, chosen.Engine, preset, nil); err == nil {
		chosen = with
	}
	maps.Copy(values, chosen.Values)
	return values
}
