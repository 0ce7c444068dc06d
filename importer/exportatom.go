package importer

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// atomColumns are the columns of AtoM's ISAD(G) template, in its order, then
// two that AtoM's import passes over.
var atomColumns = []string{
	"legacyId", "parentId", "qubitParentSlug", "accessionNumber", "identifier", "title", "levelOfDescription", "extentAndMedium", "repository",
	"archivalHistory", "acquisition", "scopeAndContent", "appraisal", "accruals", "arrangement", "accessConditions", "reproductionConditions",
	"language", "script", "languageNote", "physicalCharacteristics", "findingAids", "locationOfOriginals", "locationOfCopies",
	"relatedUnitsOfDescription", "publicationNote", "digitalObjectPath", "digitalObjectURI", "generalNote", "subjectAccessPoints",
	"placeAccessPoints", "nameAccessPoints", "genreAccessPoints", "descriptionIdentifier", "institutionIdentifier", "rules", "descriptionStatus",
	"levelOfDetail", "revisionHistory", "languageOfDescription", "scriptOfDescription", "sources", "archivistNote", "publicationStatus",
	"physicalObjectName", "physicalObjectLocation", "physicalObjectType", "alternativeIdentifiers", "alternativeIdentifierLabels", "eventDates",
	"eventTypes", "eventStartDates", "eventEndDates", "eventActors", "eventActorHistories", "culture", "referenceCode", markName,
}

// atomWriter writes AtoM's CSV. Its row is an atom, the import's own reader, so
// that what it writes is judged by what an import reads.
type atomWriter struct {
	csv    *csv.Writer
	row    *atom
	column map[string]int // where each of atomColumns is
}

func newAtoMWriter(w io.Writer) (*atomWriter, error) {
	a := &atomWriter{csv: csv.NewWriter(w), row: &atom{text: &text{}, vals: make([]string, len(atomColumns))}}
	a.row.mapHeader(atomColumns)
	a.column = make(map[string]int, len(atomColumns))
	for i, name := range atomColumns {
		a.column[name] = i
	}
	if err := a.csv.Write(atomColumns); err != nil {
		return nil, fmt.Errorf("write header: %w", err)
	}
	return a, nil
}

// write writes a description: the columns of the source, where it came as
// AtoM's CSV, as far as they still say what the description says; over them
// the description; and what no column can express into the mark.
func (w *atomWriter) write(d *Description) error {
	want := extended(d).cleaned()
	w.begin(d, &want)
	got := w.read()
	w.describe(&want, &got)
	got = w.read()
	m := newMark(d, &got)
	m.Fields = differing(&want, &got)
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("mark: %w", err)
	}
	w.set(markName, string(b))
	return w.csv.Write(w.row.vals)
}

// begin fills the row with what the source had in these columns, and the ids.
func (w *atomWriter) begin(d *Description, want *Record) {
	clear(w.row.vals)
	var source map[string]any
	if json.Unmarshal(d.Raw, &source) == nil && source["description_id"] == nil { // else JSON Lines
		for name, v := range source {
			i := slices.IndexFunc(atomColumns, func(c string) bool { return strings.EqualFold(c, name) })
			if s, ok := v.(string); ok && i >= 0 {
				w.row.vals[i] = s
			}
		}
	}
	w.set(markName, "")
	w.set("legacyId", want.DescriptionID)
	w.set("parentId", want.ParentDescriptionID)
	if d.ParentID != "" {
		w.set("parentId", d.ParentID)
	}
	if w.get("parentId") != "" { // AtoM takes one of the two
		w.set("qubitParentSlug", "")
	}
}

// describe corrects the columns that do not say what the description says.
func (w *atomWriter) describe(want, got *Record) {
	w.text(want.Title, got.Title, want.Title, "title")
	w.text(want.ReferenceCode, got.ReferenceCode, want.ReferenceCode, "identifier", "referenceCode")
	w.text(want.Level, got.Level, want.Level, "levelOfDescription")
	w.text(want.Extent, got.Extent, want.Extent, "extentAndMedium")
	w.text(want.Repository, got.Repository, want.Repository, "repository")
	w.text(want.Provenance, got.Provenance, want.Provenance, "archivalHistory", "acquisition")
	w.text(want.ScopeContent, got.ScopeContent, want.ScopeContent, "scopeAndContent")
	w.text(want.Language, got.Language, strings.ReplaceAll(oneItem(want.Language), "; ", "|"), "language")
	w.text(want.AccessConditions, got.AccessConditions, want.AccessConditions, "accessConditions")
	w.text(want.ArchivistNotes, got.ArchivistNotes, oneItem(want.ArchivistNotes), "archivistNote")
	w.text(want.ImageURL, got.ImageURL, want.ImageURL, "digitalObjectURI")
	lists, had := want.lists(), got.lists()
	for i, column := range [...]string{"subjectAccessPoints", "placeAccessPoints", "nameAccessPoints", "genreAccessPoints"} {
		if !slices.Equal(*lists[i], *had[i]) {
			w.set(column, strings.Join(*lists[i], "|"))
		}
	}
	w.events(want, got)
}

