package worker

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OptionType is the type of an option's value.
type OptionType string

// The types of options, with their JSON form.
const (
	Integer OptionType = "integer" // a JSON number without fraction
	Number  OptionType = "number"  // a JSON number
	Boolean OptionType = "boolean" // true or false
	Text    OptionType = "text"    // a JSON string
	List    OptionType = "list"    // a JSON array of strings
)

// Option describes one option of a worker. Forms, flags, JSON and validation derive from it.
type Option struct {
	Name    string     `json:"name"`
	Type    OptionType `json:"type"`
	Default any        `json:"default"`
	Min     *float64   `json:"min,omitempty"`
	Max     *float64   `json:"max,omitempty"`
	Choices []string   `json:"choices,omitempty"`
	Help    string     `json:"help"`
	RunOnly bool       `json:"run_only"` // belongs to one run, is never stored as an override
	// Neutral says that another value gives the same results (a pause, a time limit): it makes nothing stale.
	Neutral bool `json:"neutral,omitempty"`
}

// describe derives the options from the struct's json, min, max, choices, help, run and results tags. A field without json or help
// tag is a mistake in the worker and panics at start.
func describe(defaults any) []Option {
	var opts []Option
	v := reflect.ValueOf(defaults)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			opts = append(opts, describe(v.Field(i).Interface())...)
			continue
		}
		o := Option{Name: f.Tag.Get("json"), Help: f.Tag.Get("help"), Default: v.Field(i).Interface(), RunOnly: f.Tag.Get("run") == "only", Neutral: f.Tag.Get("results") == "same"}
		if o.Name == "" || o.Help == "" {
			panic("worker: option " + v.Type().String() + "." + f.Name + " needs a json and a help tag")
		}
		o.Type = typeOf(f.Type)
		o.Min, o.Max = bound(f.Tag.Get("min")), bound(f.Tag.Get("max"))
		if c := f.Tag.Get("choices"); c != "" {
			o.Choices = strings.Split(c, ",")
		}
		opts = append(opts, o)
	}
	return opts
}

func typeOf(t reflect.Type) OptionType {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return Integer
	case reflect.Float64:
		return Number
	case reflect.Bool:
		return Boolean
	case reflect.String:
		return Text
	case reflect.Slice:
		return List
	default:
		panic("worker: no option type for " + t.String())
	}
}

func bound(tag string) *float64 {
	if tag == "" {
		return nil
	}
	f, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		panic("worker: bound " + tag + " is no number")
	}
	return &f
}

// Accepts says in words which values the option takes.
func (o Option) Accepts() string {
	switch o.Type {
	case Integer, Number:
		word := map[OptionType]string{Integer: "a whole number", Number: "a number"}[o.Type]
		switch {
		case o.Min != nil && o.Max != nil:
			return fmt.Sprintf("%s from %s to %s", word, number(*o.Min), number(*o.Max))
		case o.Min != nil:
			return fmt.Sprintf("%s of at least %s", word, number(*o.Min))
		}
		return word
	case Boolean:
		return "true or false"
	case List:
		if o.Choices != nil {
			return "one or more of " + strings.Join(o.Choices, ", ")
		}
		return fmt.Sprintf("a list of texts, up to %d of up to %d characters", maxList, maxText)
	case Text:
		if o.Choices != nil {
			return "one of " + strings.Join(o.Choices, ", ")
		}
	}
	return fmt.Sprintf("a text of up to %d characters, without control characters", maxText)
}

// The bounds of what is not chosen from a list.
const (
	maxText = 500 // characters
	maxList = 100 // items
)

// fits says whether a text may be the value of an option.
func fits(s string) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxText && !strings.ContainsFunc(s, unicode.IsControl)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Parse reads the option from text, as a flag or a form field gives it.
func (o Option) Parse(s string) (any, error) {
	s = strings.TrimSpace(s)
	var v any = s
	switch o.Type {
	case Integer, Number:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, o.refuse(s)
		}
		v = f
	case Boolean:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return nil, o.refuse(s)
		}
		v = b
	case List:
		parts := []any{}
		for p := range strings.SplitSeq(s, ",") {
			if p = strings.TrimSpace(p); p != "" {
				parts = append(parts, p)
			}
		}
		v = parts
	case Text:
	}
	return o.Check(v)
}

// Check returns the value in its Go type (int64, float64, bool, string, []string), or an error that says what would be accepted.
func (o Option) Check(v any) (any, error) {
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		if err != nil {
			return nil, o.refuse(n)
		}
		v = f
	}
	switch o.Type {
	case Integer, Number:
		return o.checkNumber(v)
	case Boolean:
		if b, ok := v.(bool); ok {
			return b, nil
		}
	case Text:
		if s, ok := v.(string); ok && fits(s) && (o.Choices == nil || slices.Contains(o.Choices, s)) {
			return s, nil
		}
	case List:
		return o.checkList(v)
	}
	return nil, o.refuse(v)
}

func (o Option) checkNumber(v any) (any, error) {
	f := math.NaN()
	switch n := v.(type) {
	case float64:
		f = n
	case int:
		f = float64(n)
	case int64:
		f = float64(n)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) || o.Min != nil && f < *o.Min || o.Max != nil && f > *o.Max {
		return nil, o.refuse(v)
	}
	if o.Type == Number {
		return f, nil
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil, o.refuse(v)
	}
	return int64(f), nil
}

func (o Option) checkList(v any) (any, error) {
	if s, ok := v.([]string); ok {
		v = anySlice(s)
	}
	items, ok := v.([]any)
	if !ok || len(items) == 0 || len(items) > maxList {
		return nil, o.refuse(v)
	}
	list := make([]string, 0, len(items))
	for _, i := range items {
		s, ok := i.(string)
		if !ok || !fits(s) || o.Choices != nil && !slices.Contains(o.Choices, s) {
			return nil, o.refuse(i)
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	if o.Choices != nil { // a set: in the order of the choices, so that equal sets are equal values
		slices.SortFunc(list, func(a, b string) int { return slices.Index(o.Choices, a) - slices.Index(o.Choices, b) })
	}
	return list, nil
}

func anySlice(s []string) []any {
	out := make([]any, len(s))
	for i := range s {
		out[i] = s[i]
	}
	return out
}

func (o Option) refuse(v any) error {
	shown := []rune(strings.ToValidUTF8(fmt.Sprint(v), "\uFFFD"))
	if len(shown) > 80 {
		shown = append(shown[:80], '…')
	}
	return fmt.Errorf("%q is not accepted; %s takes %s", string(shown), o.Name, o.Accepts())
}
