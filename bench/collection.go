package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"scrinalia/importer"
)

// collection is a synthetic archive. The same shape always gives the same records.
type collection struct {
	records      int
	children     int // a parent
	terms        int // distinct subjects
	subjectsEach int
	scopeWords   int // about
}

// real is the size of the archive that the budgets speak of; large is that of a bulk import.
func (s sizes) real() collection {
	return collection{records: s.realDocuments, children: 40, terms: s.realTags, subjectsEach: s.tagsEach, scopeWords: 60}
}

func (s sizes) bulk() collection {
	return collection{records: s.large, children: 200, terms: min(8000, s.large), subjectsEach: 3, scopeWords: 40}
}

const (
	seedHigh, seedLow = 0x5343524e, 0x42454e43
	repository        = "Arquivo Histórico de Pedra Clara"
)

// all yields the records, parents before their children.
func (c collection) all() iter.Seq[importer.Record] {
	return func(yield func(importer.Record) bool) {
		random := rand.New(rand.NewPCG(seedHigh, seedLow))
		depth := make([]uint8, c.records)
		for i := range c.records {
			if !yield(c.record(i, depth, random)) {
				return
			}
		}
	}
}

var levelNames = []string{"Fundo", "Série", "Dossiê", "Item"}

func (c collection) record(i int, depth []uint8, random *rand.Rand) importer.Record {
	r := importer.Record{
		DescriptionID: fmt.Sprintf("apc-%06d", i), ReferenceCode: fmt.Sprintf("BR PC %06d", i), Repository: repository,
		Date: date(random), Extent: fmt.Sprintf("%d folhas", 1+random.IntN(80)), Language: "Português",
		Title: title(random), ScopeContent: sentences(random, c.scopeWords*3/4+random.IntN(c.scopeWords/2+1)),
		AccessConditions: "Livre", Subjects: c.subjects(i, random),
	}
	if i > 0 {
		parent := (i - 1) / c.children
		depth[i] = depth[parent] + 1
		r.ParentDescriptionID = fmt.Sprintf("apc-%06d", parent)
	}
	r.Level = levelNames[min(int(depth[i]), len(levelNames)-1)]
	if i%50 == 0 { // some have a history, as fonds and series do
		r.AdminBioHistory, r.Provenance = sentences(random, 60), sentences(random, 15)
	}
	return r
}

// subjects are different terms; over the collection every term comes up.
func (c collection) subjects(i int, random *rand.Rand) []string {
	list := make([]string, c.subjectsEach)
	step := 1 + random.IntN(7)
	for k := range list {
		n := i*c.subjectsEach + k
		if k > 0 && i >= c.terms/c.subjectsEach { // once all were used, mix
			n = i*c.subjectsEach + k*step*131
		}
		list[k] = term(n % c.terms)
	}
	return list
}

// files writes a collection in both formats and returns their paths.
func (b *bench) files(c collection) (lines, table string, err error) {
	lines, table = filepath.Join(b.dir, "collection.jsonl"), filepath.Join(b.dir, "collection.csv")
	if err := writeFile(lines, func(w io.Writer) error { return writeLines(w, c) }); err != nil {
		return "", "", err
	}
	return lines, table, writeFile(table, func(w io.Writer) error { return writeAtoM(w, c) })
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// line is a record of JSON Lines.
type line struct {
	DescriptionID       string   `json:"description_id"`
	Title               string   `json:"title"`
	ParentDescriptionID string   `json:"parent_description_id,omitempty"`
	ReferenceCode       string   `json:"reference_code"`
	Level               string   `json:"level"`
	Date                string   `json:"date"`
	Extent              string   `json:"extent"`
	Repository          string   `json:"repository"`
	AdminBioHistory     string   `json:"admin_bio_history,omitempty"`
	Provenance          string   `json:"provenance,omitempty"`
	ScopeContent        string   `json:"scope_content"`
	Language            string   `json:"language"`
	AccessConditions    string   `json:"access_conditions"`
	Subjects            []string `json:"subjects"`
}

func writeLines(w io.Writer, c collection) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for r := range c.all() {
		err := out.Encode(line{
			r.DescriptionID, r.Title, r.ParentDescriptionID, r.ReferenceCode, r.Level, r.Date, r.Extent, r.Repository,
			r.AdminBioHistory, r.Provenance, r.ScopeContent, r.Language, r.AccessConditions, r.Subjects,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// atomHeader has the columns of AtoM's template, in its order; most stay empty in most exports.
var atomHeader = strings.Fields(`legacyId parentId qubitParentSlug accessionNumber identifier title levelOfDescription extentAndMedium
	repository archivalHistory acquisition scopeAndContent appraisal accruals arrangement accessConditions reproductionConditions
	language script languageNote physicalCharacteristics findingAids locationOfOriginals locationOfCopies relatedUnitsOfDescription
	publicationNote digitalObjectURI generalNote subjectAccessPoints placeAccessPoints nameAccessPoints genreAccessPoints
	descriptionIdentifier institutionIdentifier rules descriptionStatus levelOfDetail revisionHistory languageOfDescription
	scriptOfDescription sources archivistNote publicationStatus eventDates eventTypes eventStartDates eventEndDates eventActors
	eventActorHistories culture`)

func writeAtoM(w io.Writer, c collection) error {
	out := csv.NewWriter(w)
	at := map[string]int{}
	for i, name := range atomHeader {
		at[name] = i
	}
	if err := out.Write(atomHeader); err != nil {
		return err
	}
	for r := range c.all() {
		row := make([]string, len(atomHeader))
		for name, value := range map[string]string{
			"legacyId": r.DescriptionID, "parentId": r.ParentDescriptionID, "identifier": r.ReferenceCode, "title": r.Title,
			"levelOfDescription": r.Level, "extentAndMedium": r.Extent, "repository": r.Repository, "archivalHistory": r.Provenance,
			"eventActorHistories": r.AdminBioHistory, "scopeAndContent": r.ScopeContent, "language": r.Language,
			"accessConditions": r.AccessConditions, "subjectAccessPoints": strings.Join(r.Subjects, "|"), "eventDates": r.Date,
			"eventTypes": "Criação", "publicationStatus": "Published", "culture": "pt-BR",
		} {
			row[at[name]] = value
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// load imports a file and wants every record of it.
func (p *program) load(ctx context.Context, path string, format importer.Format, want int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := importer.Import(ctx, p.store, f, importer.Options{Format: format, Name: filepath.Base(path)}, nil)
	if err == nil && r.Imported != int64(want) {
		err = fmt.Errorf("%d of %d records were imported, %d rejected: %v", r.Imported, want, r.Rejected, r.Rejects[:min(3, len(r.Rejects))])
	}
	return err
}
