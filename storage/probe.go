package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"

	"scrinalia/worker"
)

// Probe writes, reads and deletes an object, and says what keeps it from that.
func Probe(ctx context.Context, b Bucket) error {
	key := "probe/" + rand.Text() + ".txt"
	data := []byte("Scrinalia looks whether objects can be kept here.\n")
	if err := b.Put(ctx, key, plainText, data); err != nil {
		if _, _, readErr := b.Get(ctx, key); ReasonOf(err) == Denied && worker.KindOf(readErr) == worker.NotFound { // reading is not refused
			return unavailable(b.String(), ReadOnly, err)
		}
		return err
	}
	err := readBack(ctx, b, key, data)
	return errors.Join(err, b.Delete(ctx, key))
}

func readBack(ctx context.Context, b Bucket, key string, want []byte) error {
	body, info, err := b.Get(ctx, key)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(io.LimitReader(body, int64(len(want))+1))
	if err = errors.Join(err, body.Close()); err == nil && (!bytes.Equal(got, want) || info.Size != int64(len(want)) || info.ContentType != plainText) {
		err = errors.New("what was read is not what was written")
	}
	if err != nil {
		return unavailable(b.String(), Unexpected, err)
	}
	return nil
}
