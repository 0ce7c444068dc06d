package worker

import "encoding/hex"

// PictureReason is why a picture gave no thumbnail. Runs note it by this name.
type PictureReason string

// The reasons. The first four stay as they are until the address changes.
const (
	PictureGone        PictureReason = "gone"            // the server says that there is none, or no longer
	PictureUndecodable PictureReason = "undecodable"     // no picture, or a broken one
	PictureTooLarge    PictureReason = "too_large"       // past a limit of the run
	PictureNoAddress   PictureReason = "no_address"      // nothing can be fetched from what stands there
	PictureDenied      PictureReason = "denied"          // the server refused it
	PicturePrivate     PictureReason = "private_address" // in a network that pictures may not come from
	PictureUnreachable PictureReason = "unreachable"     // the server does not answer, or not as it should
)

// PictureReasons lists every reason.
var PictureReasons = []PictureReason{
	PictureGone, PictureUndecodable, PictureTooLarge, PictureNoAddress, PictureDenied, PicturePrivate, PictureUnreachable,
}

// Permanent says whether trying again would end the same.
func (r PictureReason) Permanent() bool {
	switch r {
	case PictureGone, PictureUndecodable, PictureTooLarge, PictureNoAddress:
		return true
	case PictureDenied, PicturePrivate, PictureUnreachable:
	}
	return false
}

// PictureError says why a picture gave no thumbnail. Msg is a sentence for people.
type PictureError struct {
	Reason PictureReason
	Msg    string
	Err    error // the cause, if there is more to say
}

func (e *PictureError) Error() string {
	if e.Err != nil {
		return (&Error{Msg: e.Msg, Err: e.Err}).Error()
	}
	return e.Msg
}

// Unwrap returns the cause.
func (e *PictureError) Unwrap() error { return e.Err }

// Thumbnail is what became of the picture of one document; the reading's text is its address. Failure nil means that it was stored.
type Thumbnail struct {
	Reading       Reading
	Key           string // in storage
	ContentType   string
	Bytes         int64
	Width, Height int
	Digest        []byte // of the stored bytes
	Failure       *PictureError
}

// Version tells thumbnails of one document apart.
func (t Thumbnail) Version() string { return hex.EncodeToString(t.Digest[:min(len(t.Digest), 8)]) }
