package importer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scrinalia/importer"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T, sink importer.Sink, name string) (importer.Report, string, error) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rejects bytes.Buffer
	report, err := importer.Import(t.Context(), sink, f, importer.Options{Name: name}, &rejects)
	return report, rejects.String(), err
}

// files are all that can be imported, with everything a report says of them.
var files = []struct {
	name     string
	format   importer.Format
	encoding string
	imported int64
	rejects  []importer.Reject
	notes    []string
}{
	{name: "plain.csv", imported: 2},
	{name: "bom-crlf.csv", encoding: "UTF-8 with BOM", imported: 2},
	{name: "cr.csv", imported: 2},
	{name: "children-first.csv", imported: 3},
	{name: "columns-any-order.csv", imported: 1},
	{name: "nfd.csv", imported: 1},
	{name: "old-creators.csv", imported: 1},
	{name: "semicolon.csv", imported: 1, notes: []string{"The fields are separated by a semicolon."}},
	{name: "tab.csv", imported: 1, notes: []string{"The fields are separated by a tab."}},
	{name: "header-only.csv", notes: []string{"The file has no records."}},
	{
		name: "atom-2x.csv", imported: 3,
		rejects: []importer.Reject{{Line: 9, ID: "1001", Reason: `a translation (culture "fr") of the record in line 6, which is "pt"; only the first culture of a record is imported`}},
	},
	{
		name: "windows-1252.csv", encoding: "Windows-1252", imported: 3,
		notes: []string{
			"The file is not valid UTF-8 and was read as Windows-1252.",
			"1 bytes mean nothing in Windows-1252 and became U+FFFD.",
		},
	},
	{
		name: "damaged-utf8.csv", imported: 2,
		notes:   []string{"The file is UTF-8 with 1 bytes that are not; the rows that hold them were rejected."},
		rejects: []importer.Reject{{Line: 3, Column: "title", ID: "2", Reason: "bytes that are not valid UTF-8, in a file that otherwise is"}},
	},
	{
		name: "nul.csv", imported: 1,
		notes: []string{"1 NUL characters were left out.", "1 control characters were left out; the raw records keep them."},
	},
	{
		name: "field-count.csv", imported: 2,
		rejects: []importer.Reject{
			{Line: 3, Reason: "the row has 2 fields, the header has 5"},
			{Line: 4, Reason: "the row has 6 fields, the header has 5"},
		},
	},
	{
		name: "quotes.csv", imported: 3,
		rejects: []importer.Reject{
			{Line: 2, Column: "scopeAndContent", Reason: "text after a closing quotation mark; a quotation mark inside quoted text must be doubled"},
			{Line: 3, Column: "legacyId", Reason: "a quotation mark in a field that is not quoted; put the field in quotation marks and double those inside"},
			{Line: 4, Column: "title", Reason: "a quotation mark in a field that is not quoted; put the field in quotation marks and double those inside"},
			{Line: 5, Column: "scopeAndContent", Reason: "text after a closing quotation mark; a quotation mark inside quoted text must be doubled"},
			{Line: 8, Column: "title", Reason: "a quotation mark in a field that is not quoted; put the field in quotation marks and double those inside"},
		},
	},
	{
		name: "duplicates.csv", imported: 2,
		rejects: []importer.Reject{
			{Line: 4, ID: "1", Reason: "line 2 has the same id; the first record with an id counts"},
			{Line: 5, ID: "2", Reason: `a translation (culture "en") of the record in line 3, which is "pt"; only the first culture of a record is imported`},
		},
	},
	{
		name: "blank-id.csv", imported: 3,
		rejects: []importer.Reject{{Line: 4, Column: "legacyId", Reason: "the description id is empty"}},
		notes: []string{
			"1 rows have no legacyId; their descriptionIdentifier is the description id.",
			"1 rows have no legacyId; their identifier is the description id.",
			"1 empty rows were skipped.",
		},
	},
	{
		name: "long-id.csv", imported: 1,
		rejects: []importer.Reject{{Line: 2, Column: "legacyId", ID: strings.Repeat("x", 500), Reason: "the description id has 501 bytes, more than 500"}},
	},
	{name: "plain.jsonl", format: importer.JSONLines, imported: 2},
	{name: "bom.jsonl", format: importer.JSONLines, encoding: "UTF-8 with BOM", imported: 1},
	{name: "export.jsonl", format: importer.JSONLines, imported: 1},
	{
		name: "windows-1252.jsonl", format: importer.JSONLines, encoding: "Windows-1252", imported: 1,
		notes: []string{"The file is not valid UTF-8 and was read as Windows-1252."},
	},
	{name: "nul.jsonl", format: importer.JSONLines, imported: 2, notes: []string{"3 NUL characters were left out."}},
	{
		name: "damaged-utf8.jsonl", format: importer.JSONLines, imported: 1,
		notes:   []string{"The file is UTF-8 with 1 bytes that are not; the rows that hold them were rejected."},
		rejects: []importer.Reject{{Line: 2, Reason: "bytes that are not valid UTF-8, in a file that otherwise is"}},
	},
	{
		name: "bad.jsonl", format: importer.JSONLines, imported: 2,
		rejects: []importer.Reject{
			{Line: 2, Column: "title", ID: "2", Reason: "the key is missing"},
			{Line: 3, Column: "description_id", Reason: "the key is missing"},
			{Line: 4, Column: "title", ID: "3", Reason: "must be text, not a number"},
			{Line: 5, Column: "subjects", ID: "4", Reason: "must be a list of texts, not text"},
			{Line: 6, Column: "places", ID: "5", Reason: "must be a list of texts; there is a number in it"},
			{Line: 7, Reason: "the line is not a JSON object"},
			{Line: 8, Reason: "not valid JSON at byte 30: unexpected end of JSON input"},
			{Line: 9, Column: "description_id", Reason: "the description id is empty"},
			{Line: 10, Column: "description_id", Reason: "must be text or a whole number, not 1.5"},
			{Line: 11, ID: "1", Reason: "line 1 has the same id; the first record with an id counts"},
			{Line: 12, Reason: "a number has more than 1000 digits"},
			{Line: 13, Reason: "lists and objects are nested more than 100 deep"},
		},
	},
}

func TestImportFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range files {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink := newMemory()
			got, _, err := load(t, sink, tt.name)
			if err != nil {
				t.Fatal(err)
			}
			rejected := int64(len(tt.rejects))
			want := importer.Report{
				File: tt.name, Format: or(tt.format, importer.AtoMCSV), Encoding: or(tt.encoding, "UTF-8"),
				Read: tt.imported + rejected, Imported: tt.imported, Rejected: rejected,
				Rejects: append([]importer.Reject{}, tt.rejects...), Notes: append([]string{}, tt.notes...),
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("first import (-want +got):\n%s", diff)
			}
			want.Imported, want.Unchanged = 0, tt.imported
			got, _, err = load(t, sink, tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("second import (-want +got):\n%s", diff)
			}
		})
	}
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"empty.csv", "The file is empty. Two formats are accepted"},
		{"blank.csv", "The file is empty. Two formats are accepted"},
		{"no-title.csv", "The header has no column title. Two formats are accepted"},
		{"no-id.csv", "The header has no column with the id of a description. Two formats are accepted"},
		{"twice.csv", "The header has the column Title twice."},
		{"utf16.csv", "The file is UTF-16. Save it as CSV UTF-8."},
		{"not-csv.bin", "Two formats are accepted"},
		{"not-csv.xml", "The file is XML or HTML. Two formats are accepted"},
		{"not-csv.xlsx", "The file is a spreadsheet or a ZIP archive. Save the sheet as CSV UTF-8"},
		{"prose.txt", "its first line is no header of AtoM's CSV and no JSON object. Two formats are accepted"},
		{"list.json", "The file is one JSON list."},
		{"field-count-everywhere.csv", "line 2: the row has 2 fields, the header has 5."},
		{"no-json.jsonl", "line 1: not valid JSON at byte 2"},
		{"missing-everywhere.jsonl", "line 1: the key is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink := newMemory()
			got, _, err := load(t, sink, tt.name)
			if worker.KindOf(err) != worker.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if got.Imported != 0 || len(sink.hashes) != 0 {
				t.Errorf("something was imported: %+v", got)
			}
		})
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
