package importer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"scrinalia/importer"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func TestRejectsFile(t *testing.T) {
	t.Parallel()
	_, got, err := load(t, newMemory(), "duplicates.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := `line,column,id,reason
4,,1,line 2 has the same id; the first record with an id counts
5,,2,"a translation (culture ""en"") of the record in line 3, which is ""pt""; only the first culture of a record is imported"
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, got, _ = load(t, newMemory(), "plain.csv"); got != "" {
		t.Errorf("rejects of a good file: %q", got)
	}
}

// An upload cannot be read twice, may come in small pieces, and gives the same.
func TestUpload(t *testing.T) {
	t.Parallel()
	for _, tt := range files {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want, _, err := load(t, newMemory(), tt.name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := importer.Import(t.Context(), newMemory(), iotest.OneByteReader(bytes.NewReader(read(t, tt.name))), importer.Options{Name: tt.name}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-file +upload):\n%s", diff)
			}
		})
	}
}

func TestCheckOnlyWritesNothing(t *testing.T) {
	t.Parallel()
	sink := newMemory()
	got, err := importer.Import(t.Context(), sink, bytes.NewReader(read(t, "plain.csv")), importer.Options{CheckOnly: true}, nil)
	if err != nil || got.Imported != 2 || len(sink.hashes) != 0 {
		t.Errorf("%d imported, %d kept, %v; want 2, 0", got.Imported, len(sink.hashes), err)
	}
}

