package importer

import (
	"slices"
	"strings"
)

// mappedColumns are the columns that are read. The others are kept in the raw
// record only.
var mappedColumns = []string{
	"accessConditions", "acquisition", "archivalHistory", "archivistNote", "creatorDates", "creatorDatesEnd",
	"creatorDatesStart", "creatorHistories", "creators", "creationDates", "creationDatesEnd", "creationDatesStart",
	"culture", "descriptionIdentifier", "digitalObjectURI", "eventActorHistories", "eventActors", "eventDates",
	"eventEndDates", "eventStartDates", "eventTypes", "extentAndMedium", "genreAccessPoints", "identifier", "language",
	"legacyId", "levelOfDescription", "nameAccessPoints", "parentId", "placeAccessPoints", "referenceCode", "repository",
	"scopeAndContent", "subjectAccessPoints", "title", markName,
}

// creations are the names of the event type "creation" in the languages that
// AtoM writes it in most often.
var creations = []string{"creation", "criação", "produção", "creación", "producción", "création", "production", "erstellung", "creazione"}

const null = "NULL" // how AtoM writes that a field has nothing in it

// record maps the row. The description id and the raw record are the caller's.
func (a *atom) record() Record {
	code := a.one("referenceCode")
	if code == "" {
		code = a.one("identifier")
	}
	dates, actors, histories := a.events()
	return Record{
		Title:               a.val("title"),
		ParentDescriptionID: a.one("parentId"),
		ReferenceCode:       code,
		Level:               a.one("levelOfDescription"),
		Date:                dates,
		Extent:              a.val("extentAndMedium"),
		Repository:          a.val("repository"),
		Producers:           actors,
		AdminBioHistory:     histories,
		Provenance:          join("\n\n", a.val("archivalHistory"), a.val("acquisition")),
		ScopeContent:        a.val("scopeAndContent"),
		Language:            strings.Join(a.list("language"), "; "),
		AccessConditions:    a.val("accessConditions"),
		ArchivistNotes:      strings.Join(a.list("archivistNote"), "\n\n"),
		ImageURL:            a.one("digitalObjectURI"),
		Subjects:            a.list("subjectAccessPoints"),
		Places:              a.list("placeAccessPoints"),
		Names:               a.list("nameAccessPoints"),
		Genres:              a.list("genreAccessPoints"),
	}
}

// raw is the row as a JSON object, by column, without empty fields.
func (a *atom) raw() []byte {
	n := 2
	for i, s := range a.vals {
		n += len(a.keys[i]) + len(s) + 3
	}
	b := append(make([]byte, 0, n), '{')
	for i, s := range a.vals {
		if s == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = appendJSONString(append(b, a.keys[i]...), s)
	}
	return append(b, '}')
}

// val is a field as text; a column that is not there is empty.
func (a *atom) val(name string) string {
	i, ok := a.column[name]
	if !ok || a.vals[i] == "" {
		return ""
	}
	return notNull(a.text.clean(a.vals[i]))
}

// one is a field that is a name or a code: without spaces around it.
func (a *atom) one(name string) string { return strings.TrimSpace(a.val(name)) }

// list is a field with several values.
func (a *atom) list(name string) []string {
	i, ok := a.column[name]
	if !ok || a.vals[i] == "" {
		return []string{}
	}
	items := strings.Split(a.vals[i], "|")
	return a.text.list(slices.DeleteFunc(items, func(s string) bool { return strings.TrimSpace(s) == null }))
}

// split is a field with one value an event; what says nothing stays, empty, in
// its place.
func (a *atom) split(names ...string) []string {
	for _, name := range names {
		if s := a.val(name); s != "" {
			items := strings.Split(s, "|")
			for i, item := range items {
				items[i] = notNull(strings.TrimSpace(item))
			}
			return items
		}
	}
	return nil
}

func notNull(s string) string {
	if strings.TrimSpace(s) == null {
		return ""
	}
	return s
}

// events are the dates, actors and histories of the events that created the
// records. AtoM before 2.2 has columns for these alone.
func (a *atom) events() (dates, actors, histories string) {
	types := a.split("eventTypes")
	if types == nil && !a.has("eventDates") && !a.has("eventActors") {
		return a.eventDates(nil, a.split("creationDates", "creatorDates"),
				a.split("creationDatesStart", "creatorDatesStart"), a.split("creationDatesEnd", "creatorDatesEnd")),
			pick(nil, a.split("creators"), "; "), pick(nil, a.split("creatorHistories"), "\n\n")
	}
	dates = a.eventDates(types, a.split("eventDates"), a.split("eventStartDates"), a.split("eventEndDates"))
	actors = pick(types, a.split("eventActors", "creators"), "; ")
	histories = pick(types, a.split("eventActorHistories", "creatorHistories"), "\n\n")
	return dates, actors, histories
}

// eventDates prefers what the archivist wrote to the first and last day.
func (a *atom) eventDates(types, dates, starts, ends []string) string {
	all := make([]string, max(len(dates), len(starts), len(ends)))
	for i := range all {
		start, end := at(starts, i), at(ends, i)
		if start == end {
			end = ""
		}
		if all[i] = at(dates, i); all[i] == "" {
			all[i] = join(" - ", start, end)
		}
	}
	return pick(types, all, "; ")
}

// pick joins the values of the events of type creation or, where those have
// none, of all events. Each value comes once.
func pick(types, values []string, sep string) string {
	var created, all []string
	for i, v := range values {
		if v == "" {
			continue
		}
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
		if slices.Contains(creations, strings.ToLower(at(types, i))) && !slices.Contains(created, v) {
			created = append(created, v)
		}
	}
	if len(created) > 0 {
		return strings.Join(created, sep)
	}
	return strings.Join(all, sep)
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// join joins the texts that are not empty.
func join(sep string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), sep)
}
