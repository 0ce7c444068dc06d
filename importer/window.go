package importer

import (
	"bytes"
	"errors"
	"io"
)

// window is the part of a file that is being looked at. What is skipped stays
// in place until the next call of fill.
type window struct {
	r          io.Reader
	buf        []byte
	start, end int
	eof        bool
	line       int64 // of the first byte, from 1
}

func newWindow(r io.Reader) *window {
	return &window{r: r, buf: make([]byte, 256<<10), line: 1}
}

func (w *window) data() []byte { return w.buf[w.start:w.end] }

// full says that the window has as much as a row may have.
func (w *window) full() bool { return w.end-w.start >= maxRow }

func (w *window) skip(n int, lines int64) {
	w.start += n
	w.line += lines
}

// fill reads more, or sets eof.
func (w *window) fill() error {
	if w.start > 0 {
		w.end = copy(w.buf, w.data())
		w.start = 0
	}
	if w.end == len(w.buf) {
		w.buf = append(w.buf, make([]byte, min(len(w.buf), 2*maxRow-len(w.buf)))...)
	}
	n, err := w.r.Read(w.buf[w.end:])
	w.end += n
	if errors.Is(err, io.EOF) {
		w.eof = true
		return nil
	}
	return err
}

// skipLine skips to the next line of the file, however long this one is.
// Without cr a carriage return ends no line.
func (w *window) skipLine(cr bool) error {
	for {
		n, complete := lineEnd(w.data(), cr)
		if complete {
			w.skip(n, 1)
			return nil
		}
		if w.eof {
			w.skip(len(w.data()), 1)
			return nil
		}
		if n > 0 && n == len(w.data()) { // keep a CR whose LF is not here yet
			keep := 0
			if w.buf[w.end-1] == '\r' {
				keep = 1
			}
			w.skip(n-keep, 0)
		}
		if err := w.fill(); err != nil {
			return err
		}
	}
}

// lineEnd returns the length of the first line with its end, and whether the
// end is there.
func lineEnd(b []byte, cr bool) (int, bool) {
	lf := bytes.IndexByte(b, '\n')
	if cr {
		head := b
		if lf >= 0 {
			head = b[:lf]
		}
		if i := bytes.IndexByte(head, '\r'); i >= 0 && i != len(b)-1 && i+1 != lf {
			return i + 1, true
		}
	}
	if lf < 0 {
		return len(b), false
	}
	return lf + 1, true
}
