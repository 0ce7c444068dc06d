package importer

import (
	"crypto/sha256"
	"encoding/binary"
)

// hashVersion begins what is hashed. Another encoding needs another one, and
// makes every record of every archive changed: see the golden test.
const hashVersion = "scrinalia record 1\n"

// Hash is the fingerprint of the mapped fields: SHA-256 of the version line,
// then the seventeen texts in the order of the staging columns, each as its
// length in bytes (eight bytes, big-endian) and its UTF-8, then the four lists
// (subjects, places, names, genres), each as the number of its items (eight
// bytes) and the items like texts. Neither the raw record nor the file counts.
func (r *Record) Hash() [32]byte {
	b := make([]byte, 0, 2048)
	b = append(b, hashVersion...)
	for _, s := range [...]string{
		r.DescriptionID, r.Title, r.ParentDescriptionID, r.ReferenceCode, r.ParentReferenceCode, r.Level,
		r.Date, r.Extent, r.Repository, r.Producers, r.AdminBioHistory, r.Provenance, r.ScopeContent,
		r.Language, r.AccessConditions, r.ArchivistNotes, r.ImageURL,
	} {
		b = appendText(b, s)
	}
	for _, list := range [...][]string{r.Subjects, r.Places, r.Names, r.Genres} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(list)))
		for _, s := range list {
			b = appendText(b, s)
		}
	}
	return sha256.Sum256(b)
}

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...)
}
