// Package storage keeps objects, such as thumbnails, in a folder or in a bucket of S3, MinIO or another server that speaks S3. Opening a bucket
// does no I/O: what is wrong shows when it is used, as an error that people may be shown, with the reason told apart (ReasonOf). It may
// import worker, for its errors, and the S3 client.
package storage

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"scrinalia/worker"
)

// Bucket is where objects are. It is safe for concurrent use.
//
// A key is a relative path of slashes; its extension names the content type, so that a folder needs no notes beside its files.
type Bucket interface {
	// Put writes a whole object, or none: a reader never sees half of it. It replaces what was there.
	Put(ctx context.Context, key, contentType string, data []byte) error
	// Get opens an object, or fails with NotFound.
	Get(ctx context.Context, key string) (io.ReadCloser, Info, error)
	// Delete removes an object; one that is not there is no error.
	Delete(ctx context.Context, key string) error
	// String says where the bucket is, as it was understood, without secrets.
	String() string
}

// Info is what a bucket knows of an object.
type Info struct {
	ContentType string
	Size        int64
	Modified    time.Time
}

// JPEG is the content type of pictures.
const JPEG = "image/jpeg"

const plainText = "text/plain; charset=utf-8"

// contentTypes are the types that objects may have, by the extension of their keys.
var contentTypes = map[string]string{".jpg": JPEG, ".txt": plainText}

// Open returns the bucket at an address.
func Open(a Address) (Bucket, error) {
	if a.Folder != "" {
		return folder{a.Folder}, nil
	}
	return openS3(a)
}

// checkKey refuses keys that are no relative path, or whose extension names another type. Such a key is a mistake in the program.
func checkKey(key, contentType string) error {
	if !fs.ValidPath(key) || key == "." || contentTypes[path.Ext(key)] != contentType {
		return fmt.Errorf("%q is no key of an object of type %s", key, contentType)
	}
	return nil
}

func notFound(key string, err error) error {
	return &worker.Error{Kind: worker.NotFound, Msg: fmt.Sprintf("There is no object %s.", key), Err: err}
}
