package curation

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"scrinalia/worker"
)

// maxNote is how many characters the note of a change may have.
const maxNote = 1000

// check validates the state that an entry is to have and returns it with every field, typed. It is the one validation of every way to change
// something. A refusal is Invalid and names every field.
func (c *Curation) check(l List, s State, note string) (State, error) {
	wrong := map[string]string{}
	if n := utf8.RuneCountInString(note); n > maxNote {
		wrong["note"] = fmt.Sprintf("note takes at most %d characters; this has %d", maxNote, n)
	} else if strings.ContainsFunc(note, func(r rune) bool { return unstorable(r) && r != '\n' && r != '\r' && r != '\t' }) {
		wrong["note"] = "note has control characters, which are not accepted"
	}
	out := State{Active: s.Active, Values: Values{}}
	for given := range s.Values {
		if _, ok := l.Field(given); !ok {
			wrong[clip(given)] = fmt.Sprintf("%s is not known; the fields are %s", clip(given), strings.Join(names(l), ", "))
		}
	}
	for _, f := range l.Fields() {
		v, given := s.Values[f.Name]
		if !given {
			v = f.zero()
		}
		typed, refusal := f.read(v)
		if refusal != "" {
			wrong[f.Name] = refusal
		}
		out.Values[f.Name] = typed
	}
	if len(wrong) == 0 {
		switch l {
		case Rules:
			c.checkRule(out.Values, wrong)
		case Synonyms:
			if out.Values.String("term") == out.Values.String("canonical") {
				wrong["canonical"] = "a synonym cannot stand for itself"
			}
		default:
		}
	}
	if len(wrong) > 0 {
		return out, &worker.Error{Kind: worker.Invalid, Msg: "Nothing was saved: a field was refused.", Fields: wrong}
	}
	return out, nil
}

func names(l List) (all []string) {
	for _, f := range l.Fields() {
		all = append(all, f.Name)
	}
	return all
}

// read types a value, which may come from a form, from JSON, from YAML or from the database.
func (f Field) read(v any) (typed any, refusal string) {
	switch f.Type {
	case Flag:
		return f.readFlag(v)
	case Number:
		return f.readNumber(v)
	case Text, Block, Choice:
	}
	s, ok := v.(string)
	switch {
	case !ok:
		return "", f.Name + " takes a text"
	case f.Type == Choice:
		if !slices.Contains(f.Choices, s) {
			return "", fmt.Sprintf("%s takes one of %s", f.Name, strings.Join(f.Choices, ", "))
		}
		return s, ""
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unstorable):
		return "", f.Name + " has control characters or broken UTF-8, which are not accepted; a pattern names them as \\t, \\n or \\x{00A0}"
	case int64(utf8.RuneCountInString(s)) > f.Max:
		return "", fmt.Sprintf("%s takes at most %d characters; this has %d", f.Name, f.Max, utf8.RuneCountInString(s))
	case f.Type == Text:
		s = strings.Join(strings.Fields(s), " ")
	}
	if f.Required && s == "" {
		return "", f.Name + " takes a text; it must not be empty"
	}
	return s, ""
}

func (f Field) readFlag(v any) (any, string) {
	switch v {
	case true, "true":
		return true, ""
	case false, "false", "":
		return false, ""
	}
	return false, f.Name + " takes true or false"
}

func (f Field) readNumber(v any) (any, string) {
	n := int64(-1)
	switch v := v.(type) {
	case int64:
		n = v
	case int:
		n = int64(v)
	case uint64:
		n = int64(min(v, math.MaxInt64))
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			n = int64(v)
		}
	case interface{ Int64() (int64, error) }: // json.Number
		if i, err := v.Int64(); err == nil {
			n = i
		}
	case string:
		if v = strings.TrimSpace(v); v == "" {
			return int64(0), ""
		}
		if i, err := strconv.ParseInt(v, 10, 64); err == nil {
			n = i
		}
	}
	if n < 0 || n > f.Max {
		return int64(0), fmt.Sprintf("%s takes a whole number from 0 to %d", f.Name, f.Max)
	}
	return n, ""
}

// unstorable says whether a character has no place in a field of one line.
func unstorable(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }

// clip makes what somebody typed short enough to be told.
func clip(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// group is a reference in a replacement: $1, $name or ${name}; $$ is a dollar sign.
var group = regexp.MustCompile(`\$(?:\$|\{(\w+)\}|(\w+))`)

func (c *Curation) checkRule(v Values, wrong map[string]string) {
	if v.String("kind") == LLMCheck {
		c.checkEngine(v, wrong)
		return
	}
	if v.String("engine") != "" || v.String("preset") != "" {
		wrong["engine"] = "only a rule of the kind LLM_CHECK takes an engine and a preset"
	}
	if v.String("pattern") == "" {
		wrong["pattern"] = "pattern takes a text; it must not be empty"
		return
	}
	re, err := Entry{List: Rules, State: State{Values: v}}.Rule().Compile()
	if err != nil {
		wrong["pattern"] = whereRefused(v.String("pattern"), err)
		return
	}
	if v.String("kind") != Rewrite {
		if v.String("replacement") != "" {
			wrong["replacement"] = "only a rule of the kind REWRITE takes a replacement"
		}
		return
	}
	for _, ref := range group.FindAllStringSubmatch(v.String("replacement"), -1) {
		name := ref[1] + ref[2]
		if name == "" {
			continue
		}
		n, err := strconv.Atoi(name)
		if err == nil && n > re.NumSubexp() || err != nil && re.SubexpIndex(name) < 0 {
			wrong["replacement"] = fmt.Sprintf("the replacement names the group %q, which the pattern does not have; write ${1}x for group 1 and an x, and $$ for a dollar sign", name)
		}
	}
}

// whereRefused says in words what is wrong with a pattern, and at which character.
func whereRefused(pattern string, err error) string {
	e, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return "the pattern is no RE2 expression"
	}
	part := strings.TrimPrefix(e.Expr, "(?i)")
	if at := strings.Index(pattern, part); at >= 0 && part != "" && part != pattern {
		return fmt.Sprintf("the pattern is no RE2 expression: %s at character %d: %q", e.Code, utf8.RuneCountInString(pattern[:at])+1, clip(part))
	}
	return fmt.Sprintf("the pattern is no RE2 expression: %s", e.Code)
}

func (c *Curation) checkEngine(v Values, wrong map[string]string) {
	if v.String("pattern") != "" || v.String("replacement") != "" {
		wrong["pattern"] = "a rule of the kind LLM_CHECK takes no pattern and no replacement: an engine reads the titles"
	}
	if v.String("target_column") != "original_title" {
		wrong["target_column"] = "a rule of the kind LLM_CHECK reads titles: its column is original_title"
	}
	engine, preset := v.String("engine"), v.String("preset")
	choices := c.Engines()
	if engine == "" && preset != "" {
		wrong["preset"] = "a preset belongs to an engine; name the engine, too"
	}
	if engine == "" {
		return
	}
	i := slices.IndexFunc(choices, func(e worker.EngineChoice) bool { return e.Name == engine })
	if i < 0 {
		var known []string
		for _, e := range choices {
			known = append(known, e.Name)
		}
		wrong["engine"] = fmt.Sprintf("engine takes one of %s", strings.Join(known, ", "))
		return
	}
	var known []string
	for _, p := range choices[i].Presets {
		if p.Name == preset {
			return
		}
		known = append(known, p.Name)
	}
	if preset != "" {
		wrong["preset"] = fmt.Sprintf("preset takes one of %s", strings.Join(known, ", "))
	}
}
