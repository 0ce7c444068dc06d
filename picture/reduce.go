package picture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // the formats that are read
	"image/jpeg"
	_ "image/png"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"scrinalia/worker"

	_ "golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"
	"golang.org/x/sync/semaphore"
)

const (
	quality   = 82
	maxLength = 1 << 24     // pixels of a row that sums can hold
	decodeFor = time.Minute // a file can be made so that its decoding takes for ever
)

// Reduce makes a JPEG of a picture, upright, in front of white, that fits within size pixels both ways; a smaller one is not made larger. A
// picture that would take more than maxMemory bytes once it is decoded is refused before.
func (s *Studio) Reduce(ctx context.Context, f *os.File, size int, maxMemory int64) (raw []byte, width, height int, err error) {
	select {
	case s.cores <- struct{}{}:
		defer func() { <-s.cores }()
	case <-ctx.Done():
		return nil, 0, 0, context.Cause(ctx)
	}
	limited, cancel := context.WithTimeoutCause(ctx, decodeFor, errDecodeTime)
	defer cancel()
	file := &stoppable{limited, f}
	config, format, err := decodeConfig(file)
	if err != nil {
		return nil, 0, 0, undecodable(limited, err)
	}
	if config.Width <= 0 || config.Height <= 0 {
		return nil, 0, 0, refuse(worker.PictureUndecodable, nil, "The picture has no pixels.")
	}
	h := readHeader(file, format)
	need := decodedBytes(config, format, h)
	if need > maxMemory || max(config.Width, config.Height) > maxLength {
		return nil, 0, 0, refuse(worker.PictureTooLarge, nil,
			"The picture has %d x %d pixels and would take %d MB of memory; max_decoded_megabytes can allow it, with force.", config.Width, config.Height, need>>20)
	}
	release, err := s.memory.take(ctx, need)
	if err != nil {
		return nil, 0, 0, err
	}
	defer release()
	again, cancel := context.WithTimeoutCause(ctx, decodeFor, errDecodeTime) // waiting for memory is not the picture's fault
	defer cancel()
	m, err := decode(again, &stoppable{again, f}, format)
	if err != nil {
		return nil, 0, 0, err
	}
	return encode(m, size, h.orientation)
}

func encode(m image.Image, size, orientation int) (raw []byte, width, height int, err error) {
	b := m.Bounds()
	if b.Empty() {
		return nil, 0, 0, refuse(worker.PictureUndecodable, nil, "The picture has no pixels.")
	}
	w, h := fit(b.Dx(), b.Dy(), size)
	small := upright(shrink(m, w, h), orientation)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: quality}); err != nil {
		return nil, 0, 0, fmt.Errorf("encode a thumbnail: %w", err)
	}
	return out.Bytes(), small.Rect.Dx(), small.Rect.Dy(), nil
}

// fit is the size of a picture that is not larger than size either way, as wide to its height as before.
func fit(w, h, size int) (dw, dh int) {
	long := max(w, h)
	if long <= size {
		return w, h
	}
	return max(1, (w*size+long/2)/long), max(1, (h*size+long/2)/long)
}

// decode is careful with decoders: what they trip over is the picture's fault.
func decode(ctx context.Context, f *stoppable, format string) (m image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = refuse(worker.PictureUndecodable, fmt.Errorf("the decoder gave up: %v", p), "The picture is broken.")
		}
	}()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the picture again: %w", err)
	}
	if format == formatTIFF {
		m, err = tiff.Decode(f)
	} else {
		m, _, err = image.Decode(bufio.NewReaderSize(f, 64<<10))
	}
	if err != nil {
		return nil, undecodable(ctx, err)
	}
	return m, nil
}

const formatTIFF = "tiff"

// decodeConfig is image.DecodeConfig, but that a TIFF, whose parts lie anywhere, is read where they are and not up to there.
func decodeConfig(f *stoppable) (c image.Config, format string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the decoder gave up: %v", p)
		}
	}()
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err == nil && (string(magic[:]) == "II*\x00" || string(magic[:]) == "MM\x00*") {
		c, err = tiff.DecodeConfig(f)
		return c, formatTIFF, err
	}
	return image.DecodeConfig(bufio.NewReader(f))
}

var errDecodeTime = errors.New("the picture took too long to decode")

func undecodable(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errDecodeTime):
		return refuse(worker.PictureTooLarge, nil, "The picture takes more than %s to decode.", decodeFor)
	case cause != nil:
		return cause
	case errors.Is(err, image.ErrFormat):
		return refuse(worker.PictureUndecodable, nil, "The file is no JPEG, PNG, GIF, WebP, TIFF or BMP picture.")
	}
	return refuse(worker.PictureUndecodable, err, "The picture is broken.")
}

// stoppable is a file whose reading ends when ctx does.
type stoppable struct {
	ctx context.Context // decoders take none
	f   *os.File
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.f.Read(p)
}

// ReadAt is for TIFF, which is read in no order.
func (s *stoppable) ReadAt(p []byte, off int64) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.f.ReadAt(p, off)
}

func (s *stoppable) Seek(offset int64, whence int) (int64, error) { return s.f.Seek(offset, whence) }

// decodedBytes estimates, rather too high than too low, how much memory decoding takes.
func decodedBytes(c image.Config, format string, h header) int64 {
	pixels := float64(c.Width) * float64(c.Height)
	each := modelBytes(c.ColorModel)
	switch format {
	case "jpeg":
		each = max(1, h.samples)
		if h.progressive {
			each += 4 * each // coefficients
		}
		if h.components == 4 || h.components == 3 && h.samples == 3 {
			each += 4 // CMYK and RGB are put together afterwards
		}
	case "png":
		if h.interlaced {
			each += each / 2 // the last pass by itself
		}
	case "webp", formatTIFF:
		each *= 2 // what is read of it, before and after
	}
	return int64(min(pixels*each, 1<<62))
}

func modelBytes(m color.Model) float64 {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.YCbCrModel:
		return 3
	case color.RGBA64Model, color.NRGBA64Model:
		return 8
	}
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	return 4
}

func newCores() chan struct{} { return make(chan struct{}, runtime.GOMAXPROCS(0)) }

// memory bounds what the pictures that are decoded at the same time take. One that takes much is alone, and leaves nothing behind.
type memory struct{ *semaphore.Weighted }

const (
	together = 64 << 20 // bytes that pictures may take at the same time
	much     = 16 << 20
)

func newMemory() *memory { return &memory{semaphore.NewWeighted(together)} }

func (m *memory) take(ctx context.Context, need int64) (release func(), err error) {
	large := need > much
	if large {
		need = together
	}
	if err := m.Acquire(ctx, need); err != nil {
		return nil, context.Cause(ctx)
	}
	if large {
		debug.FreeOSMemory()
	}
	return func() {
		if large {
			debug.FreeOSMemory()
		}
		m.Release(need)
	}, nil
}
