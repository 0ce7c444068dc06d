package importer

import (
	"encoding/json"
	"io"
)

// line is a description in JSON Lines.
type line struct {
	DescriptionID       string   `json:"description_id"`
	Title               string   `json:"title"`
	ParentDescriptionID string   `json:"parent_description_id,omitempty"`
	ReferenceCode       string   `json:"reference_code,omitempty"`
	ParentReferenceCode string   `json:"parent_reference_code,omitempty"`
	Level               string   `json:"level,omitempty"`
	Date                string   `json:"date,omitempty"`
	Extent              string   `json:"extent,omitempty"`
	Repository          string   `json:"repository,omitempty"`
	Producers           string   `json:"producers,omitempty"`
	AdminBioHistory     string   `json:"admin_bio_history,omitempty"`
	Provenance          string   `json:"provenance,omitempty"`
	ScopeContent        string   `json:"scope_content,omitempty"`
	Language            string   `json:"language,omitempty"`
	AccessConditions    string   `json:"access_conditions,omitempty"`
	ArchivistNotes      string   `json:"archivist_notes,omitempty"`
	ImageURL            string   `json:"image_url,omitempty"`
	Subjects            []string `json:"subjects,omitempty"`
	Places              []string `json:"places,omitempty"`
	Names               []string `json:"names,omitempty"`
	Genres              []string `json:"genres,omitempty"`

	ReviewStatus   string    `json:"review_status"`
	AnomalyReasons []string  `json:"anomaly_reasons"`
	Typology       *Typology `json:"typology"`
	Entities       []Entity  `json:"entities"`
	Tags           []Tag     `json:"tags"`
	Thumbnail      *string   `json:"thumbnail"` // the key in storage

	Mark mark `json:"scrinalia"`
}

// lineWriter writes JSON Lines. A line can express every field.
type lineWriter struct{ enc *json.Encoder }

func newLineWriter(w io.Writer) *lineWriter {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &lineWriter{enc}
}

func (w *lineWriter) write(d *Description) error {
	r := d.cleaned()
	return w.enc.Encode(line{
		DescriptionID: r.DescriptionID, Title: r.Title, ParentDescriptionID: r.ParentDescriptionID, ReferenceCode: r.ReferenceCode,
		ParentReferenceCode: r.ParentReferenceCode, Level: r.Level, Date: r.Date, Extent: r.Extent, Repository: r.Repository,
		Producers: r.Producers, AdminBioHistory: r.AdminBioHistory, Provenance: r.Provenance, ScopeContent: r.ScopeContent,
		Language: r.Language, AccessConditions: r.AccessConditions, ArchivistNotes: r.ArchivistNotes, ImageURL: r.ImageURL,
		Subjects: r.Subjects, Places: r.Places, Names: r.Names, Genres: r.Genres,

		ReviewStatus: d.ReviewStatus, AnomalyReasons: orEmpty(d.AnomalyReasons), Typology: d.Typology,
		Entities: orEmpty(d.Entities), Tags: orEmpty(d.Tags), Thumbnail: d.Thumbnail,

		Mark: newMark(d, &r),
	})
}

// orEmpty is the list, or an empty one for none.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
