package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"scrinalia/worker"
)

// asideOfNER are two units that are set aside.
func asideOfNER() []worker.SetAside {
	return []worker.SetAside{
		{UnitRef: worker.UnitRef{ID: 127, Name: "OP-03-0127"}, Worker: "ner", RunID: 1274, Deaths: 2, Owner: "scr-3/work/4711"},
		{UnitRef: worker.UnitRef{ID: 128, Name: "OP-03-0128"}, Worker: "ner", RunID: 1274, Deaths: 3, Owner: "scr-3/work/4712"},
	}
}

func TestReleaseOfUnits(t *testing.T) {
	t.Parallel()
	f := busy()
	f.aside = asideOfNER()
	h := serve(f)
	do := func(method, path, kind, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Host = "localhost"
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	page := do(http.MethodGet, "/workers/ner", "", "").Body.String()
	for _, want := range []string{"Set aside", "OP-03-0127", "scr-3/work/4712", "Release all 2", `action="/workers/ner/release"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if w := do(http.MethodPost, "/workers/ner/release", "application/x-www-form-urlencoded", "unit_id=127"); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/workers/ner" {
		t.Errorf("the form: %d to %q", w.Code, w.Header().Get("Location"))
	}
	if w := do(http.MethodPost, "/workers/ner/release", "application/x-www-form-urlencoded", "unit_id=all"); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a unit that is no number: %d", w.Code)
	}
	if w := do(http.MethodPost, "/workers/nobody/release", "application/json", "{}"); w.Code != http.StatusNotFound {
		t.Errorf("an unknown worker: %d", w.Code)
	}
	if w := do(http.MethodPost, "/workers/ner/release", "application/json", ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"unit_id": 128`) && !strings.Contains(w.Body.String(), `"unit_id":128`) {
		t.Errorf("JSON: %d %s", w.Code, w.Body)
	}
	if page := do(http.MethodGet, "/workers/ner", "", "").Body.String(); strings.Contains(page, "Set aside") {
		t.Error("the page still lists what was released")
	}
}
