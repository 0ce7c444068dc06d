package worker

// EngineDescription is all that an engine is built from, and all that there is to show of it. It holds no secret.
type EngineDescription struct {
	Axis    Axis              `json:"axis"`
	Engine  string            `json:"engine"`
	Preset  string            `json:"preset"`
	Values  map[string]any    `json:"values"`  // every option of the engine: int64, float64, bool, string or []string
	Origins map[string]Origin `json:"origins"` // where each value comes from
}

// Text returns a text option.
func (d EngineDescription) Text(option string) string { s, _ := d.Values[option].(string); return s }

// Int returns an integer option.
func (d EngineDescription) Int(option string) int { n, _ := d.Values[option].(int64); return int(n) }

// Number returns a number option.
func (d EngineDescription) Number(option string) float64 {
	f, _ := d.Values[option].(float64)
	return f
}

// EngineChoice is an engine that a worker may be given, with its presets; the first is its default.
type EngineChoice struct {
	Name    string       `json:"name"`
	Label   string       `json:"label"` // in English; the pages translate it by name
	Presets []PresetName `json:"presets"`
	Options []Option     `json:"options"`
}

// PresetName is a preset as forms offer it. Values are what it sets.
type PresetName struct {
	Name   string         `json:"name"`
	Label  string         `json:"label"`
	Values map[string]any `json:"values"`
}

// Engines knows the engines of the axes. Asking it builds none.
type Engines interface {
	// Describe says what an engine would be built from; an empty engine or preset is the default one. A refusal is an Invalid
	// error with the fields engine, preset or the option's name.
	Describe(axis Axis, engine, preset string, overrides map[string]any) (EngineDescription, error)
	// Identity is the part of a description that results depend on.
	Identity(d EngineDescription) map[string]any
	// Choices lists the engines of an axis, the default first.
	Choices(axis Axis) []EngineChoice
}
