package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"scrinalia/importer"
	"scrinalia/store"
	"scrinalia/store/storetest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// importFile imports a file of the importer's test data.
func importFile(t testing.TB, s *store.Store, name string, content []byte) importer.Report {
	t.Helper()
	report, err := importer.Import(t.Context(), s, bytes.NewReader(content), importer.Options{Name: name}, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return report
}

func testFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "importer", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// staged is what staging holds, in the order of ids.
func staged(t *testing.T, s *store.Store, columns string) []string {
	t.Helper()
	rows, err := s.Pool().Query(t.Context(), "SELECT concat_ws(' / ', "+columns+") FROM staging_records ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// synthetic makes n records whose titles end in suffix.
func synthetic(n int, suffix string) iter.Seq2[importer.Record, error] {
	return func(yield func(importer.Record, error) bool) {
		for i := range n {
			r := importer.Record{
				DescriptionID: fmt.Sprint(i), Title: "Ofício " + suffix, Level: "Item", Subjects: []string{"Mercados", "Urbanismo"},
				ScopeContent: strings.Repeat("Cartas e plantas. ", 30), Raw: []byte(`{"n": ` + fmt.Sprint(i) + `}`),
			}
			r.ContentHash = r.Hash()
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestImportStaging(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	first := testFile(t, "atom-2x.csv")
	const columns = "id, description_id, title, coalesce(parent_description_id, '-'), coalesce(extent, '-'), subjects, names, raw ->> 'eventTypes', octet_length(content_hash), source_file"
	want := []string{
		`1 / 1003 / Planta da Praça do Mercado, "ala norte" / 1002 / 1 planta, tinta sobre papel, 62 x 48 cm / {Mercados,Urbanismo} / {} / Creation|Publication|Creation / 32 / a.csv`,
		`2 / 1001 / Obras Públicas / - / 12 m lineares / {} / {} / Creation / 32 / a.csv`,
		`3 / 1002 / Mercados / 1001 / - / {Mercados} / {} / Accumulation / 32 / a.csv`,
	}
	steps := []struct {
		name                string
		content             []byte
		imported, unchanged int64
	}{
		{"a.csv", first, 3, 0},
		{"again.csv", first, 0, 3},
		{"changed.csv", bytes.Replace(first, []byte("12 m lineares"), []byte("13 m lineares"), 1), 1, 2},
	}
	for i, step := range steps {
		got := importFile(t, s, step.name, step.content)
		if got.Imported != step.imported || got.Unchanged != step.unchanged {
			t.Errorf("%s: %d imported, %d unchanged; want %d, %d", step.name, got.Imported, got.Unchanged, step.imported, step.unchanged)
		}
		if i == 2 {
			want[1] = strings.NewReplacer("12 m", "13 m", "a.csv", "changed.csv").Replace(want[1])
		}
		if diff := cmp.Diff(want, staged(t, s, columns)); diff != "" {
			t.Errorf("%s: staging (-want +got):\n%s", step.name, diff)
		}
	}
}

// Whatever the importer lets through, PostgreSQL can store.
func TestImportStagingTakesEveryGoodFile(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	deep := `{"description_id":"deep","title":"","x":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `,"y":-1e1000,"z":1E-1000,"z":` + strings.Repeat("9", 1000) + `}`
	contents := map[string][]byte{"deep.jsonl": []byte(deep)}
	for _, name := range []string{"nul.csv", "nul.jsonl", "windows-1252.csv", "quotes.csv", "columns-any-order.csv", "long-id.csv", "bad.jsonl", "plain.jsonl", "nfd.csv"} {
		contents[name] = testFile(t, name)
	}
	for name, content := range contents {
		truncate(t, s)
		first, again := importFile(t, s, name, content), importFile(t, s, name, content)
		if first.Imported == 0 || again.Imported != 0 || again.Unchanged != first.Imported {
			t.Errorf("%s: first %+v, then %+v", name, first, again)
		}
	}
}

// seed puts a record into staging, so that imports have to merge.
func seed(t testing.TB, s *store.Store) {
	t.Helper()
	importFile(t, s, "seed", []byte(`{"description_id":"seed","title":"Actas"}`))
}

func TestImportStagingKeepsTheOrderOfTheFile(t *testing.T) {
	t.Parallel()
	for _, filled := range []int64{0, 1} {
		t.Run(fmt.Sprintf("%d there", filled), func(t *testing.T) {
			t.Parallel()
			s := storetest.New(t)
			if filled == 1 {
				seed(t, s)
			}
			const n = 5000
			files := []struct {
				size                int
				imported, unchanged int64
			}{{n, n, 0}, {n, 0, n}, {n + 1, 1, n}} // the second import must draw no ids
			for _, f := range files {
				imported, unchanged, err := s.ImportStaging(t.Context(), "f", false, synthetic(f.size, "a"))
				if err != nil || imported != f.imported || unchanged != f.unchanged {
					t.Fatalf("%d imported, %d unchanged, %v; want %d, %d", imported, unchanged, err, f.imported, f.unchanged)
				}
			}
			var outOfOrder, last int64
			var analyzed float32
			err := s.Pool().QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE id <> description_id::bigint + 1 + $1), max(id),
				(SELECT reltuples FROM pg_class WHERE oid = 'staging_records'::regclass) FROM staging_records WHERE description_id <> 'seed'`, filled).Scan(&outOfOrder, &last, &analyzed)
			if err != nil || outOfOrder != 0 || last != n+1+filled || analyzed != float32(n+filled) {
				t.Errorf("%d ids out of order, the last is %d, statistics of %v rows, %v", outOfOrder, last, analyzed, err)
			}
		})
	}
}

func TestImportStagingWritesAllOrNothing(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	broken := errors.New("the file ended early")
	for filled := range 2 { // into an empty staging, then merging
		_, _, err := s.ImportStaging(t.Context(), "f", false, func(yield func(importer.Record, error) bool) {
			for r := range synthetic(2000, "a") {
				if !yield(r, nil) {
					return
				}
			}
			yield(importer.Record{}, broken)
		})
		if !errors.Is(err, broken) {
			t.Errorf("error %v, want %v", err, broken)
		}
		imported, unchanged, err := s.ImportStaging(t.Context(), "f", true, synthetic(10, "a"))
		if err != nil || imported != 10 || unchanged != 0 {
			t.Errorf("check: %d imported, %d unchanged, %v", imported, unchanged, err)
		}
		if got := len(staged(t, s, "id")); got != filled {
			t.Errorf("%d records, want %d", got, filled)
		}
		seed(t, s)
	}
}

func TestImportStagingStopsWithItsContext(t *testing.T) {
	t.Parallel()
	s := storetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := s.ImportStaging(ctx, "f", false, func(yield func(importer.Record, error) bool) {
		for r := range synthetic(100_000, "a") {
			if r.DescriptionID == "50000" {
				cancel()
			}
			if !yield(r, nil) {
				return
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Two imports of the same records in opposite order neither deadlock nor
// count a record twice.
func TestImportStagingSideBySide(t *testing.T) {
	t.Parallel()
	t.Run("empty", func(t *testing.T) { t.Parallel(); sideBySide(t, storetest.New(t)) })
	t.Run("filled", func(t *testing.T) {
		t.Parallel()
		s := storetest.New(t)
		seed(t, s)
		sideBySide(t, s)
	})
}

func sideBySide(t *testing.T, s *store.Store) {
	t.Helper()
	const n = 2000
	var records []importer.Record
	for r := range synthetic(n, "a") {
		records = append(records, r)
	}
	sums, g := make([]int64, 4), errgroup.Group{}
	for i := range sums {
		g.Go(func() error {
			imported, unchanged, err := s.ImportStaging(t.Context(), "f", false, func(yield func(importer.Record, error) bool) {
				for j := range records {
					if i%2 == 1 {
						j = n - 1 - j
					}
					if !yield(records[j], nil) {
						return
					}
				}
			})
			sums[i] = imported
			if imported+unchanged != n {
				return errors.Join(err, fmt.Errorf("%d imported, %d unchanged", imported, unchanged))
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if total := sums[0] + sums[1] + sums[2] + sums[3]; total != n {
		t.Errorf("%d imported in all, want %d", total, n)
	}
}

// BenchmarkImportStaging compares the import of a file with a bare COPY of its rows.
func BenchmarkImportStaging(b *testing.B) {
	b.Run("empty", func(b *testing.B) { benchmarkImport(b, func(testing.TB, *store.Store) {}) })
	b.Run("filled", func(b *testing.B) { benchmarkImport(b, seed) })
}

func benchmarkImport(b *testing.B, prepare func(testing.TB, *store.Store)) {
	b.Helper()
	s := storetest.New(b)
	const n = 50_000
	var file bytes.Buffer
	file.WriteString("legacyId,title,levelOfDescription,scopeAndContent,subjectAccessPoints\n")
	for r := range synthetic(n, "a") {
		fmt.Fprintf(&file, "%s,%s,%s,\"%s\",%s\n", r.DescriptionID, r.Title, r.Level, r.ScopeContent, strings.Join(r.Subjects, "|"))
	}
	var importing, copying time.Duration
	columns := []string{"description_id", "title", "level", "scope_content", "subjects", "raw", "content_hash"}
	for b.Loop() {
		prepare(b, s)
		begin := time.Now()
		if _, err := importer.Import(b.Context(), s, bytes.NewReader(file.Bytes()), importer.Options{}, nil); err != nil {
			b.Fatal(err)
		}
		importing += time.Since(begin)
		truncate(b, s)
		var rows [][]any
		for r := range synthetic(n, "a") {
			rows = append(rows, []any{r.DescriptionID, r.Title, r.Level, r.ScopeContent, r.Subjects, r.Raw, r.ContentHash[:]})
		}
		begin = time.Now()
		if _, err := s.Pool().CopyFrom(b.Context(), pgx.Identifier{"staging_records"}, columns, pgx.CopyFromRows(rows)); err != nil {
			b.Fatal(err)
		}
		copying += time.Since(begin)
		truncate(b, s)
	}
	b.ReportMetric(float64(n*b.N)/importing.Seconds(), "rows/s")
	b.ReportMetric(float64(copying)/float64(importing), "of-COPY")
}

func truncate(t testing.TB, s *store.Store) {
	t.Helper()
	if _, err := s.Pool().Exec(t.Context(), "TRUNCATE staging_records CASCADE"); err != nil {
		t.Fatal(err)
	}
}
