package storage_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"scrinalia/storage"
	"scrinalia/storage/storagetest"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func open(t *testing.T, url string, getenv func(string) string) storage.Bucket {
	t.Helper()
	a, err := storage.ParseAddress(url, filepath.Join(t.TempDir(), "objects"), getenv)
	if err != nil {
		t.Fatal(err)
	}
	b, err := storage.Open(a)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t *testing.T, b storage.Bucket, key string) (string, storage.Info) {
	t.Helper()
	body, info, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(raw), info
}

// TestBuckets holds a folder and a server to the same.
func TestBuckets(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	for _, tt := range []struct {
		name, url string
		getenv    func(string) string
	}{
		{"folder", "", env()},
		{"server", server.URL(), storagetest.Getenv},
		{"server, prefix", "http://" + server.Address + "/" + storagetest.Bucket + "/a/prefix", storagetest.Getenv},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, tt.url, tt.getenv)
			ctx := t.Context()
			const key = "thumbnails/000001/1-ab.jpg"
			if _, _, err := b.Get(ctx, key); worker.KindOf(err) != worker.NotFound {
				t.Errorf("reading what is not there: %v", err)
			}
			if err := b.Delete(ctx, key); err != nil {
				t.Errorf("deleting what is not there: %v", err)
			}
			for _, text := range []string{"first", "the second one", ""} {
				if err := b.Put(ctx, key, storage.JPEG, []byte(text)); err != nil {
					t.Fatal(err)
				}
				got, info := read(t, b, key)
				if got != text || info.ContentType != storage.JPEG || info.Size != int64(len(text)) || info.Modified.IsZero() {
					t.Errorf("put %q, got %q with %+v", text, got, info)
				}
			}
			if err := storage.Probe(ctx, b); err != nil {
				t.Errorf("probe: %v", err)
			}
			if err := b.Delete(ctx, key); err != nil {
				t.Error(err)
			}
			if _, _, err := b.Get(ctx, key); worker.KindOf(err) != worker.NotFound {
				t.Errorf("reading what was deleted: %v", err)
			}
			for _, wrong := range []string{"", ".", "/a.jpg", "../a.jpg", "a/../../b.jpg", "a.txt", "a"} {
				if err := b.Put(ctx, wrong, storage.JPEG, nil); err == nil || worker.KindOf(err) != worker.Internal {
					t.Errorf("key %q: %v", wrong, err)
				}
			}
			stopped, stop := context.WithCancel(ctx)
			stop()
			if err := b.Put(stopped, key, storage.JPEG, []byte("x")); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
		})
	}
}

// TestWholeObjects: who reads while others write sees one of the objects, never a part of one.
func TestWholeObjects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, env())
	var writers sync.WaitGroup
	for _, letter := range "abcd" {
		writers.Go(func() {
			for range 20 {
				if err := b.Put(t.Context(), "x/y.jpg", storage.JPEG, []byte(strings.Repeat(string(letter), 100_000))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		body, _, err := b.Get(t.Context(), "x/y.jpg")
		if worker.KindOf(err) == worker.NotFound {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(body)
		_ = body.Close()
		if err != nil || len(raw) != 100_000 || strings.Trim(string(raw), string(raw[:1])) != "" {
			t.Fatalf("read %d bytes, %v", len(raw), err)
		}
	}
	writers.Wait()
	left, err := os.ReadDir(filepath.Join(dir, "x"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestFaults tells apart what keeps objects from being kept.
func TestFaults(t *testing.T) {
	t.Parallel()
	server, readonly := storagetest.New(t), storagetest.New(t, "--readonly")
	gone := storagetest.New(t)
	gone.Stop()
	expectsTLS := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Client sent an HTTP request to an HTTPS server.", http.StatusBadRequest)
	}))
	t.Cleanup(expectsTLS.Close)
	selfSigned := httptest.NewUnstartedServer(http.NotFoundHandler())
	selfSigned.Config.ErrorLog = log.New(io.Discard, "", 0)
	selfSigned.StartTLS()
	t.Cleanup(selfSigned.Close)
	full := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInsufficientStorage) }))
	t.Cleanup(full.Close)
	cut, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cut.Close() })
	go func() {
		for {
			c, err := cut.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	for _, tt := range []struct {
		name, url string
		getenv    func(string) string
		want      storage.Reason
	}{
		{"no server", gone.URL(), storagetest.Getenv, storage.NoRoute},
		{"no such name", "http://no-such-host.invalid/" + storagetest.Bucket, storagetest.Getenv, storage.NoRoute},
		{"cut", "http://" + cut.Addr().String() + "/" + storagetest.Bucket, storagetest.Getenv, storage.NoRoute},
		{"unknown certificate", selfSigned.URL + "/" + storagetest.Bucket, storagetest.Getenv, storage.TLS},
		{"http to https", expectsTLS.URL + "/" + storagetest.Bucket, storagetest.Getenv, storage.TLS},
		{"https to http", "https://" + server.Address + "/" + storagetest.Bucket, storagetest.Getenv, storage.TLS},
		{"no credentials", server.URL(), env(), storage.NoCredentials},
		{"wrong key", server.URL(), env("AWS_ACCESS_KEY_ID", "nobody", "AWS_SECRET_ACCESS_KEY", storagetest.Secret), storage.WrongKey},
		{"wrong secret", server.URL(), env("AWS_ACCESS_KEY_ID", storagetest.Key, "AWS_SECRET_ACCESS_KEY", "guess"), storage.WrongSignature},
		{"not allowed", server.URL(), env("AWS_ACCESS_KEY_ID", storagetest.OtherKey, "AWS_SECRET_ACCESS_KEY", storagetest.OtherSecret), storage.Denied},
		{"no bucket", "http://" + server.Address + "/another", storagetest.Getenv, storage.NoBucket},
		{"read only", readonly.URL(), storagetest.Getenv, storage.ReadOnly},
		{"full", full.URL + "/" + storagetest.Bucket, storagetest.Getenv, storage.Full},
		{"no folder", "/dev/null/objects", env(), storage.NoBucket},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := storage.Probe(t.Context(), open(t, tt.url, tt.getenv))
			if storage.ReasonOf(err) != tt.want || worker.KindOf(err) != worker.Unavailable {
				t.Errorf("got %q, want %q: %v", storage.ReasonOf(err), tt.want, err)
			}
			for _, secret := range []string{storagetest.Secret, storagetest.OtherSecret, "guess"} {
				if strings.Contains(fmt.Sprint(err), secret) {
					t.Errorf("a secret is told: %v", err)
				}
			}
		})
	}
}

