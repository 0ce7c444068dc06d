package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	described "scrinalia/archive"
	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/executor"
	"scrinalia/picture"
	"scrinalia/storage"
	"scrinalia/storage/storagetest"
	"scrinalia/store/storetest"
	"scrinalia/worker"
	"scrinalia/worker/all"
	"scrinalia/worker/thumbnail"

	"github.com/google/go-cmp/cmp"
)

// newArchiveOn is an archive whose thumbnails are kept in blobs.
func newArchiveOn(t testing.TB, blobs thumbnail.Blobs) *archive {
	t.Helper()
	s := storetest.New(t)
	networks, err := picture.ParseNetworks("127.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	a := &archive{Store: s, t: t, catalogue: all.Catalogue(s, engine.NewRegistry(engines.Registrations("")...), blobs, picture.New(picture.Options{Private: networks}))}
	if a.executor, err = executor.New(executor.Options{Catalogue: a.catalogue, Store: s, Log: slog.New(slog.DiscardHandler), Role: "test"}); err != nil {
		t.Fatal(err)
	}
	return a
}

func bucketAt(t testing.TB, url string) storage.Bucket {
	t.Helper()
	address, err := storage.ParseAddress(url, "", storagetest.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	b, err := storage.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func aJPEG(t testing.TB, grey uint8) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 40, 30))
	for i := range m.Pix {
		m.Pix[i] = grey
	}
	m.SetGray(0, 0, color.Gray{Y: 1})
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (a *archive) loadPictures(addresses ...string) {
	a.t.Helper()
	var records []record
	for i, address := range addresses {
		records = append(records, record{"description_id": fmt.Sprintf("%03d", i), "title": "Fotografia", "image_url": address})
	}
	a.load(records...)
	a.run(worker.Transfer, nil)
}

// polite keeps tests from pausing.
var polite = map[string]any{"pause_ms": 0, "batch_size": 1}

// TestStorageKilledHalfWay: with a real S3 server, the run ends FAILED with the cause, nothing is stamped that is not there, and the next run does
// the rest.
func TestStorageKilledHalfWay(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	a := newArchiveOn(t, bucketAt(t, server.URL()))
	const pictures, before = 20, 7
	var asked atomic.Int64
	raw := aJPEG(t, 100)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == before+1 {
			server.Stop()
		}
		_, _ = w.Write(raw)
	}))
	t.Cleanup(web.Close)
	var addresses []string
	for i := range pictures {
		addresses = append(addresses, fmt.Sprintf("%s/%d.jpg", web.URL, i))
	}
	a.loadPictures(addresses...)
	r := a.attempt(worker.Thumbnails, worker.Settings{Options: map[string]any{"per_host": 1, "pause_ms": 0}})
	if r.Status != worker.Failed || r.Error == nil || !strings.Contains(*r.Error, "does not answer") || !strings.Contains(*r.Error, server.Address) {
		t.Fatalf("%s, %v", r.Status, r.Error)
	}
	// an object whose answer was lost with the server is there and not noted
	if r.Failed != 0 || r.Processed > int64(len(server.Objects())) || r.Processed > before {
		t.Errorf("%+v, %d objects", r.Counts, len(server.Objects()))
	}
	a.wantPending("after the outage", map[string]int64{worker.Thumbnails: pictures - r.Processed, worker.Cleaning: pictures * 5, worker.NamedEntities: pictures, worker.Typology: pictures, worker.QualityValidator: pictures, worker.Embedding: pictures})

	server.Start()
	if again := a.run(worker.Thumbnails, polite); again.Processed != pictures-r.Processed {
		t.Errorf("the next run did %+v", again.Counts)
	}
	if n := len(server.Objects()); n != pictures {
		t.Errorf("%d objects, want %d", n, pictures)
	}
	a.checkThumbnails(bucketAt(t, server.URL()), pictures)
}

// checkThumbnails wants this many, each in storage as it is noted.
func (a *archive) checkThumbnails(b storage.Bucket, want int) {
	a.t.Helper()
	ids := column[int64](a, "SELECT document_id FROM thumbnails ORDER BY 1")
	if len(ids) != want {
		a.t.Errorf("%d thumbnails, want %d", len(ids), want)
	}
	for _, id := range ids {
		noted, err := a.Thumbnail(a.t.Context(), id)
		if err != nil {
			a.t.Fatal(err)
		}
		body, info, err := b.Get(a.t.Context(), noted.Key)
		if err != nil {
			a.t.Fatal(err)
		}
		m, err := jpeg.Decode(body)
		if err = errors.Join(err, body.Close()); err != nil || info.Size != noted.Bytes || info.ContentType != storage.JPEG || noted.ContentType != storage.JPEG || m.Bounds().Dx() != noted.Width || m.Bounds().Dy() != noted.Height {
			a.t.Errorf("%+v is %+v, %v", noted, info, err)
		}
		d, err := a.Document(a.t.Context(), id, nil)
		if err != nil {
			a.t.Fatal(err)
		}
		shown := &described.Picture{Version: noted.Version(), Width: noted.Width, Height: noted.Height}
		if diff := cmp.Diff(shown, d.Thumbnail); diff != "" {
			a.t.Error("on its page: " + diff)
		}
		page, err := a.Documents(a.t.Context(), described.Filter{After: id - 1, Limit: 1})
		if err != nil || len(page.Documents) != 1 {
			a.t.Fatal(page, err)
		}
		if diff := cmp.Diff(shown, page.Documents[0].Thumbnail); diff != "" {
			a.t.Error("in the list: " + diff)
		}
	}
}

