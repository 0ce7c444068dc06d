// Package picture fetches pictures from the addresses that descriptions give, and makes thumbnails of them. What it reads is not to be
// trusted: it bounds time, bytes and memory, and stays out of private networks. Its errors are worker.PictureErrors; it may import worker,
// sample and decoders.
package picture

import (
	"fmt"

	"scrinalia/worker"
)

func refuse(reason worker.PictureReason, err error, format string, args ...any) error {
	return &worker.PictureError{Reason: reason, Msg: fmt.Sprintf(format, args...), Err: err}
}