// TestObjectsStayInTheFolder: a link cannot lead out of it.
func TestObjectsStayInTheFolder(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "thumbnails")); err != nil {
		t.Fatal(err)
	}
	b := open(t, dir, env())
	if err := b.Put(t.Context(), "thumbnails/a.jpg", storage.JPEG, []byte("x")); err == nil {
		t.Error("an object was put outside of the folder")
	}
	if _, err := os.Stat(filepath.Join(outside, "a.jpg")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("an object is outside of the folder")
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		url  string
		env  []string
		want string // what was understood
	}{
		{"", nil, "the folder /data/objects"},
		{" /srv/objects/ ", nil, "the folder /srv/objects"},
		{"./objects", nil, "the folder " + here + "/objects"},
		{"file:///srv/objects", nil, "the folder /srv/objects"},
		{"s3://photos", nil, "the bucket photos at https://s3.amazonaws.com (host style, region as the server says)"},
		{"s3://photos?region=sa-east-1", nil, "the bucket photos at https://s3.amazonaws.com (host style, region sa-east-1)"},
		{"s3://photos", []string{"AWS_REGION", "sa-east-1"}, "the bucket photos at https://s3.amazonaws.com (host style, region sa-east-1)"},
		{"s3://photos/of/the archive", []string{"AWS_ENDPOINT_URL_S3", "http://minio:9000/"}, "the bucket photos/of/the archive at http://minio:9000 (path style, region us-east-1)"},
		{"s3://photos?endpoint=127.0.0.1:9000", nil, "the bucket photos at http://127.0.0.1:9000 (path style, region us-east-1)"},
		{"s3://photos?endpoint=localhost:9000&path_style=false", nil, "the bucket photos at http://localhost:9000 (host style, region us-east-1)"},
		{"s3://photos?endpoint=minio.example.org", nil, "the bucket photos at https://minio.example.org (path style, region us-east-1)"},
		{"s3://photos?endpoint=http://minio.example.org:9000&region=eu", nil, "the bucket photos at http://minio.example.org:9000 (path style, region eu)"},
		{"https://minio.example.org/photos", nil, "the bucket photos at https://minio.example.org (path style, region us-east-1)"},
		{"https://minio.example.org:9000/photos/a/b/?region=eu", nil, "the bucket photos/a/b at https://minio.example.org:9000 (path style, region eu)"},
		{"minio:9000/photos", nil, "the bucket photos at http://minio:9000 (path style, region us-east-1)"},
		{"10.0.0.7:9000/photos", nil, "the bucket photos at http://10.0.0.7:9000 (path style, region us-east-1)"},
		{"[::1]:9000/photos", nil, "the bucket photos at http://[::1]:9000 (path style, region us-east-1)"},
		{"s3.example.org/photos", nil, "the bucket photos at https://s3.example.org (path style, region us-east-1)"},
	} {
		a, err := storage.ParseAddress(tt.url, "/data/objects", env(tt.env...))
		if err != nil {
			t.Errorf("%q: %v", tt.url, err)
			continue
		}
		if diff := cmp.Diff(tt.want, a.String()); diff != "" {
			t.Errorf("%q: -want +got:\n%s", tt.url, diff)
		}
		if _, err := storage.Open(a); err != nil {
			t.Errorf("%q cannot be opened: %v", tt.url, err)
		}
	}
	for _, tt := range []struct{ url, want string }{
		{"s3://", "no address"},
		{"minio:9000", "name of a bucket"},
		{"https://minio.example.org/", "name of a bucket"},
		{"s3://p", "name of a bucket"},
		{"s3://photos?endpoint=http://minio:9000/minio", "path"},
		{"s3://photos?endpoint=ftp://minio", "http"},
		{"s3://photos?regoin=eu", "regoin"},
		{"s3://photos?path_style=yes", "true or false"},
		{"https://minio/photos?endpoint=other", "twice"},
		{"s3://key:hidden@photos", "credentials"},
		{"http://key:hidden@minio:9000/photos", "credentials"},
		{"s3://photos?endpoint=http://key:hidden@minio:9000", "credentials"},
		{"gs://photos", "gs://"},
		{"file://host/x", "file:///"},
		{"s3://ph%zzotos", "no address"},
	} {
		_, err := storage.ParseAddress(tt.url, "/data/objects", env())
		if worker.KindOf(err) != worker.Invalid || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.url, err, tt.want)
		}
		if strings.Contains(fmt.Sprint(err), "hidden") {
			t.Errorf("%q: a secret is told: %v", tt.url, err)
		}
	}
}
