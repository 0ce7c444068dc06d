package importer

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"scrinalia/worker"
)

// atom reads AtoM's ISAD(G) archival description CSV.
type atom struct {
	rows   *rowReader
	text   *text
	header []string       // as given, cleaned
	keys   [][]byte       // the header as keys of the raw record
	column map[string]int // where each of mappedColumns is
	vals   []string       // the row as given
	empty  int64          // rows with nothing in them
	byID   map[string]int64
	twice  string // a mapped column that the header has twice
}

// delimiters are tried in this order.
var delimiters = []struct {
	comma byte
	name  string
}{{',', "a comma"}, {';', "a semicolon"}, {'\t', "a tab"}}

// idColumns can hold the description id, the best one first.
var idColumns = []string{"legacyId", "descriptionIdentifier", "identifier"}

// newAtoM reads the header.
func newAtoM(r io.Reader, t *text) (*atom, error) {
	trial := &text{windows1252: t.windows1252} // what is looked at again counts once
	a := &atom{text: trial, byID: map[string]int64{}}
	w := newWindow(r)
	head, err := w.headLine()
	if err != nil {
		return nil, err
	}
	comma := delimiters[0].comma
	for _, d := range delimiters {
		if a.mapHeader(headerOf(head, d.comma, trial)); a.complete() {
			comma = d.comma
			break
		}
	}
	a.text, a.rows = t, &rowReader{w: w, comma: comma}
	if err := a.rows.next(); err != nil {
		return nil, a.notCSV(err)
	}
	a.mapHeader(a.cells())
	if err := a.checkHeader(); err != nil {
		return nil, err
	}
	return a, nil
}

// headLine returns the file as far as its first line that is not empty may reach.
func (w *window) headLine() ([]byte, error) {
	for !w.eof && !w.full() && w.end < len(w.buf) {
		if err := w.fill(); err != nil {
			return nil, err
		}
	}
	return w.data(), nil
}

// headerOf reads the first row of b with another delimiter.
func headerOf(b []byte, comma byte, t *text) []string {
	r := &rowReader{w: &window{r: strings.NewReader(""), buf: slices.Clone(b), end: len(b), line: 1}, comma: comma}
	if r.next() != nil {
		return nil
	}
	var names []string
	for _, c := range r.cells {
		s, _ := t.decode(r.bytes(c))
		names = append(names, s)
	}
	return names
}

// mapHeader notes where each column is. Names count without case and spaces.
func (a *atom) mapHeader(names []string) {
	a.header, a.keys, a.column, a.twice = nil, nil, map[string]int{}, ""
	for i, name := range names {
		name = strings.TrimSpace(a.text.clean(name))
		key := name
		if key == "" {
			key = fmt.Sprintf("column %d", i+1)
		}
		for n := 2; slices.Contains(a.header, key); n++ {
			key = fmt.Sprintf("%s (%d)", name, n)
		}
		a.header = append(a.header, key)
		a.keys = append(a.keys, append(appendJSONString(nil, key), ':'))
		n := slices.IndexFunc(mappedColumns, func(m string) bool { return strings.EqualFold(m, name) })
		if n < 0 {
			continue
		}
		if a.has(mappedColumns[n]) {
			a.twice = name
			continue
		}
		a.column[mappedColumns[n]] = i
	}
}

func (a *atom) has(name string) bool { _, ok := a.column[name]; return ok }

// is says whether the column at i is the one of that name.
func (a *atom) is(i int, name string) bool { n, ok := a.column[name]; return ok && n == i }

func (a *atom) complete() bool { return a.has("title") && slices.ContainsFunc(idColumns, a.has) }

// checkHeader refuses a header that leaves open where the text belongs.
func (a *atom) checkHeader() error {
	switch {
	case !a.has("title") && !slices.ContainsFunc(idColumns, a.has):
		return worker.Errorf(worker.Invalid, "The file is in no known format: its first line is no header of AtoM's CSV and no JSON object. %s", accepted)
	case !a.has("title"):
		return worker.Errorf(worker.Invalid, "The header has no column title. %s", accepted)
	case !a.complete():
		return worker.Errorf(worker.Invalid, "The header has no column with the id of a description. %s", accepted)
	case a.twice != "":
		return worker.Errorf(worker.Invalid, "The header has the column %s twice. Every column of AtoM's template may occur once.", a.twice)
	}
	return nil
}

