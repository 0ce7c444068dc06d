package views

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/engine/titles"
	"scrinalia/worker"
	"scrinalia/worker/all"
)

// inEnglish are the keys of texts that workers and engines declare in English themselves.
var inEnglish = regexp.MustCompile(`^(worker\.[a-z-]+\.(label|description|reads|writes|stamp|note|unmeasurable)|option\..+\.help|(engine|preset|suspect)\..+)$`)

// textFor says where the text of a key is to be added, unless it is there. english is the declared text; without one, both languages need it.
func textFor(t *testing.T, what, english string, keys ...string) {
	t.Helper()
	for _, l := range Languages {
		if l == English && english != "" {
			for _, key := range keys {
				if written, ok := l.find(key); ok && written != english {
					t.Errorf("%s is declared as %q; take %q out of views/text/en.json, which says %q", what, english, key, written)
				}
			}
			continue
		}
		written := false
		for _, key := range keys {
			_, ok := l.find(key)
			written = written || ok
		}
		if !written {
			t.Errorf("views/text/%s.json lacks a text for %s. Add the line\n\t%q: \"...\",%s", l, what, keys[0], inOther(english))
		}
	}
}

func inOther(english string) string {
	if english == "" {
		return ""
	}
	return " with the translation of: " + english
}

// TestEveryDeclaredTextIsTranslated walks the catalogue and the engines: whatever they declare and a page shows has a text in every language.
func TestEveryDeclaredTextIsTranslated(t *testing.T) {
	t.Parallel()
	registry := engine.NewRegistry(engines.Registrations("")...)
	for _, d := range all.Catalogue(nil, registry, nil, nil).All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for part, english := range map[string]string{
				"label": d.Label, "description": d.Description, "reads": d.Reads, "writes": d.Writes, "stamp": d.Stamp, "note": d.Note, "unmeasurable": d.Unmeasurable,
			} {
				if english != "" {
					textFor(t, "the "+part+" of worker "+d.Name, english, "worker."+d.Name+"."+part)
				}
			}
			unit := string(d.Unit)
			textFor(t, "the unit of worker "+d.Name, "", "unit."+unit)
			textFor(t, "one unit of worker "+d.Name, "", "units."+unit+".one")
			textFor(t, "several units of worker "+d.Name, "", "units."+unit+".other")
			for _, note := range d.Notes {
				if note != worker.RuleMatch {
					textFor(t, "a note of worker "+d.Name, "", "note."+note)
				}
			}
			for _, o := range d.Options {
				what := "the option " + o.Name + " of worker " + d.Name
				optionTexts(t, what, o)
				textFor(t, "the help of "+what, o.Help, "option."+d.Name+"."+o.Name+".help", "option."+o.Name+".help")
			}
		})
	}
	for _, reason := range titles.Reasons {
		textFor(t, "a reason of the title check", reason, "suspect."+reason)
	}
	for _, axis := range []worker.Axis{worker.NER, worker.Classification, worker.Embeddings, worker.LLMs, worker.TitleQuality} {
		for _, c := range registry.Choices(axis) {
			what := "the engine " + c.Name + " of " + string(axis)
			textFor(t, what, c.Label, "engine."+string(axis)+"."+c.Name+".label")
			for _, p := range c.Presets {
				textFor(t, "the preset "+p.Name+" of "+what, p.Label, "preset."+p.Name+".label")
			}
			for _, o := range c.Options {
				optionTexts(t, "the option "+o.Name+" of "+what, o)
				textFor(t, "the help of the option "+o.Name+" of "+what, o.Help, "engine."+c.Name+"."+o.Name+".help")
			}
		}
	}
}

func optionTexts(t *testing.T, what string, o worker.Option) {
	t.Helper()
	textFor(t, what, "", "option."+o.Name+".label")
	for _, c := range o.Choices {
		if o.Name != "model" { // the names of models are the same everywhere
			textFor(t, "the choice "+c+" of "+what, "", "choice."+o.Name+"."+c, "field."+c)
		}
	}
}

// TestDeclaredSettingsArePortuguese writes every refusal that a declaration can lead to.
func TestDeclaredSettingsArePortuguese(t *testing.T) {
	t.Parallel()
	f := frame(Portuguese)
	english := regexp.MustCompile(`(?i)\b(the|takes|accepted|whole number|engine|never stored|there is no)\b`)
	for _, d := range all.Catalogue(nil, engine.NewRegistry(engines.Registrations("")...), nil, nil).All() {
		for _, o := range d.Options {
			said := f.Accepts(o) + " " + f.OptionHelp(d.Name, o)
			_, err := o.Check(struct{}{})
			if err == nil {
				t.Fatalf("%s takes anything", o.Name)
			}
			said += " " + f.Refusal(d, o.Name, err.Error())
			if found := english.FindString(said); found != "" {
				t.Errorf("%s of %s says %q in English: %s", o.Name, d.Name, found, said)
			}
		}
		for _, s := range []worker.Settings{{Engine: "nosuch"}, {Preset: "nosuch"}, {Options: map[string]any{"colour": 1}}, {Options: map[string]any{"limit": 3}}} {
			_, err := worker.CheckChange(d, worker.OverrideChange{Settings: s})
			refused, ok := errors.AsType[*worker.Error](err)
			if !ok {
				continue
			}
			for name, why := range refused.Fields {
				if said := f.Refusal(d, name, why); english.MatchString(strings.ReplaceAll(said, name, "")) {
					t.Errorf("%s of %s is refused in English: %s", name, d.Name, said)
				}
			}
		}
	}
}
