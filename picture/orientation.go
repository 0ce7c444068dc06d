package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
)

// header is what decoders do not tell of a file.
type header struct {
	orientation int     // of EXIF, 1 to 8
	samples     float64 // of a JPEG: a pixel's, with what subsampling saves
	components  int     // of a JPEG
	progressive bool    // of a JPEG: all coefficients are kept until the end
	interlaced  bool    // of a PNG
}

// readHeader reads what stands around the pixels. What it does not find is as if it were not there.
func readHeader(r io.ReadSeeker, format string) header {
	h := header{orientation: 1}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return h
	}
	switch format {
	case "jpeg":
		h.readJPEG(r)
	case "png":
		h.readChunks(r, 8, binary.BigEndian, "eXIf")
	case "webp":
		h.readChunks(r, 12, binary.LittleEndian, "EXIF")
	case formatTIFF:
		h.setOrientation(readAt{r})
	}
	return h
}

const (
	markerSOS  = 0xda
	markerAPP1 = 0xe1
)

// readJPEG walks over the segments before the picture.
func (h *header) readJPEG(r io.ReadSeeker) {
	if _, err := r.Seek(2, io.SeekStart); err != nil {
		return
	}
	var head [4]byte
	for {
		if _, err := io.ReadFull(r, head[:2]); err != nil || head[0] != 0xff {
			return
		}
		for head[1] == 0xff { // filled up
			if _, err := io.ReadFull(r, head[1:2]); err != nil {
				return
			}
		}
		if head[1] == markerSOS {
			return
		}
		if _, err := io.ReadFull(r, head[2:]); err != nil {
			return
		}
		n := int64(binary.BigEndian.Uint16(head[2:])) - 2
		if n < 0 {
			return
		}
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return
		}
		h.readSegment(r, head[1], n)
		if _, err := r.Seek(at+n, io.SeekStart); err != nil {
			return
		}
	}
}

func (h *header) readSegment(r io.Reader, marker byte, n int64) {
	isFrame := marker >= 0xc0 && marker <= 0xc2
	if !isFrame && marker != markerAPP1 {
		return
	}
	segment := make([]byte, n)
	if _, err := io.ReadFull(r, segment); err != nil {
		return
	}
	if marker == markerAPP1 {
		if exif, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok {
			h.setOrientation(bytes.NewReader(exif))
		}
		return
	}
	if len(segment) < 6 || len(segment) < 6+3*int(segment[5]) {
		return
	}
	h.progressive, h.components = marker == 0xc2, int(segment[5])
	most, sum := 1, 0
	for i := range h.components {
		across, down := int(segment[7+3*i]>>4), int(segment[7+3*i]&15)
		most, sum = max(most, across*down), sum+across*down
	}
	h.samples = float64(sum) / float64(most)
}

// readChunks walks over the chunks of a PNG or a WebP.
func (h *header) readChunks(r io.ReadSeeker, start int64, order binary.ByteOrder, exif string) {
	isPNG := start == 8
	var head [8]byte
	for at := start; ; {
		if _, err := r.Seek(at, io.SeekStart); err != nil {
			return
		}
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return
		}
		size, name := order.Uint32(head[:4]), string(head[4:])
		if !isPNG {
			size, name = order.Uint32(head[4:]), string(head[:4])
		}
		switch name {
		case exif:
			data := make([]byte, min(size, 64<<10))
			if _, err := io.ReadFull(r, data); err == nil {
				h.setOrientation(bytes.NewReader(bytes.TrimPrefix(data, []byte("Exif\x00\x00"))))
			}
			return
		case "IHDR":
			var data [13]byte
			if _, err := io.ReadFull(r, data[:]); err == nil {
				h.interlaced = data[12] == 1
			}
		case "IDAT":
			return
		}
		at += 8 + int64(size)
		if isPNG {
			at += 4 // checksum
		} else {
			at += int64(size & 1) // padding
		}
	}
}

const (
	tagOrientation = 0x0112
	typeShort      = 3
)

// setOrientation reads the orientation out of a TIFF structure, which EXIF is.
func (h *header) setOrientation(r io.ReaderAt) {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return
	}
	var order binary.ByteOrder
	switch string(head[:2]) {
	case "II":
		order = binary.LittleEndian
	case "MM":
		order = binary.BigEndian
	default:
		return
	}
	at := int64(order.Uint32(head[4:]))
	var count [2]byte
	if _, err := r.ReadAt(count[:], at); err != nil {
		return
	}
	entries := make([]byte, 12*int(order.Uint16(count[:])))
	if n, _ := r.ReadAt(entries, at+2); n < len(entries) {
		entries = entries[:n/12*12]
	}
	for ; len(entries) > 0; entries = entries[12:] {
		if order.Uint16(entries) == tagOrientation && order.Uint16(entries[2:]) == typeShort {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				h.orientation = o
			}
			return
		}
	}
}

// readAt reads at a place of what can be sought in.
type readAt struct{ io.ReadSeeker }

func (r readAt) ReadAt(p []byte, off int64) (int, error) {
	if _, err := r.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	return io.ReadFull(r, p)
}

// upright turns and mirrors a picture as its orientation asks.
func upright(m *image.RGBA, orientation int) *image.RGBA {
	if orientation == 1 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			var to int
			switch orientation {
			case 2:
				to = out.PixOffset(w-1-x, y)
			case 3:
				to = out.PixOffset(w-1-x, h-1-y)
			case 4:
				to = out.PixOffset(x, h-1-y)
			case 5:
				to = out.PixOffset(y, x)
			case 6:
				to = out.PixOffset(h-1-y, x)
			case 7:
				to = out.PixOffset(h-1-y, w-1-x)
			case 8:
				to = out.PixOffset(y, w-1-x)
			}
			copy(out.Pix[to:to+4], m.Pix[m.PixOffset(x, y):])
		}
	}
	return out
}
