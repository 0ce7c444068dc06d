package handlers_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"image"
	"image/jpeg"
	"io"
	"net/http"
	"testing"
	"time"

	"scrinalia/handlers"
	"scrinalia/storage"
	"scrinalia/views"
	"scrinalia/worker"
)

// pictures is a database and a storage with the thumbnails of a test.
type pictures struct {
	noted map[int64]worker.Thumbnail
	err   error // what storage answers
	opens int
}

const someJPEG = "\xff\xd8\xff\xe0<script>alert(1)</script>"

func (p *pictures) Thumbnail(_ context.Context, document int64) (worker.Thumbnail, error) {
	if t, ok := p.noted[document]; ok {
		return t, nil
	}
	return worker.Thumbnail{}, worker.Errorf(worker.NotFound, "There is no such entry.")
}

func (p *pictures) Get(_ context.Context, key string) (io.ReadCloser, storage.Info, error) {
	p.opens++
	if p.err != nil {
		return nil, storage.Info{}, p.err
	}
	if key != "thumbnails/000000/7-ab.jpg" {
		return nil, storage.Info{}, worker.Errorf(worker.NotFound, "There is no object %s.", key)
	}
	return io.NopCloser(bytes.NewReader([]byte(someJPEG))), storage.Info{ContentType: "text/html", Size: int64(len(someJPEG))}, nil
}

// thumbnailed has a thumbnail of every description, one pixel high and wide.
type thumbnailed struct{}

func (thumbnailed) Thumbnail(context.Context, int64) (worker.Thumbnail, error) {
	return worker.Thumbnail{Key: "thumbnails/one.jpg", ContentType: "image/jpeg", Digest: []byte{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}}, nil
}

func (thumbnailed) Get(context.Context, string) (io.ReadCloser, storage.Info, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1)), nil); err != nil {
		return nil, storage.Info{}, err
	}
	return io.NopCloser(&b), storage.Info{ContentType: "image/jpeg", Size: int64(b.Len())}, nil
}

func TestThumbnails(t *testing.T) {
	t.Parallel()
	digest := sha256.Sum256([]byte(someJPEG))
	noted := worker.Thumbnail{Key: "thumbnails/000000/7-ab.jpg", ContentType: "image/jpeg", Digest: digest[:]}
	lost := noted
	lost.Key = "thumbnails/000000/8-cd.jpg"
	p := &pictures{noted: map[int64]worker.Thumbnail{7: noted, 8: lost}}
	f := &fake{states: idle()}
	h := handlers.New(handlers.Options{Catalogue: catalogue(), Panel: f, Ledger: f, Importer: f, Search: f, Thumbnails: p, Objects: p, Now: func() time.Time { return noon }})
	current, tag := views.ThumbnailPath(7, noted.Version()), `"`+noted.Version()+`"`
	for _, tt := range []struct {
		name, method, path, have string
		status                   int
		body, caching            string
	}{
		{"its version", "", current, "", http.StatusOK, someJPEG, "private, max-age=31536000, immutable"},
		{"head", http.MethodHead, current, "", http.StatusOK, "", "private, max-age=31536000, immutable"},
		{"no version", "", "/thumbnails/7", "", http.StatusOK, someJPEG, "private, no-cache"},
		{"another version", "", "/thumbnails/7?v=old", "", http.StatusOK, someJPEG, "private, no-cache"},
		{"have it", "", "/thumbnails/7", tag, http.StatusNotModified, "", "private, no-cache"},
		{"have it, among others", "", "/thumbnails/7", `"x", W/` + tag, http.StatusNotModified, "", "private, no-cache"},
		{"have another", "", "/thumbnails/7", `"x"`, http.StatusOK, someJPEG, "private, no-cache"},
		{"none", "", "/thumbnails/9", "", http.StatusNotFound, "", ""},
		{"lost", "", "/thumbnails/8", "", http.StatusNotFound, "", ""},
		{"no number", "", "/thumbnails/x", "", http.StatusNotFound, "", ""},
		{"a path", "", "/thumbnails/..%2f7", "", http.StatusNotFound, "", ""},
	} {
		opens := p.opens
		got := ask(t, h, asked{method: tt.method, path: tt.path, header: map[string]string{"If-None-Match": tt.have}})
		if got.StatusCode != tt.status {
			t.Errorf("%s: %s, want %d", tt.name, got.Status, tt.status)
			continue
		}
		if got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: it may be sniffed", tt.name)
		}
		if tt.status == http.StatusNotFound {
			if got.Header.Get("ETag") != "" || got.Header.Get("Cache-Control") == "private, max-age=31536000, immutable" {
				t.Errorf("%s: what is not there is kept: %v", tt.name, got.Header)
			}
			continue
		}
		if got.text != tt.body || got.Header.Get("Cache-Control") != tt.caching || got.Header.Get("ETag") != tag {
			t.Errorf("%s: %q, %v", tt.name, got.text, got.Header)
		}
		if tt.status == http.StatusNotModified {
			if p.opens != opens {
				t.Errorf("%s: storage was asked", tt.name)
			}
			continue
		}
		if got.Header.Get("Content-Type") != "image/jpeg" || got.Header.Get("Content-Disposition") != `inline; filename="thumbnail-7.jpg"` {
			t.Errorf("%s: %v", tt.name, got.Header)
		}
	}
	p.err = worker.Errorf(worker.Unavailable, "Storage: the bucket does not answer.")
	if got := ask(t, h, asked{path: current}); got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("ETag") != "" {
		t.Errorf("storage is away: %s, %v", got.Status, got.Header)
	}
}
