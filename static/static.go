// Package static holds the files that the panel serves as they are: one style sheet, one script, the icons, and htmx
// when the build brought it. It knows their addresses, which carry a hash of the content, and imports the standard
// library only.
package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed app.css app.js icons.svg favicon.svg all:lib
var files embed.FS

// Htmx is the name of the script that pages do without when it is not there.
const Htmx = "lib/htmx.min.js"

// Prefix is the path below which the files are served.
const Prefix = "/static/"

var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// URLs maps the name of each file to its address. A changed file has another address, so that each may be kept for ever.
func URLs() map[string]string { return urls(files) }

func urls(fsys fs.FS) map[string]string {
	out := map[string]string{}
	_ = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || types[path.Ext(name)] == "" {
			return err
		}
		raw, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(raw)
		out[name] = Prefix + name + "?v=" + hex.EncodeToString(sum[:6])
		return nil
	})
	return out
}

// Serve answers with the named file, or says false when there is none. Addresses with the current hash are kept for a year.
func Serve(w http.ResponseWriter, r *http.Request, name string) bool {
	kind := types[path.Ext(name)]
	raw, err := files.ReadFile(name)
	if kind == "" || err != nil {
		return false
	}
	sum := sha256.Sum256(raw)
	hash := hex.EncodeToString(sum[:6])
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("ETag", `"`+hash+`"`)
	h.Set("Cache-Control", "public, no-cache")
	if strings.EqualFold(r.URL.Query().Get("v"), hash) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(raw))
	return true
}
