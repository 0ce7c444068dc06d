package thumbnail

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"scrinalia/worker"
)

const (
	ahead       = 256             // documents that are under way at most: a slow host holds others up only when so many are its own
	desks       = 32              // pictures that are fetched or made at the same time: those that wait for a processor take room on the disk
	commitEvery = 3 * time.Second // what is made is committed this often

	contentType = "image/jpeg"
)

// The notes of a run, beside those of the reasons.
const (
	noteMade      = "made"
	noteWouldMake = "would_make"
	maxExamples   = 50
)

// run is one run. Documents are under way side by side and end in any order; only the loop in work claims and commits.
type run struct {
	env      worker.Env
	o        Options
	store    Store
	blobs    Blobs
	pictures Pictures
	hosts    *hosts
	desks    chan struct{} // what is on one is on the disk

	after, claimed int64
	ended          bool               // nothing is left to claim
	underWay       map[int64]string   // by key, with the names
	suspects       []worker.Reading   // each is taken up alone, when nothing else is
	made           []worker.Thumbnail // not committed yet
}

// result is what became of one document; an error ends the run.
type result struct {
	thumbnail worker.Thumbnail
	err       error
}

func (r *run) work(ctx context.Context) error {
	within, stop := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	results := make(chan result, ahead)
	defer group.Wait()
	defer stop(nil)
	commit := time.NewTicker(commitEvery)
	defer commit.Stop()
	for {
		if err := r.start(within, &group, results); err != nil {
			return err
		}
		if len(r.underWay) == 0 {
			return r.finish(within)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-commit.C:
			if err := r.commit(ctx); err != nil {
				return err
			}
		case got := <-results:
			delete(r.underWay, got.thumbnail.Reading.ID)
			if got.err != nil {
				stop(got.err)
				group.Wait()
				return r.wreck(ctx, results, got.err)
			}
			r.made = append(r.made, got.thumbnail)
			if int64(len(r.made)) >= r.o.BatchSize {
				if err := r.commit(ctx); err != nil {
					return err
				}
			}
		}
	}
}

// finish does what may not be done beside anything else, and commits the rest.
func (r *run) finish(ctx context.Context) error {
	for _, reading := range r.suspects {
		if err := r.env.Watch.SetInWork(ctx, []worker.UnitRef{{ID: reading.ID, Name: reading.Name}}); err != nil {
			return err
		}
		got := r.document(ctx, reading)
		if got.err != nil {
			return errors.Join(got.err, r.commit(ctx))
		}
		if err := r.env.Watch.Survived(ctx, reading.ID); err != nil {
			return err
		}
		r.made = append(r.made, got.thumbnail)
	}
	return r.commit(ctx)
}

