package archive

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
)

// markLength is how many bytes of its hash a field has in a version.
const markLength = 5

// versioned lists what an edit may overwrite, and so what a version covers.
func (d Document) versioned() (names, values []string) {
	for _, f := range Fields {
		names, values = append(names, f.Name), append(values, d.Text(f.Name))
	}
	decided := ""
	if d.Status.Human() {
		decided = string(d.Status)
	}
	return append(names, "level_id", "typology_id", "review_status"),
		append(values, strconv.Itoa(int(d.LevelID)), strconv.Itoa(int(d.TypologyID)), decided)
}

// NewVersion is the version of a description: a mark of each field that an edit may overwrite.
func NewVersion(d Document) string {
	var marks []byte
	_, values := d.versioned()
	for _, v := range values {
		sum := sha256.Sum256([]byte(v))
		marks = append(marks, sum[:markLength]...)
	}
	return base64.RawURLEncoding.EncodeToString(marks)
}

// Since lists the fields of d that are others than when it had that version. ok is false for what is no version.
func (d Document) Since(version string) (changed []string, ok bool) {
	names, _ := d.versioned()
	seen, err := base64.RawURLEncoding.DecodeString(version)
	if err != nil || len(seen) != markLength*len(names) {
		return nil, false
	}
	now, err := base64.RawURLEncoding.DecodeString(NewVersion(d))
	if err != nil {
		return nil, false
	}
	for i, name := range names {
		if at := i * markLength; string(seen[at:at+markLength]) != string(now[at:at+markLength]) {
			changed = append(changed, name)
		}
	}
	return changed, true
}
