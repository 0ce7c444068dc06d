package importer_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"scrinalia/importer"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "renew the golden files")

var exportFormats = []importer.Format{importer.JSONLines, importer.AtoMCSV}

func sequence(list []importer.Description) iter.Seq2[importer.Description, error] {
	return func(yield func(importer.Description, error) bool) {
		for _, d := range list {
			if !yield(d, nil) {
				return
			}
		}
	}
}

func export(t *testing.T, f importer.Format, list []importer.Description) []byte {
	t.Helper()
	var out bytes.Buffer
	n, err := importer.Export(&out, f, sequence(list))
	if err != nil || n != int64(len(list)) {
		t.Fatalf("%d exported, %v; want %d", n, err, len(list))
	}
	return out.Bytes()
}

func into(t *testing.T, sink importer.Sink, file []byte) importer.Report {
	t.Helper()
	report, err := importer.Import(t.Context(), sink, bytes.NewReader(file), importer.Options{}, nil)
	if err != nil || len(report.Rejects) > 0 {
		t.Fatalf("%v, rejects %v in\n%s", err, report.Rejects, file)
	}
	return report
}

// described is what an archive has of records that nobody touched.
func described(records []importer.Record) []importer.Description {
	var list []importer.Description
	for _, r := range records {
		source := importer.Source{ContentHash: r.ContentHash, ImportedAt: newMemory().since}
		list = append(list, importer.Description{Record: r, Source: source, ReviewStatus: "PENDING_AI"})
	}
	return list
}

// fields leaves out what an export does not give.
var fields = cmp.Options{cmpopts.IgnoreFields(importer.Record{}, "Raw", "ContentHash"), cmpopts.EquateEmpty()}

