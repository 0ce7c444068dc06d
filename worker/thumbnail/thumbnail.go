// Package thumbnail is the fifth worker: it fetches the pictures that descriptions point to and keeps small ones of them in storage. It imports
// worker and the standard library; the database, the storage and what knows of the web and of pictures reach it as small interfaces.
package thumbnail

import (
	"context"
	"os"
	"time"

	"scrinalia/worker"
)

// Options are what a run of thumbnail takes.
type Options struct {
	worker.Common
	BatchSize           int64 `json:"batch_size" min:"1" max:"1000" help:"Thumbnails that are committed together at most."`
	Size                int64 `json:"size" min:"32" max:"4096" help:"Thumbnails fit within so many pixels both ways."`
	PerHost             int64 `json:"per_host" min:"1" max:"16" results:"same" help:"Requests to one host at the same time."`
	PauseMS             int64 `json:"pause_ms" min:"0" max:"60000" results:"same" help:"Pause between two requests to a host, in milliseconds."`
	TimeoutSeconds      int64 `json:"timeout_seconds" min:"1" max:"600" results:"same" help:"A picture that takes longer to arrive is left for another run."`
	MaxMegabytes        int64 `json:"max_megabytes" min:"1" max:"4096" results:"same" help:"Larger files are given up."`
	MaxDecodedMegabytes int64 `json:"max_decoded_megabytes" min:"16" max:"16384" results:"same" help:"Pictures that would take more memory when decoded are given up."`
}

// Store is the database as this worker needs it.
type Store interface {
	ClaimThumbnails(ctx context.Context, after, size int64, force bool) ([]worker.Reading, error)
	// ApplyThumbnails notes what is in storage and what could not be had, and stamps the documents. loose are keys of objects that nothing
	// points to any more.
	ApplyThumbnails(ctx context.Context, runID int64, dry bool, made []worker.Thumbnail) (counts worker.Counts, loose []string, err error)
}

// Blobs is the storage.
type Blobs interface {
	Put(ctx context.Context, key, contentType string, data []byte) error
	Delete(ctx context.Context, key string) error
}

// Pictures knows the web and the formats of pictures. What it refuses is a worker.PictureError.
type Pictures interface {
	// Fetch downloads a picture into a file that is gone when it is closed.
	Fetch(ctx context.Context, address string, within time.Duration, maxBytes int64) (*os.File, error)
	// Reduce makes a JPEG of a picture that fits within size pixels.
	Reduce(ctx context.Context, f *os.File, size int, maxMemory int64) (jpeg []byte, width, height int, err error)
}

// New is the worker on a store. It opens nothing; listing the catalogue may pass nil for all three.
func New(store Store, blobs Blobs, pictures Pictures) worker.Definition {
	notes := []string{noteMade, noteWouldMake}
	for _, r := range worker.PictureReasons {
		notes = append(notes, string(r))
	}
	return worker.Define(worker.Spec{
		Name:         worker.Thumbnails,
		Label:        "Thumbnails",
		Description:  "Fetches the picture that a description points to and keeps a small one of it in storage. What cannot be had is not asked for again.",
		Order:        5,
		Unit:         worker.Document,
		Governed:     true,
		EngineSource: worker.EngineNone,
		Stamp:        "on the document",
		Reads:        "the address of the picture, and what is there",
		Writes:       "a JPEG in storage, and its place",
		Notes:        notes,
	}, Options{BatchSize: 64, Size: 512, PerHost: 2, PauseMS: 100, TimeoutSeconds: 30, MaxMegabytes: 64, MaxDecodedMegabytes: 128},
		func(ctx context.Context, env worker.Env, o Options) error {
			r := &run{env: env, underWay: map[int64]string{}, o: o, store: store, blobs: blobs, pictures: pictures, hosts: newHosts(o.PerHost, time.Duration(o.PauseMS)*time.Millisecond), desks: make(chan struct{}, desks)}
			return r.work(ctx)
		})
}
