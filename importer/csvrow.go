package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// cell is one field of a row, as a range of the row's bytes.
type cell struct {
	start, end int
	line       int64 // from the row's first line
	doubled    bool  // quotation marks inside are doubled
}

var errMore = errors.New("the row goes on")

// syntaxError is a row that breaks the rules of RFC 4180.
type syntaxError struct {
	line   int64 // from the row's first line
	field  int
	reason string
}

func (e *syntaxError) Error() string { return e.reason }

const (
	reasonBareQuote = "a quotation mark in a field that is not quoted; put the field in quotation marks and double those inside"
	reasonAfterText = "text after a closing quotation mark; a quotation mark inside quoted text must be doubled"
	reasonUnclosed  = "the quoted text that begins here is never closed"
	reasonBadUTF8   = "bytes that are not valid UTF-8, in a file that otherwise is"
)

// parseRow finds the fields of the first row of b, its length in bytes and in
// lines. It is strict where a guess could move text to another column: a
// quotation mark stands around a field or doubled within. Rows end with LF,
// CRLF or CR. Unless last, errMore means that b may not hold the whole row.
func parseRow(b []byte, comma byte, last bool, cells []cell) ([]cell, int, int64, error) {
	i, line := 0, int64(0)
	for {
		c := cell{start: i, line: line}
		switch {
		case i < len(b) && b[i] == '"':
			end, doubled, err := quotedEnd(b, i+1, last)
			if err != nil {
				return cells, 0, 0, fail(err, line, len(cells))
			}
			c.start, c.end, c.doubled = i+1, end, doubled
			line += countLines(b[c.start:c.end])
			i = end + 1
		default:
			for i < len(b) && b[i] != comma && b[i] != '\n' && b[i] != '\r' {
				if b[i] == '"' {
					return cells, 0, 0, &syntaxError{line, len(cells), reasonBareQuote}
				}
				i++
			}
			c.end = i
		}
		cells = append(cells, c)
		switch {
		case i == len(b) && last:
			return cells, i, line + 1, nil
		case i == len(b), b[i] == '\r' && i+1 == len(b) && !last:
			return cells, 0, 0, errMore
		case b[i] == comma:
			i++
		case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n':
			return cells, i + 2, line + 1, nil
		case b[i] == '\n', b[i] == '\r':
			return cells, i + 1, line + 1, nil
		default:
			return cells, 0, 0, &syntaxError{c.line, len(cells) - 1, reasonAfterText}
		}
	}
}

// quotedEnd returns where the closing quotation mark is.
func quotedEnd(b []byte, i int, last bool) (end int, doubled bool, err error) {
	for {
		n := bytes.IndexByte(b[i:], '"')
		switch {
		case n < 0 && last:
			return 0, false, errors.New(reasonUnclosed)
		case n < 0, i+n+1 == len(b) && !last:
			return 0, false, errMore
		}
		i += n
		if i+1 == len(b) || b[i+1] != '"' {
			return i, doubled, nil
		}
		doubled = true
		i += 2
	}
}

func fail(err error, line int64, field int) error {
	if errors.Is(err, errMore) {
		return err
	}
	return &syntaxError{line, field, err.Error()}
}

// countLines counts the line breaks within quoted text.
func countLines(b []byte) int64 {
	n := bytes.Count(b, []byte{'\n'})
	if cr := bytes.Count(b, []byte{'\r'}); cr > 0 {
		n += cr - bytes.Count(b, []byte("\r\n"))
	}
	return int64(n)
}

// rowReader reads rows. A row that breaks the rules costs its first line: the
// next line is read as a new row, so that an unclosed quotation mark does not
// take the rest of the file with it.
type rowReader struct {
	w     *window
	comma byte
	cells []cell
	b     []byte // the bytes of the row, good until the next call
	line  int64  // of the row
}

// next reads a row into cells and b. Besides io.EOF and errors of the file it
// returns a *syntaxError for a row that is no row.
func (r *rowReader) next() error {
	for {
		data := r.w.data()
		if len(data) == 0 && r.w.eof {
			return io.EOF
		}
		r.line = r.w.line
		cells, n, lines, err := parseRow(data, r.comma, r.w.eof, r.cells[:0])
		r.cells = cells
		switch {
		case err == nil && n <= maxRow:
			r.w.skip(n, lines)
			r.b = data[:n]
			if len(cells) == 1 && cells[0].start == 0 && cells[0].end == 0 { // an empty line
				continue
			}
			return nil
		case errors.Is(err, errMore) && !r.w.full():
			if err := r.w.fill(); err != nil {
				return err
			}
			continue
		case err == nil, errors.Is(err, errMore):
			err = &syntaxError{0, 0, fmt.Sprintf("the row has more than %d bytes; is a quotation mark missing?", maxRow)}
		}
		if err := r.w.skipLine(true); err != nil {
			return err
		}
		return err
	}
}

// bytes returns the text of a cell, with quotation marks as they were meant.
func (r *rowReader) bytes(c cell) []byte {
	b := r.b[c.start:c.end]
	if c.doubled {
		b = bytes.ReplaceAll(b, []byte(`""`), []byte(`"`))
	}
	return b
}
