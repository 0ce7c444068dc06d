// Package sample is the collection that Scrinalia shows before it has one of its own: the descriptions and
// pictures of the municipal archive of Vila Serena, a town that does not exist. The places around it do; its
// people, firms and events are invented. Text and pictures were made for this project and are licensed with
// it, under Apache-2.0. Faults were put in on purpose, so that every worker finds something: README.md counts them.
package sample

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Scheme begins the image addresses of the collection.
const Scheme = "sample://images/"

//go:embed collection.jsonl
var collection []byte

//go:embed images
var images embed.FS

// Collection reads the descriptions as JSON Lines, one object a line, in the form the importer takes.
// Some children come before their parents.
func Collection() io.Reader { return bytes.NewReader(collection) }

// Image returns the picture of that name, which may be given as the collection gives it, with Scheme before it.
// A picture that is not there is fs.ErrNotExist. The bytes are the caller's.
func Image(name string) ([]byte, error) {
	base := strings.TrimPrefix(name, Scheme)
	if base == "" || strings.ContainsAny(base, `/\`) {
		return nil, fmt.Errorf("sample image %q: %w", name, fs.ErrNotExist)
	}
	b, err := images.ReadFile("images/" + base)
	if err != nil {
		return nil, fmt.Errorf("sample image %q: %w", name, err)
	}
	return b, nil
}