// text sets the first column to value and empties the others, unless they say
// already what they should.
func (w *atomWriter) text(want, got, value string, columns ...string) {
	if want == got {
		return
	}
	for _, c := range columns {
		w.set(c, "")
	}
	w.set(columns[0], value)
}

// events writes the creation of the records: an event for each producer, with
// date and history at the first. Where only the history differs, it alone goes
// to the first creation that the source has.
func (w *atomWriter) events(want, got *Record) {
	types := w.row.split("eventTypes")
	switch same := want.Date == got.Date && want.Producers == got.Producers; {
	case same && want.AdminBioHistory == got.AdminBioHistory:
		return
	case same && len(types) > 0:
		first := slices.IndexFunc(types, func(s string) bool { return slices.Contains(creations, strings.ToLower(s)) })
		w.set("eventActorHistories", nulls(len(types), max(0, first), want.AdminBioHistory))
		return
	}
	for _, c := range [...]string{"eventTypes", "eventDates", "eventStartDates", "eventEndDates", "eventActors", "eventActorHistories"} {
		w.set(c, "")
	}
	if want.Date == "" && want.Producers == "" && want.AdminBioHistory == "" {
		return
	}
	actors := strings.Split(oneItem(want.Producers), "; ")
	n := len(actors)
	for i, a := range actors {
		if a == "" {
			actors[i] = null
		}
	}
	w.set("eventTypes", strings.TrimSuffix(strings.Repeat("Creation|", n), "|"))
	w.set("eventDates", nulls(n, 0, want.Date))
	w.set("eventStartDates", nulls(n, 0, ""))
	w.set("eventEndDates", nulls(n, 0, ""))
	w.set("eventActors", strings.Join(actors, "|"))
	w.set("eventActorHistories", nulls(n, 0, want.AdminBioHistory))
}

// nulls is a list of n values, of which only the one at i says something.
func nulls(n, i int, value string) string {
	list := slices.Repeat([]string{null}, n)
	if value != "" {
		list[i] = oneItem(value)
	}
	return strings.Join(list, "|")
}

// oneItem is a text as one item of a list. AtoM knows no way to write a
// vertical bar inside of one, so it is broken; the mark has the real one.
func oneItem(s string) string { return strings.ReplaceAll(s, "|", "¦") }

func (w *atomWriter) set(column, value string) { w.row.vals[w.column[column]] = value }

func (w *atomWriter) get(column string) string { return w.row.vals[w.column[column]] }

// read is the row as an import reads it.
func (w *atomWriter) read() Record {
	r := w.row.record()
	r.DescriptionID, _ = w.row.id()
	return r
}

// differing are the fields of want that got has not.
func differing(want, got *Record) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	texts := got.texts()
	for i, s := range want.texts() {
		if *s != *texts[i] {
			fields[textKeys[i]] = appendJSONString(nil, *s)
		}
	}
	lists := got.lists()
	for i, list := range want.lists() {
		if !slices.Equal(*list, *lists[i]) {
			b := []byte{'['}
			for j, s := range *list {
				if j > 0 {
					b = append(b, ',')
				}
				b = appendJSONString(b, s)
			}
			fields[listKeys[i]] = append(b, ']')
		}
	}
	return fields
}

// extended is the description with what was found in it among its access
// points: places; people and organisations as names; the typology as genre;
// tags as subjects, unless some access point of the source says the same. A
// subject category files a tag, and says nothing of a description. Where a
// human refused the description, nothing that a run found in it goes along.
func extended(d *Description) Record {
	r := d.Record
	take := func(origin string) bool {
		return origin != originSource && (d.ReviewStatus != statusRejected || !strings.HasPrefix(origin, "run:"))
	}
	for _, e := range d.Entities {
		switch {
		case !take(e.Origin):
		case e.Type == "LOC":
			r.Places = added(r.Places, e.Name, r.Places)
		default:
			r.Names = added(r.Names, e.Name, r.Names)
		}
	}
	if t := d.Typology; t != nil && take(t.Origin) {
		r.Genres = added(r.Genres, t.Name, r.Genres)
	}
	for _, t := range d.Tags {
		if take(t.Origin) {
			r.Subjects = added(r.Subjects, t.Name, slices.Concat(r.Subjects, r.Places, r.Names, r.Genres))
		}
	}
	return r
}

// added is list with name, unless it is among those already in some spelling.
func added(list []string, name string, among []string) []string {
	key := foldName(name)
	if slices.ContainsFunc(among, func(s string) bool { return foldName(s) == key }) {
		return list
	}
	return append(slices.Clip(list), oneItem(name))
}

// foldName makes spellings comparable: no accents, lower case, single spaces.
func foldName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s))
	return strings.Join(strings.Fields(s), " ")
}