// TestThumbnailQueue: what makes a thumbnail pending, given up, stale, and gone.
func TestThumbnailQueue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := bucketAt(t, dir)
	a := newArchiveOn(t, bucket)
	state := "good"
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch state {
		case "good":
			_, _ = w.Write(aJPEG(t, 120))
		case "other":
			_, _ = w.Write(aJPEG(t, 200))
		case "broken":
			_, _ = io.WriteString(w, "no picture")
		case "gone":
			http.NotFound(w, r)
		case "down":
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(web.Close)
	a.loadPictures(web.URL+"/a.jpg", "")
	for _, name := range a.catalogue.Names() {
		if name != worker.Thumbnails {
			a.run(name, nil)
		}
	}
	id := value[int64](a, "SELECT id FROM documents WHERE image_url <> ''")
	objects := func() int {
		found, err := filepath.Glob(filepath.Join(dir, "thumbnails", "*", "*.jpg"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	var version string
	for _, step := range []struct {
		name     string
		state    string // of the server
		sql      string
		options  map[string]any
		want     worker.Counts
		pending  int64 // afterwards
		givenUp  int64
		objects  int
		shown    bool
		newImage bool
	}{
		{name: "down", state: "down", want: worker.Counts{Failed: 1}, pending: 1},
		{name: "back", state: "good", want: worker.Counts{Processed: 1}, objects: 1, shown: true, newImage: true},
		{name: "nothing to do", state: "good", objects: 1, shown: true},
		{name: "another picture at the same address", state: "other", objects: 1, shown: true},
		{name: "fetched again by force", state: "other", options: map[string]any{"force": true}, want: worker.Counts{Processed: 1}, objects: 1, shown: true, newImage: true},
		{name: "by force, but gone", state: "gone", options: map[string]any{"force": true}, want: worker.Counts{Failed: 1}, givenUp: 1, objects: 1, shown: true},
		{name: "given up", state: "good", givenUp: 1, objects: 1, shown: true},
		{name: "by force, and back", state: "other", options: map[string]any{"force": true}, want: worker.Counts{Processed: 1}, objects: 1, shown: true},
		{name: "another address", state: "good", sql: "UPDATE documents SET image_url = image_url || '?2' WHERE image_url <> ''", want: worker.Counts{Processed: 1}, objects: 1, shown: true, newImage: true},
		{name: "another address with nothing behind it", state: "gone", sql: "UPDATE documents SET image_url = image_url || '&3' WHERE image_url <> ''", want: worker.Counts{Failed: 1}, givenUp: 1},
		{name: "and with a page", state: "broken", sql: "UPDATE documents SET image_url = image_url || '&4' WHERE image_url <> ''", want: worker.Counts{Failed: 1}, givenUp: 1},
		{name: "dry", state: "good", options: map[string]any{"force": true, "dry_run": true}, want: worker.Counts{Processed: 1}, givenUp: 1},
		{name: "no address", state: "good", sql: "UPDATE documents SET image_url = NULL"},
		{name: "and one again", state: "good", sql: "UPDATE documents SET image_url = '" + web.URL + "/b.jpg' WHERE id = " + fmt.Sprint(id), want: worker.Counts{Processed: 1}, objects: 1, shown: true, newImage: true},
		{name: "rejected", state: "good", sql: "UPDATE documents SET review_status = 'REJECTED', image_url = image_url || '?5' WHERE id = " + fmt.Sprint(id), objects: 1},
	} {
		state = step.state
		if step.sql != "" {
			a.exec(step.sql)
			a.checkQueues()
		}
		r := a.run(worker.Thumbnails, step.options)
		if diff := cmp.Diff(step.want, r.Counts); diff != "" {
			t.Errorf("%s: -want +got:\n%s", step.name, diff)
		}
		if r.Total == nil || *r.Total != step.want.Sum() {
			t.Errorf("%s: total %v, want %d", step.name, r.Total, step.want.Sum())
		}
		q := a.queues()[worker.Thumbnails]
		if *q.Pending != step.pending || q.GivenUp != step.givenUp || q.Failed != step.pending+step.givenUp {
			t.Errorf("%s: %d pending, %d failed, %d given up; want %d, %d given up", step.name, *q.Pending, q.Failed, q.GivenUp, step.pending, step.givenUp)
		}
		if n := objects(); n != step.objects {
			t.Errorf("%s: %d objects, want %d", step.name, n, step.objects)
		}
		shown, err := a.Thumbnail(t.Context(), id)
		if (err == nil) != step.shown || err != nil && worker.KindOf(err) != worker.NotFound {
			t.Errorf("%s: shown %t, %v", step.name, err == nil, err)
		}
		if step.shown && step.newImage == (shown.Version() == version) {
			t.Errorf("%s: the version is %s, was %s", step.name, shown.Version(), version)
		}
		version = shown.Version()
		if failures, err := a.UnitFailures(t.Context(), r, 0, 10); err != nil || int64(len(failures)) != step.want.Failed {
			t.Errorf("%s: failures %v, %v", step.name, failures, err)
		}
		a.checkQueues()
	}
}

// TestEditedMeanwhile: a document that was changed or decided on while its picture came is skipped, and its object does not stay.
func TestEditedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := newArchiveOn(t, bucketAt(t, dir))
	var edit string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if edit != "" {
			_, _ = a.Pool().Exec(r.Context(), edit)
		}
		_, _ = w.Write(aJPEG(t, 100))
	}))
	t.Cleanup(web.Close)
	a.loadPictures(web.URL + "/a.jpg")
	for _, sql := range []string{"UPDATE documents SET image_url = image_url || '?2'", "UPDATE documents SET review_status = 'HUMAN_APPROVED'"} {
		edit = sql
		if r := a.run(worker.Thumbnails, nil); r.Counts != (worker.Counts{Skipped: 1}) {
			t.Errorf("%s: %+v", sql, r.Counts)
		}
		if found, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.jpg")); err != nil || len(found) != 0 {
			t.Errorf("%s: left are %v, %v", sql, found, err)
		}
		a.checkQueues()
	}
	edit = ""
	a.exec("UPDATE documents SET review_status = 'PENDING_AI'")
	a.processed(worker.Thumbnails, 1)

	// what is there stays when a forced run comes too late
	edit = "UPDATE documents SET review_status = 'HUMAN_APPROVED'"
	a.run(worker.Thumbnails, map[string]any{"force": true})
	a.checkThumbnails(bucketAt(t, dir), 1)
}

