package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"scrinalia/storage/storagetest"
	"scrinalia/store/storetest"
)

// TestThumbnailsInS3: from a description to a picture on a page, through a real S3 server.
func TestThumbnailsInS3(t *testing.T) {
	t.Parallel()
	s3 := storagetest.New(t)
	url := storetest.URL(t)
	env := append(database(url), "SCRINALIA_STORAGE_URL="+s3.Address+"/"+storagetest.Bucket+"/scrinalia",
		"AWS_ACCESS_KEY_ID="+storagetest.Key, "AWS_SECRET_ACCESS_KEY="+storagetest.Secret)
	succeed(t, env, "import", sampleFile)
	succeed(t, env, "run", "transfer")
	if out := succeed(t, env, "run", "thumbnail"); !strings.Contains(out, "SUCCESS, 51 processed, 4 failed, 0 skipped") {
		t.Errorf("run thumbnail said %q", out)
	}
	if keys := s3.Objects(); len(keys) != 51 || !strings.HasPrefix(keys[0], "scrinalia/thumbnails/") {
		t.Errorf("%d objects: %v", len(keys), keys)
	}
	where := "Thumbnails are kept in the bucket archive/scrinalia at http://" + s3.Address + " (path style, region us-east-1)"
	if out := succeed(t, env, "workers"); !strings.Contains(out, where) || strings.Contains(out, storagetest.Secret) {
		t.Errorf("workers said %q", out)
	}
	db := dial(t, url)
	id := scalar[int64](t, db, "SELECT min(document_id) FROM thumbnails")
	p, address := serve(t, env)
	if !strings.Contains(p.stderr.String(), where) {
		t.Errorf("serve said %q", p.stderr.String())
	}
	path := address + "/thumbnails/" + strconv.FormatInt(id, 10)
	if a := get(t, path); a.status != http.StatusOK || a.header.Get("Content-Type") != "image/jpeg" || !strings.HasPrefix(a.body, "\xff\xd8\xff") || a.header.Get("ETag") == "" {
		t.Errorf("%d %v", a.status, a.header)
	}
	s3.Stop()
	if a := get(t, path); a.status != http.StatusServiceUnavailable {
		t.Errorf("storage is away: %d", a.status)
	}
	succeed(t, env, "workers") // needs no storage
	gone := start(t, env, "run", "thumbnail", "--force")
	gone.wantExit(exitFailed)
	if !strings.Contains(gone.stdout.String(), "FAILED") || !strings.Contains(gone.stdout.String(), "does not answer") {
		t.Errorf("without storage: %q", gone.stdout.String())
	}
	s3.Start()
	succeed(t, env, "run", "thumbnail", "--force")
}
