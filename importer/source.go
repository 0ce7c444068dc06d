package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"scrinalia/worker"
)

// source is a file that was read once, to know its encoding, and can be read
// again from where its text begins.
type source struct {
	io.Reader
	scan scan
	tmp  *os.File
}

// open reads all of r. What cannot be read twice is spooled to a temporary
// file. The error is one for the user, but for a disk that cannot be written.
func open(ctx context.Context, r io.Reader) (*source, error) {
	s := &source{}
	in, begin := io.Reader(&input{ctx: ctx, r: r}), int64(0)
	again, ok := r.(io.ReadSeeker)
	if ok { // a pipe is a file that cannot seek
		var err error
		begin, err = again.Seek(0, io.SeekCurrent)
		ok = err == nil
	}
	if !ok {
		var err error
		if s.tmp, err = os.CreateTemp("", "scrinalia-import-*"); err != nil {
			return nil, fmt.Errorf("spool import: %w", err)
		}
		again, in = s.tmp, io.TeeReader(in, s.tmp)
	}
	if err := s.read(in, again, begin); err != nil {
		s.Close()
		return nil, err
	}
	s.Reader = &input{ctx: ctx, r: again}
	return s, nil
}

func (s *source) read(in io.Reader, again io.ReadSeeker, begin int64) error {
	if _, err := io.CopyBuffer(&s.scan, in, make([]byte, 256<<10)); err != nil {
		return fmt.Errorf("read import: %w", err)
	}
	s.scan.end()
	if err := s.scan.refuse(); err != nil {
		return err
	}
	if s.scan.bom {
		begin += int64(len(bom))
	}
	if _, err := again.Seek(begin, io.SeekStart); err != nil {
		return fmt.Errorf("read import again: %w", err)
	}
	return nil
}

// Close removes the temporary file, if there is one.
func (s *source) Close() {
	if s.tmp != nil {
		_ = s.tmp.Close()
		_ = os.Remove(s.tmp.Name())
	}
}

func (s *source) encoding() string {
	switch {
	case s.scan.bom:
		return encodingUTF8BOM
	case s.scan.windows1252():
		return encodingWindows1252
	default:
		return encodingUTF8
	}
}

func (s *source) text() *text { return &text{windows1252: s.scan.windows1252()} }

func (s *source) notes() []string {
	switch n := s.scan.invalid; {
	case n == 0:
		return nil
	case s.scan.windows1252():
		return []string{"The file is not valid UTF-8 and was read as Windows-1252."}
	default:
		return []string{fmt.Sprintf("The file is UTF-8 with %d bytes that are not; the rows that hold them were rejected.", n)}
	}
}

// parser begins the second pass.
func (s *source) parser(f Format, t *text) (parser, Format, error) {
	switch head := bytes.TrimLeft(s.scan.text(), " \t\r\n"); {
	case f != Auto && f != "" && f != AtoMCSV && f != JSONLines:
		return nil, f, worker.Errorf(worker.Invalid, "There is no format %q. The formats are %s, %s and %s.", f, Auto, AtoMCSV, JSONLines)
	case f == JSONLines, f != AtoMCSV && bytes.HasPrefix(head, []byte("{")):
		return newJSONLines(s.Reader, t), JSONLines, nil
	default:
		p, err := newAtoM(s.Reader, t)
		return p, AtoMCSV, err
	}
}

// input stops reading when its context is done, and tells an error of the
// file, which the user can do something about, from all others.
type input struct {
	ctx context.Context //nolint:containedctx // lives as long as one call of Import
	r   io.Reader
}

// Read reads from the underlying reader.
func (in *input) Read(p []byte) (int, error) {
	if err := context.Cause(in.ctx); err != nil {
		return 0, err
	}
	n, err := in.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &worker.Error{Kind: worker.Invalid, Msg: "The file could not be read to its end. " + accepted, Err: err}
	}
	return n, err
}

const bom = "\xef\xbb\xbf"

// scan is the first pass: it counts the valid sequences of UTF-8 beyond ASCII
// and the bytes that belong to none.
type scan struct {
	head      []byte // the first bytes
	carry     []byte // a sequence that the next write may complete
	bom       bool
	blank     bool
	size      int64
	multibyte int64
	invalid   int64
}

// Write takes the next bytes of the file.
func (s *scan) Write(p []byte) (int, error) {
	if room := 4096 - len(s.head); room > 0 {
		s.head = append(s.head, p[:min(room, len(p))]...)
	}
	if s.size == 0 {
		s.blank = true
	}
	s.size += int64(len(p))
	if s.blank && len(bytes.Trim(bytes.TrimPrefix(p, []byte(bom)), " \t\r\n\x00")) > 0 {
		s.blank = false
	}
	b := p
	if len(s.carry) > 0 {
		b = slices.Concat(s.carry, p)
	}
	b = b[s.count(b, false):]
	s.carry = append([]byte(nil), b...)
	return len(p), nil
}

// end takes what is left when the file ends.
func (s *scan) end() {
	s.count(s.carry, true)
	s.bom = bytes.HasPrefix(s.head, []byte(bom))
}

// count returns how many bytes it counted: all but an unfinished sequence.
func (s *scan) count(b []byte, last bool) int {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		if !last && !utf8.FullRune(b[i:]) {
			return i
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			s.invalid++
		} else {
			s.multibyte++
		}
		i += n
	}
	return len(b)
}

// windows1252 says that the file is not UTF-8. A file with a BOM, or with more
// good sequences than bad bytes, is UTF-8 that was damaged: reading it as
// Windows-1252 would spoil every accent in it to save one.
func (s *scan) windows1252() bool {
	return s.invalid > 0 && !s.bom && s.multibyte <= s.invalid
}

func (s *scan) text() []byte { return bytes.TrimPrefix(s.head, []byte(bom)) }