// TestSizeMakesStale: another size does, another pause does not.
func TestSizeMakesStale(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.loadPictures("sample://images/bonde.gif", "sample://images/broken.jpg", "sample://images/estacao.jpg")
	a.run(worker.Thumbnails, nil)
	for option, value := range map[string]int{"size": 100, "pause_ms": 0, "per_host": 7, "timeout_seconds": 5, "max_megabytes": 5, "max_decoded_megabytes": 500} {
		want := map[string]int64{}
		if option == "size" {
			want[worker.Thumbnails] = 2
		}
		got := a.staleWith(map[string]worker.Settings{worker.Thumbnails: {Options: map[string]any{option: value}}})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", option, diff)
		}
	}
	a.wantPending("whatever the settings", map[string]int64{worker.Cleaning: 15, worker.NamedEntities: 3, worker.Typology: 3, worker.QualityValidator: 3, worker.Embedding: 3})
}

// TestStandingOfThumbnails is what the page of a description says of the worker.
func TestStandingOfThumbnails(t *testing.T) {
	t.Parallel()
	a := newArchive(t)
	a.loadPictures("sample://images/bonde.gif", "sample://images/gone.jpg", "http://127.0.0.1:1/x.jpg", "", "sample://images/estacao.jpg")
	a.run(worker.Thumbnails, nil)
	a.exec("UPDATE documents SET image_url = NULL WHERE description_id = '004'")
	want := map[string]described.Standing{"000": described.DoneBy, "001": described.GivenUp, "002": described.FailedBefore, "003": described.NothingToDo, "004": described.NothingToDo}
	for id, standing := range want {
		d, err := a.Document(t.Context(), value[int64](a, "SELECT id FROM documents WHERE description_id = $1", id), a.inForce())
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range d.Work {
			if w.Worker == worker.Thumbnails && (w.Standing != standing || (w.Error != "") != (standing == described.GivenUp || standing == described.FailedBefore)) {
				t.Errorf("%s: %s, %q, want %s", id, w.Standing, w.Error, standing)
			}
		}
	}
}
