package importer

import "strings"

// textKeys are the keys of the texts of a record, in the order of [Record.texts].
var textKeys = [...]string{
	"description_id", "title", "parent_description_id", "reference_code", "parent_reference_code", "level", "date", "extent", "repository",
	"producers", "admin_bio_history", "provenance", "scope_content", "language", "access_conditions", "archivist_notes", "image_url",
}

// listKeys are the keys of the lists of a record, in the order of [Record.lists].
var listKeys = [...]string{"subjects", "places", "names", "genres"}

func (r *Record) texts() [len(textKeys)]*string {
	return [...]*string{
		&r.DescriptionID, &r.Title, &r.ParentDescriptionID, &r.ReferenceCode, &r.ParentReferenceCode, &r.Level, &r.Date, &r.Extent, &r.Repository,
		&r.Producers, &r.AdminBioHistory, &r.Provenance, &r.ScopeContent, &r.Language, &r.AccessConditions, &r.ArchivistNotes, &r.ImageURL,
	}
}

func (r *Record) lists() [len(listKeys)]*[]string {
	return [...]*[]string{&r.Subjects, &r.Places, &r.Names, &r.Genres}
}

// cleaned is the record as an import of it would leave it.
func (r Record) cleaned() Record {
	t := &text{}
	for _, p := range r.texts() {
		*p = t.clean(*p)
	}
	for _, p := range [...]*string{&r.DescriptionID, &r.ParentDescriptionID, &r.ReferenceCode, &r.ParentReferenceCode, &r.Level, &r.ImageURL} {
		*p = strings.TrimSpace(*p)
	}
	for _, p := range r.lists() {
		*p = t.list(*p)
	}
	return r
}