// TestExportGolden: descriptions of AtoM's CSV that were cleaned, reviewed and found things in.
func TestExportGolden(t *testing.T) {
	t.Parallel()
	list := described(records(t, "atom-2x.csv"))
	score, category := float32(0.91), "Economia e Comércio"
	list[0].ParentID = list[0].ParentDescriptionID
	list[0].ScopeContent = "Planta baixa da ala norte."
	list[0].Typology = &importer.Typology{Name: "Planta Arquitetônica", Score: &score, Origin: "run:4"}
	list[0].Entities = []importer.Entity{
		{Name: "ALENCAR, Rita", Type: "PER", Score: &score, Origin: "run:3"},
		{Name: "Câmara Municipal | Vila Serena", Type: "ORG", Origin: "human"},
		{Name: "vila  serena", Type: "LOC", Score: &score, Origin: "run:3"}, // an access point of the source already
	}
	list[0].Tags = []importer.Tag{
		{Name: "mercados", Category: &category, Score: &score, Origin: "source"},
		{Name: "comércio", Category: &category, Origin: "human"},
		{Name: "plantas", Origin: "run:5"}, // a genre of the source
	}
	list[1].AdminBioHistory = "Criada em 1834."
	list[1].ReviewStatus, list[1].AnomalyReasons = "REJECTED", []string{"NO_TAGS"}
	list[1].Entities = []importer.Entity{{Name: "Câmara", Type: "ORG", Score: &score, Origin: "run:3"}, {Name: "Prado", Type: "PER", Origin: "human"}}
	list[1].Typology = &importer.Typology{Name: "Fotografia", Score: &score, Origin: "run:4"}
	list[2].Date, list[2].Producers = "1905-1931", "Secção de Mercados; Silva, João"
	for _, f := range exportFormats {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			got, path := export(t, f, list), filepath.Join("testdata", "golden."+string(f))
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAtoMExportKeepsWhatItCan: a row that came from AtoM and that nobody touched goes back as it came.
func TestAtoMExportKeepsWhatItCan(t *testing.T) {
	t.Parallel()
	out := export(t, importer.AtoMCSV, described(records(t, "atom-2x.csv")))
	got, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want, err := csv.NewReader(bytes.NewReader(read(t, "atom-2x.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want = want[:4] // the last one is a translation
	want[3][2] = "" // AtoM takes parentId or qubitParentSlug
	for i := range got {
		got[i] = got[i][:len(want[0])]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// hostile makes texts that a format could spoil.
type hostile struct{ *rand.Rand }

var hostilePieces = []string{
	"a", "Ofício", "1912", " ", "  ", "|", "||", "; ", ";", ",", `"`, `""`, "'", "\n", "\n\n", "\r\n", "\t", "NULL", "NULL", "null", "=1+1", "-2", "@x", "+3",
	"\u00a0", "\u2028", "\ufeff", "e\u0301", "é", "¦", `\`, `\.`, `\u0000`, "<b>", "&amp;", "{", "}", "[", "]", "😀", "\u200b", " - ", "Creation", "\x01",
}

func (h hostile) text() string {
	var s strings.Builder
	for range h.IntN(6) {
		s.WriteString(hostilePieces[h.IntN(len(hostilePieces))])
	}
	return s.String()
}

func (h hostile) list() []string {
	list := []string{}
	for range h.IntN(4) {
		list = append(list, h.text())
	}
	return list
}

// lines is a source in JSON Lines, its ids hostile too.
func (h hostile) lines(n int) []byte {
	var out bytes.Buffer
	for i := range n {
		object := map[string]any{"description_id": fmt.Sprint(i) + h.text(), "title": h.text()}
		if i == 0 {
			object["description_id"] = "NULL"
		}
		for _, key := range []string{
			"parent_description_id", "reference_code", "parent_reference_code", "level", "date", "extent", "repository", "producers", "admin_bio_history",
			"provenance", "scope_content", "language", "access_conditions", "archivist_notes", "image_url",
		} {
			object[key] = h.text()
		}
		for _, key := range []string{"subjects", "places", "names", "genres"} {
			object[key] = h.list()
		}
		_ = json.NewEncoder(&out).Encode(object)
	}
	return out.Bytes()
}

// rows is a source in AtoM's CSV.
func (h hostile) rows(n int) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	columns := []string{
		"legacyId", "descriptionIdentifier", "parentId", "identifier", "referenceCode", "title", "levelOfDescription", "repository", "archivalHistory", "acquisition",
		"scopeAndContent", "language", "archivistNote", "subjectAccessPoints", "nameAccessPoints", "eventDates", "eventTypes", "eventStartDates", "eventEndDates",
		"eventActors", "eventActorHistories", "creators", "culture", "arrangement", "mine", "qubitParentSlug",
	}
	_ = w.Write(columns)
	for i := range n {
		row := []string{fmt.Sprint(i)}
		if i%2 == 1 {
			row[0] = ""
		}
		row = append(row, "d"+fmt.Sprint(i))
		for range columns[2:] {
			row = append(row, h.text())
		}
		_ = w.Write(row)
	}
	w.Flush()
	return out.Bytes()
}

// touch changes descriptions as workers and people do.
func (h hostile) touch(list []importer.Description) {
	for i := range list {
		d := &list[i]
		for _, p := range []*string{&d.Title, &d.ScopeContent, &d.AdminBioHistory, &d.Provenance, &d.ArchivistNotes, &d.Date, &d.Producers, &d.Language, &d.ReferenceCode} {
			if h.IntN(4) == 0 {
				*p = h.text()
			}
		}
		if i > 0 && h.IntN(2) == 0 {
			d.ParentID = list[h.IntN(i)].DescriptionID
		}
		for range h.IntN(3) {
			d.Entities = append(d.Entities, importer.Entity{Name: "x" + h.text(), Type: []string{"PER", "ORG", "LOC"}[h.IntN(3)], Origin: []string{"run:1", "human", "source"}[h.IntN(3)]})
			d.Tags = append(d.Tags, importer.Tag{Name: "y" + h.text(), Origin: []string{"run:1", "human", "source"}[h.IntN(3)]})
		}
		if h.IntN(2) == 0 {
			d.Typology = &importer.Typology{Name: "z" + h.text(), Origin: "run:1"}
		}
	}
}

// TestExportRoundTrip: whatever the texts are, an export is no news where it is from, and elsewhere says the same in both formats.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		h := hostile{rand.New(rand.NewPCG(seed, 11))}
		source := h.lines(8)
		if seed%2 == 1 {
			source = h.rows(8)
		}
		home := newMemory()
		report, err := importer.Import(t.Context(), home, bytes.NewReader(source), importer.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		list := described(home.records)
		h.touch(list)
		var elsewhere [2][]importer.Record
		for i, f := range exportFormats {
			file := export(t, f, list)
			again := into(t, home, file)
			if again.Imported != 0 || again.Unchanged != report.Imported || again.Read != report.Imported {
				t.Fatalf("seed %d, %s: %+v of %d\n%s", seed, f, again, report.Imported, file)
			}
			other := newMemory()
			other.since = other.since.Add(time.Hour)
			if first := into(t, other, file); first.Imported != report.Imported {
				t.Fatalf("seed %d, %s, elsewhere: %+v", seed, f, first)
			}
			elsewhere[i] = other.records
			if second := into(t, other, file); second.Imported != 0 {
				t.Fatalf("seed %d, %s, elsewhere again: %+v", seed, f, second)
			}
			// what was found since is news elsewhere, and still none at home
			later := slices.Clone(list)
			later[0].Title += " (1)"
			file = export(t, f, later)
			if there, here := into(t, other, file), into(t, home, file); there.Imported != 1 || here.Imported != 0 {
				t.Fatalf("seed %d, %s, later: %d news elsewhere, %d at home", seed, f, there.Imported, here.Imported)
			}
		}
		lists := cmpopts.IgnoreFields(importer.Record{}, "Subjects", "Places", "Names", "Genres") // extended in AtoM's
		if diff := cmp.Diff(elsewhere[0], elsewhere[1], fields, lists); diff != "" {
			t.Fatalf("seed %d: the formats differ: -jsonl +atom-csv\n%s\n%s", seed, diff, export(t, importer.AtoMCSV, list))
		}
		for i, r := range elsewhere[1] {
			if !contains(r.Subjects, elsewhere[0][i].Subjects) || !contains(r.Names, elsewhere[0][i].Names) {
				t.Fatalf("seed %d: access points lost: %q of %q", seed, r.Subjects, elsewhere[0][i].Subjects)
			}
		}
		for i, r := range elsewhere[0] {
			want, got := list[i].Record, r
			if strings.ContainsAny(want.Title, "\r\x01\u0301\u2028\ufeff") || strings.TrimSpace(want.Title) == "" {
				continue
			}
			if want.Title != got.Title {
				t.Fatalf("seed %d: title %q, want %q", seed, got.Title, want.Title)
			}
		}
	}
}

func contains(list, all []string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !slices.Contains(list, s) })
}

// TestEditedExportIsNews: the mark of a row that somebody edited says nothing, nor does one that is broken.
func TestEditedExportIsNews(t *testing.T) {
	t.Parallel()
	source := `{"description_id":"1","title":"Planta","date":"1912|1913","subjects":["Mapas"]}` + "\n"
	for _, f := range exportFormats {
		for _, tt := range []struct{ name, old, edited string }{
			{"title", "Planta", "Plantas"},
			{"access point", "Mapas", "Mapa"},
			{"hash of the row", `row`, `wor`},
			{"content of the source", `content`, `context`},
		} {
			t.Run(string(f)+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				home := newMemory()
				into(t, home, []byte(source))
				list := described(home.records)
				list[0].Extent = "1 m" // no news
				file := export(t, f, list)
				if got := into(t, home, file); got.Imported != 0 {
					t.Fatalf("not edited: %+v", got)
				}
				edited := bytes.Replace(file, []byte(tt.old), []byte(tt.edited), 1)
				if bytes.Equal(edited, file) {
					t.Fatalf("no %q in %s", tt.old, file)
				}
				if got := into(t, home, edited); got.Imported != 1 {
					t.Errorf("edited: %+v", got)
				}
			})
		}
	}
}

func TestExportStops(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	list := described(records(t, "plain.csv"))
	failing := func(yield func(importer.Description, error) bool) {
		if yield(list[0], nil) {
			yield(importer.Description{}, broken)
		}
	}
	if n, err := importer.Export(io.Discard, importer.JSONLines, failing); n != 1 || !errors.Is(err, broken) {
		t.Errorf("%d, %v; want 1, broken", n, err)
	}
	for _, f := range exportFormats {
		if _, err := importer.Export(brokenWriter{broken}, f, sequence(list)); !errors.Is(err, broken) {
			t.Errorf("%s: %v; want broken", f, err)
		}
	}
	if _, err := importer.Export(io.Discard, importer.Auto, sequence(list)); worker.KindOf(err) != worker.Invalid {
		t.Errorf("auto: %v", err)
	}
}

func TestLargeExportInBoundedMemory(t *testing.T) { //nolint:paralleltest // measures the heap
	d := described(records(t, "atom-2x.csv"))[0]
	d.ScopeContent = strings.Repeat("texto ", 50)
	for _, f := range exportFormats {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		const many = 20_000
		n, err := importer.Export(io.Discard, f, func(yield func(importer.Description, error) bool) {
			for i := range many {
				d.DescriptionID = fmt.Sprint(i)
				if !yield(d, nil) {
					return
				}
			}
		})
		if err != nil || n != many {
			t.Fatalf("%d, %v", n, err)
		}
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 32<<20 {
			t.Errorf("%s: the heap grew by %d MB", f, grown>>20)
		}
	}
}
