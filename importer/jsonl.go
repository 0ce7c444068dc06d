package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonLines reads one JSON object a line. Keys that an export adds (such as
// tags and entities) are like unknown ones: kept in the raw record, never
// mapped. Its mark is looked at: see mark.
type jsonLines struct {
	w    *window
	text *text
}

func newJSONLines(r io.Reader, t *text) *jsonLines { return &jsonLines{w: newWindow(r), text: t} }

func (j *jsonLines) notes() []string { return nil }

// next reads a line. Blank lines do not count.
func (j *jsonLines) next() (row, error) {
	for {
		line := j.w.line
		b, err := j.readLine()
		switch {
		case errors.Is(err, errLong):
			return malformed(line, "", fmt.Sprintf("the line has more than %d bytes", maxRow)), nil
		case err != nil:
			return row{}, err
		}
		s, ok := j.text.decode(b)
		if !ok {
			return row{line: line, reject: &Reject{Line: line, Reason: reasonBadUTF8}}, nil
		}
		if strings.Trim(s, " \t\r\n") != "" {
			return j.parse(line, []byte(s)), nil
		}
	}
}

var errLong = errors.New("line too long")

// readLine returns the next line with its end, good until the next call.
func (j *jsonLines) readLine() ([]byte, error) {
	seen := 0
	for {
		data := j.w.data()
		if i := bytes.IndexByte(data[seen:], '\n'); i >= 0 && seen+i < maxRow {
			j.w.skip(seen+i+1, 1)
			return data[:seen+i+1], nil
		}
		switch seen = len(data); {
		case j.w.full():
			if err := j.w.skipLine(false); err != nil {
				return nil, err
			}
			return nil, errLong
		case j.w.eof && len(data) == 0:
			return nil, io.EOF
		case j.w.eof:
			j.w.skip(len(data), 1)
			return data, nil
		}
		if err := j.w.fill(); err != nil {
			return nil, err
		}
	}
}

// parse maps one object.
func (j *jsonLines) parse(line int64, b []byte) row {
	b = bytes.Trim(b, " \t\r\n")
	if b[0] != '{' && json.Valid(b) {
		return malformed(line, "", "the line is not a JSON object")
	}
	var check json.RawMessage
	if err := json.Unmarshal(b, &check); err != nil {
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			return malformed(line, "", fmt.Sprintf("not valid JSON at byte %d: %v", s.Offset, s))
		}
		return malformed(line, "", fmt.Sprintf("not valid JSON: %v", err))
	}
	raw, nuls, reason := storable(b)
	j.text.nuls += nuls
	if reason != "" {
		return row{line: line, reject: &Reject{Line: line, Reason: reason}}
	}
	o := object{text: j.text}
	if err := json.Unmarshal(raw, &o.keys); err != nil {
		return malformed(line, "", fmt.Sprintf("not valid JSON: %v", err))
	}
	r := row{line: line, Record: o.record()}
	r.Raw = raw
	if o.reject != nil {
		o.reject.Line, o.reject.ID = line, shortID(r.DescriptionID)
		r.reject, r.malformed = o.reject, o.missing
		return r
	}
	r.recognise(o.keys[markName])
	return r
}

// object is one line. The first thing wrong with it is its reject.
type object struct {
	keys    map[string]json.RawMessage
	text    *text
	reject  *Reject
	missing bool // a required key is not there
}

func (o *object) record() Record {
	r := Record{
		DescriptionID:       o.id("description_id"),
		Title:               o.val("title"),
		ParentDescriptionID: o.id("parent_description_id"),
		ReferenceCode:       o.one("reference_code"),
		ParentReferenceCode: o.one("parent_reference_code"),
		Level:               o.one("level"),
		Date:                o.val("date"),
		Extent:              o.val("extent"),
		Repository:          o.val("repository"),
		Producers:           o.val("producers"),
		AdminBioHistory:     o.val("admin_bio_history"),
		Provenance:          o.val("provenance"),
		ScopeContent:        o.val("scope_content"),
		Language:            o.val("language"),
		AccessConditions:    o.val("access_conditions"),
		ArchivistNotes:      o.val("archivist_notes"),
		ImageURL:            o.one("image_url"),
		Subjects:            o.list("subjects"),
		Places:              o.list("places"),
		Names:               o.list("names"),
		Genres:              o.list("genres"),
	}
	for _, key := range []string{"description_id", "title"} {
		if _, ok := o.keys[key]; !ok && o.reject == nil {
			o.fail(key, "the key is missing")
			o.missing = true
		}
	}
	if reason := checkID(r.DescriptionID); reason != "" {
		o.fail("description_id", reason)
	}
	return r
}

func (o *object) fail(key, reason string) {
	if o.reject == nil {
		o.reject = &Reject{Column: key, Reason: reason}
	}
}

// val is text, or null for none.
func (o *object) val(key string) string {
	v, ok := o.keys[key]
	if !ok || string(v) == "null" {
		return ""
	}
	var s string
	if v[0] != '"' || json.Unmarshal(v, &s) != nil {
		o.fail(key, "must be text, not "+kind(v))
		return ""
	}
	if len(s) > maxField {
		o.fail(key, tooLong(len(s)))
	}
	return o.text.clean(s)
}

// one is text that is a name or a code: without spaces around it.
func (o *object) one(key string) string { return strings.TrimSpace(o.val(key)) }

// id is text or a whole number, of which every digit counts.
func (o *object) id(key string) string {
	switch v := string(o.keys[key]); {
	case v == "", v == "null", v[0] == '"':
		return o.one(key)
	case strings.Trim(v, "0123456789-") == "":
		return v
	case kind(o.keys[key]) == "a number":
		o.fail(key, "must be text or a whole number, not "+v[:min(len(v), 40)])
	default:
		o.fail(key, "must be text or a whole number, not "+kind(o.keys[key]))
	}
	return ""
}

func (o *object) list(key string) []string {
	v, ok := o.keys[key]
	if !ok || string(v) == "null" {
		return []string{}
	}
	var raw []json.RawMessage
	if json.Unmarshal(v, &raw) != nil {
		o.fail(key, "must be a list of texts, not "+kind(v))
		return []string{}
	}
	items := make([]string, len(raw))
	for i, item := range raw {
		if item[0] != '"' || json.Unmarshal(item, &items[i]) != nil {
			o.fail(key, "must be a list of texts; there is "+kind(item)+" in it")
		}
		if len(items[i]) > maxField {
			o.fail(key, tooLong(len(items[i])))
		}
	}
	return o.text.list(items)
}

// kind names the type of a JSON value.
func kind(v json.RawMessage) string {
	switch v[0] {
	case '"':
		return "text"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}