// wreck commits what was finished before the run came to its end, and returns why it did.
func (r *run) wreck(ctx context.Context, results <-chan result, cause error) error {
	for range len(r.underWay) {
		if got := <-results; got.err == nil {
			r.made = append(r.made, got.thumbnail)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(cause, r.commit(ctx))
}

// start claims more documents as soon as there is room for many.
func (r *run) start(ctx context.Context, group *sync.WaitGroup, results chan<- result) error {
	for !r.ended && len(r.underWay) <= ahead/2 {
		size := int64(ahead - len(r.underWay))
		if r.o.Limit > 0 {
			size = min(size, r.o.Limit-r.claimed)
		}
		if size <= 0 {
			r.ended = true
			return nil
		}
		readings, err := r.store.ClaimThumbnails(ctx, r.after, size, r.o.Force)
		if err != nil {
			return err
		}
		r.ended = int64(len(readings)) < size
		readings, err = r.takeUp(ctx, readings)
		if err != nil {
			return err
		}
		for _, reading := range readings {
			group.Go(func() { results <- r.document(ctx, reading) })
		}
	}
	return nil
}

// takeUp notes what was claimed as in work, and returns it without the suspects.
func (r *run) takeUp(ctx context.Context, readings []worker.Reading) ([]worker.Reading, error) {
	free := readings[:0]
	for _, reading := range readings {
		r.after = reading.ID
		r.claimed++
		if r.env.Watch.Suspect(reading.ID) {
			r.suspects = append(r.suspects, reading)
			continue
		}
		r.underWay[reading.ID] = reading.Name
		free = append(free, reading)
	}
	units := make([]worker.UnitRef, 0, len(r.underWay))
	for id, name := range r.underWay {
		units = append(units, worker.UnitRef{ID: id, Name: name})
	}
	return free, r.env.Watch.SetInWork(ctx, units)
}

// document fetches, makes and stores the thumbnail of one document.
func (r *run) document(ctx context.Context, reading worker.Reading) (got result) {
	defer func() {
		if p := recover(); p != nil {
			r.env.Log.ErrorContext(ctx, "worker panicked", "panic", fmt.Sprint(p), "document", reading.ID, "stack", string(debug.Stack()))
			got.err = fmt.Errorf("the worker panicked at document %s: %v", reading.Name, p)
		}
	}()
	got.thumbnail.Reading = reading
	jpeg, err := r.make(ctx, &got.thumbnail)
	if err == nil && !r.o.DryRun {
		got.thumbnail.Key = key(reading)
		err = worker.Insist(ctx, func(ctx context.Context) error { return r.blobs.Put(ctx, got.thumbnail.Key, contentType, jpeg) })
		got.err = err
		return got
	}
	if failure, ok := errors.AsType[*worker.PictureError](err); ok {
		got.thumbnail.Failure = failure
		return got
	}
	got.err = err
	return got
}

func (r *run) make(ctx context.Context, t *worker.Thumbnail) ([]byte, error) {
	f, err := r.hosts.turn(ctx, t.Reading.Text, func() (*os.File, error) {
		select {
		case r.desks <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		f, err := r.pictures.Fetch(ctx, t.Reading.Text, time.Duration(r.o.TimeoutSeconds)*time.Second, r.o.MaxMegabytes<<20)
		if err != nil {
			<-r.desks
		}
		return f, err
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = f.Close()
		<-r.desks
	}()
	jpeg, width, height, err := r.pictures.Reduce(ctx, f, int(r.o.Size), r.o.MaxDecodedMegabytes<<20)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(jpeg)
	t.ContentType, t.Bytes, t.Width, t.Height, t.Digest = contentType, int64(len(jpeg)), width, height, digest[:]
	return jpeg, nil
}

// key is where the thumbnail of a document and an address is kept. A thousand documents share a folder.
func key(reading worker.Reading) string {
	return fmt.Sprintf("thumbnails/%06d/%d-%x.jpg", reading.ID/1000, reading.ID, reading.Fingerprint[:8])
}

// commit notes and stamps what was made since the last time.
func (r *run) commit(ctx context.Context) error {
	if len(r.made) == 0 {
		return nil
	}
	made := r.made
	r.made = nil
	counts, loose, err := r.store.ApplyThumbnails(ctx, r.env.RunID, r.o.DryRun, made)
	if err != nil {
		return err
	}
	if !r.o.DryRun {
		r.drop(ctx, loose)
	}
	last := made[len(made)-1].Reading
	return r.env.Report(ctx, worker.Batch{Last: last.ID, Unit: last.Name, Seen: len(made), Counts: counts, Notes: notes(made, r.o.DryRun)})
}

// drop removes objects that nothing points to. One that stays is in nobody's way.
func (r *run) drop(ctx context.Context, keys []string) {
	for _, k := range keys {
		if err := r.blobs.Delete(ctx, k); err != nil {
			r.env.Log.WarnContext(ctx, "an object that nothing points to could not be removed", "key", k, "err", err)
		}
	}
}

// notes count what became of the pictures, with examples of what could not be had and, in a dry run, of what would be made.
func notes(made []worker.Thumbnail, dry bool) map[string]worker.Note {
	all := map[string]worker.Note{}
	add := func(name, example string) {
		n := all[name]
		n.Count++
		if example != "" && len(n.Examples) < maxExamples {
			n.Examples = append(n.Examples, example)
		}
		all[name] = n
	}
	for _, t := range made {
		switch {
		case t.Failure != nil:
			add(string(t.Failure.Reason), t.Reading.Name+": "+t.Failure.Msg)
		default:
			add(noteMade, "")
			if dry {
				add(noteWouldMake, fmt.Sprintf("%s: %d x %d", t.Reading.Name, t.Width, t.Height))
			}
		}
	}
	return all
}
