package worker

import (
	"fmt"
	"maps"
)

// previewUnits is how many units a dry run shows of a batch.
const previewUnits = 50

// CountedNote is one note, or none when there is nothing to count.
func CountedNote(name string, n int64) map[string]Note {
	if n == 0 {
		return nil
	}
	return map[string]Note{name: {Count: n}}
}

// MergeNotes puts notes of different names together.
func MergeNotes(parts ...map[string]Note) map[string]Note {
	all := map[string]Note{}
	for _, p := range parts {
		maps.Copy(all, p)
	}
	return all
}

// FilingNotes counts what became of the units; a dry run shows some of those that would be filed.
func FilingNotes(filings []Filing, labels []Label, dry bool) map[string]Note {
	names := make(map[int32]string, len(labels))
	for _, l := range labels {
		names[l.ID] = l.Name
	}
	var filed, unsure, without, refused int64
	var preview Note
	for _, f := range filings {
		switch {
		case f.Error != "":
		case f.Refusal != "":
			refused++
		case f.Set:
			filed++
			preview.Count++
			if len(preview.Examples) < previewUnits {
				preview.Examples = append(preview.Examples, fmt.Sprintf("%s: %s (%.2f)", f.Reading.Name, names[f.Label], f.Score))
			}
		case f.Label != 0:
			unsure++
		default:
			without++
		}
	}
	notes := MergeNotes(CountedNote("filed", filed), CountedNote("below_threshold", unsure), CountedNote("no_label", without), CountedNote("no_subject", refused))
	if dry && preview.Count > 0 {
		notes["would_file"] = preview
	}
	return notes
}