// notCSV is the error for a file whose first row cannot be read.
func (a *atom) notCSV(err error) error {
	if s, ok := errors.AsType[*syntaxError](err); ok {
		return worker.Errorf(worker.Invalid, "The header cannot be read: %s. %s", s.reason, accepted)
	}
	if errors.Is(err, io.EOF) {
		return worker.Errorf(worker.Invalid, "The file is empty. %s", accepted)
	}
	return err
}

// cells decodes the row. Bytes that are no text give an empty header name; in
// a row next has looked before.
func (a *atom) cells() []string {
	a.vals = a.vals[:0]
	for _, c := range a.rows.cells {
		s, _ := a.text.decode(a.rows.bytes(c))
		a.vals = append(a.vals, s)
	}
	return a.vals
}

// next reads a row.
func (a *atom) next() (row, error) {
	for {
		err := a.rows.next()
		if s, ok := errors.AsType[*syntaxError](err); ok {
			return malformed(a.rows.line+s.line, a.columnName(s.field), s.reason), nil
		}
		if err != nil {
			return row{}, err
		}
		if !a.blank() {
			return a.parse(), nil
		}
		a.empty++
	}
}

// blank says that no field of the row holds anything, as spreadsheets leave
// rows behind.
func (a *atom) blank() bool {
	return !slices.ContainsFunc(a.rows.cells, func(c cell) bool { return c.start < c.end })
}

func (a *atom) columnName(i int) string {
	if i < len(a.header) {
		return a.header[i]
	}
	return ""
}

// parse checks the row and maps it.
func (a *atom) parse() row {
	line := a.rows.line
	if n := len(a.rows.cells); n != len(a.header) {
		reason := fmt.Sprintf("the row has %d fields, the header has %d", n, len(a.header))
		if to := a.rows.w.line - 1; to > line {
			reason += fmt.Sprintf("; quoted text takes it to line %d", to)
		}
		return malformed(line, "", reason)
	}
	a.vals = a.vals[:0]
	var reject *Reject
	for i, c := range a.rows.cells {
		s, ok := a.text.decode(a.rows.bytes(c))
		switch {
		case reject != nil:
		case !ok:
			reject = &Reject{Line: line + c.line, Column: a.header[i], Reason: reasonBadUTF8}
		case len(s) > maxField && !a.is(i, markName):
			reject = &Reject{Line: line + c.line, Column: a.header[i], Reason: tooLong(len(s))}
		}
		a.vals = append(a.vals, s)
	}
	id, column := a.id()
	r := row{line: line}
	if reject == nil {
		r.Record, r.culture = a.record(), strings.ToLower(a.one("culture"))
		r.DescriptionID, r.Raw = id, a.raw()
		if a.has(markName) {
			r.recognise([]byte(a.vals[a.column[markName]]))
			id = r.DescriptionID
		}
	}
	if reason := checkID(id); reject == nil && reason != "" {
		i := a.column[column]
		reject = &Reject{Line: line + a.rows.cells[i].line, Column: a.header[i], Reason: reason}
	}
	if reject != nil {
		reject.ID = shortID(id)
		return row{line: line, reject: reject}
	}
	a.byID[column]++
	return r
}

// id returns the description id and the column that it is from.
func (a *atom) id() (id, column string) {
	for _, name := range idColumns {
		if !a.has(name) {
			continue
		}
		if column == "" {
			column = name
		}
		if id := a.one(name); id != "" {
			return id, name
		}
	}
	return "", column
}

func (a *atom) notes() []string {
	var notes []string
	for _, d := range delimiters[1:] {
		if a.rows.comma == d.comma {
			notes = append(notes, fmt.Sprintf("The fields are separated by %s.", d.name))
		}
	}
	for _, name := range idColumns[1:] {
		if n := a.byID[name]; n > 0 {
			notes = append(notes, fmt.Sprintf("%d rows have no legacyId; their %s is the description id.", n, name))
		}
	}
	if a.empty > 0 {
		notes = append(notes, fmt.Sprintf("%d empty rows were skipped.", a.empty))
	}
	return notes
}