func TestFormatIsAsked(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file   string
		format importer.Format
		want   string // what the error says
	}{
		{"plain.csv", importer.AtoMCSV, ""},
		{"plain.jsonl", importer.JSONLines, ""},
		{"plain.csv", importer.JSONLines, "JSON Lines has one object a line"},
		{"plain.jsonl", importer.AtoMCSV, "Two formats are accepted"},
		{"plain.csv", "ead", `There is no format "ead". The formats are auto, atom-csv and jsonl.`},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.file, tt.format), func(t *testing.T) {
			t.Parallel()
			_, err := importer.Import(t.Context(), newMemory(), bytes.NewReader(read(t, tt.file)), importer.Options{Format: tt.format}, nil)
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (worker.KindOf(err) != worker.Invalid || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	mib := strings.Repeat("x", 1<<20)
	row := strings.Repeat(mib, 17)
	tests := []struct {
		name, in string
		imported int64
		want     []importer.Reject
	}{
		{"field of 1 MiB", "legacyId,title\n1," + mib + "\n", 1, []importer.Reject{}},
		{"longer field", "legacyId,title\n1," + mib + "x\n2,ok\n", 1, []importer.Reject{{Line: 2, Column: "title", ID: "1", Reason: "the field has 1048577 bytes, more than 1048576"}}},
		{"row", "legacyId,title\n1," + row + "\n2,ok\n", 1, []importer.Reject{{Line: 2, Column: "legacyId", Reason: "the row has more than 16777216 bytes; is a quotation mark missing?"}}},
		{"quoted row of CR lines", "legacyId,title\r1,\"a" + row + "\r2,ok\r", 1, []importer.Reject{{Line: 2, Column: "legacyId", Reason: "the row has more than 16777216 bytes; is a quotation mark missing?"}}},
		{"text of 1 MiB", `{"description_id":1,"title":"` + mib + `"}`, 1, []importer.Reject{}},
		{"longer text", `{"description_id":1,"title":"x` + mib + `"}` + "\n" + `{"description_id":2,"title":""}`, 1, []importer.Reject{{Line: 1, Column: "title", ID: "1", Reason: "the field has 1048577 bytes, more than 1048576"}}},
		{"line", `{"description_id":1,"title":"` + row + `"}` + "\n" + `{"description_id":2,"title":""}`, 1, []importer.Reject{{Line: 1, Reason: "the line has more than 16777216 bytes"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := importer.Import(t.Context(), newMemory(), strings.NewReader(tt.in), importer.Options{}, nil)
			if err != nil || got.Imported != tt.imported {
				t.Errorf("%d imported, %v; want %d", got.Imported, err, tt.imported)
			}
			if diff := cmp.Diff(tt.want, got.Rejects); diff != "" {
				t.Errorf("rejects (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever is in a file, every row of it is accounted for.
func TestEveryRowIsAccountedFor(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"1", "2", "é", "\xe9", "\x00", ",", ",", ",", ";", "\n", "\n", "\r\n", "\r", `"`, `""`, "NULL", "|", "a,b,c\n", "\"x\ny\",", "\ufeff",
		`{"description_id":`, `"title":"x"`, `}`, "{}\n", `{"description_id":3,"title":"t"}` + "\n", `\u0000`, "[", "]",
	}
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 7))
		var in strings.Builder
		in.WriteString([]string{"legacyId,title,culture\n", "{\"description_id\":1,\"title\":\"t\"}\n", ""}[seed%3])
		for range random.IntN(60) {
			in.WriteString(pieces[random.IntN(len(pieces))])
		}
		sink := newMemory()
		first, err := importer.Import(t.Context(), sink, strings.NewReader(in.String()), importer.Options{}, nil)
		if err != nil {
			if worker.KindOf(err) != worker.Invalid || len(sink.hashes) > 0 {
				t.Fatalf("seed %d: %v with %d kept\n%q", seed, err, len(sink.hashes), in.String())
			}
			continue
		}
		second, err := importer.Import(t.Context(), sink, strings.NewReader(in.String()), importer.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first.Read != first.Imported+first.Unchanged+first.Rejected || first.Imported != int64(len(sink.hashes)) || first.Rejected != int64(len(first.Rejects)) {
			t.Fatalf("seed %d: %+v\n%q", seed, first, in.String())
		}
		if second.Imported != 0 || second.Unchanged != first.Imported || second.Read != first.Read {
			t.Fatalf("seed %d: second import %+v\n%q", seed, second, in.String())
		}
	}
}

// discard is a Sink that counts.
type discard struct{ lie int64 }

// ImportStaging takes every record, and may miscount.
func (d discard) ImportStaging(_ context.Context, _ string, _ bool, records iter.Seq2[importer.Record, error]) (imported, unchanged int64, err error) {
	for _, err := range records {
		if err != nil {
			return 0, 0, err
		}
		imported++
	}
	return imported + d.lie, 0, nil
}

func TestSinkThatMiscounts(t *testing.T) {
	t.Parallel()
	_, err := importer.Import(t.Context(), discard{lie: 1}, bytes.NewReader(read(t, "plain.csv")), importer.Options{}, nil)
	if err == nil || worker.KindOf(err) != worker.Internal {
		t.Errorf("error %v, want an internal one", err)
	}
}

func TestInterruptions(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	cancelled, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	cancel(stop)
	tests := []struct {
		name    string
		ctx     context.Context //nolint:containedctx // a row of a table
		r       io.Reader
		rejects io.Writer
		want    error
		kind    worker.Kind
	}{
		{"upload breaks off", t.Context(), io.MultiReader(strings.NewReader("legacyId,title\n1,a\n"), iotest.ErrReader(broken)), nil, broken, worker.Invalid},
		{"cancelled", cancelled, strings.NewReader("legacyId,title\n1,a\n"), nil, stop, worker.Internal},
		{"rejects file cannot be written", t.Context(), strings.NewReader("legacyId,title\n1,a\n1,b\n"), brokenWriter{broken}, broken, worker.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink := newMemory()
			_, err := importer.Import(tt.ctx, sink, tt.r, importer.Options{}, tt.rejects)
			if !errors.Is(err, tt.want) || worker.KindOf(err) != tt.kind {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if len(sink.hashes) != 0 {
				t.Error("something was kept")
			}
		})
	}
}

type brokenWriter struct{ err error }

// Write fails.
func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// rows is a file of n rows that exists only as it is read.
type rows struct {
	n, i int
	buf  []byte
}

// Read makes the next rows.
func (r *rows) Read(p []byte) (int, error) {
	if len(r.buf) == 0 {
		if r.i > r.n {
			return 0, io.EOF
		}
		if r.i == 0 {
			r.buf = []byte("legacyId,title,scopeAndContent\n")
		} else {
			r.buf = fmt.Appendf(r.buf, "%d,Ofício,\"%s\"\n", r.i, strings.Repeat("texto ", 50))
		}
		r.i++
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

func TestLargeFileInBoundedMemory(t *testing.T) { //nolint:paralleltest // measures the heap
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got, err := importer.Import(t.Context(), discard{}, &rows{n: 200_000}, importer.Options{}, nil)
	if err != nil || got.Imported != 200_000 {
		t.Fatalf("%d imported, %v", got.Imported, err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
		t.Errorf("the heap grew by %d MB for a file of 62 MB", grown>>20)
	}
}
