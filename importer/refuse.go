package importer

import (
	"bytes"

	"scrinalia/worker"
)

// accepted ends every sentence about a file that is of no known format.
const accepted = "Two formats are accepted: AtoM's ISAD(G) CSV, whose header has title and one of legacyId, descriptionIdentifier and identifier, " +
	`and JSON Lines, one object a line with "description_id" and "title".`

// lookalikes are files that people take for CSV, by how they begin.
var lookalikes = []struct{ begin, sentence string }{
	{"\xff\xfe", "The file is UTF-16. Save it as CSV UTF-8."},
	{"\xfe\xff", "The file is UTF-16. Save it as CSV UTF-8."},
	{"PK\x03\x04", "The file is a spreadsheet or a ZIP archive. Save the sheet as CSV UTF-8, or unpack the archive."},
	{"\xd0\xcf\x11\xe0", "The file is an old spreadsheet (XLS). Save the sheet as CSV UTF-8."},
	{"\x1f\x8b", "The file is compressed (gzip). Unpack it."},
	{"%PDF", "The file is a PDF."},
	{"<", "The file is XML or HTML."},
	{"[", "The file is one JSON list. JSON Lines has one object a line, without brackets around them."},
}

// refuse returns the error for a file that can be known from its first bytes
// to hold no records.
func (s *scan) refuse() error {
	if s.size == 0 || s.blank {
		return worker.Errorf(worker.Invalid, "The file is empty. %s", accepted)
	}
	head := bytes.TrimLeft(s.text(), " \t\r\n")
	for _, l := range lookalikes {
		if bytes.HasPrefix(head, []byte(l.begin)) {
			return &worker.Error{Kind: worker.Invalid, Msg: l.sentence + " " + accepted}
		}
	}
	return nil
}
