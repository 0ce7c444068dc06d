package static

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAddressesFollowTheContent(t *testing.T) {
	t.Parallel()
	first := urls(fstest.MapFS{"app.css": {Data: []byte("a")}, "lib/.gitkeep": {}, "notes.txt": {Data: []byte("x")}})
	second := urls(fstest.MapFS{"app.css": {Data: []byte("b")}})
	if len(first) != 1 || first["app.css"] == second["app.css"] || !strings.HasPrefix(first["app.css"], "/static/app.css?v=") {
		t.Errorf("%v and %v", first, second)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	for name, address := range URLs() {
		w := httptest.NewRecorder()
		if !Serve(w, httptest.NewRequestWithContext(t.Context(), "GET", address, nil), name) {
			t.Errorf("%s is not there", name)
		}
		if w.Body.Len() == 0 || w.Header().Get("Content-Type") == "" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d bytes, %v", name, w.Body.Len(), w.Header())
		}
	}
	for _, name := range []string{"", "lib", "lib/.gitkeep", "../static.go", "static.go", "nothing.css"} {
		if Serve(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/static/x", nil), name) {
			t.Errorf("%q is served", name)
		}
	}
}

var colour = regexp.MustCompile(`#[0-9a-f]{3,8}\b`)

// TestColoursAreTokens keeps colours in the one place where both themes are declared.
func TestColoursAreTokens(t *testing.T) {
	t.Parallel()
	raw, err := files.ReadFile("app.css")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(raw), "@layer base {")
	if !ok {
		t.Fatal("no base layer")
	}
	if c := colour.FindString(after); c != "" {
		t.Errorf("%s stands below the tokens", c)
	}
	if strings.Contains(string(raw), "url(") || strings.Contains(string(raw), "@import") {
		t.Error("the style sheet loads something")
	}
}
