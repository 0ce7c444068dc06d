package main

import (
	"strings"
	"testing"

	"scrinalia/search"
	"scrinalia/store/storetest"
)

// TestSearch finds what was transferred before, by words: there are no vectors.
func TestSearch(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := dial(t, url)
	_, err := db.Exec(t.Context(), `INSERT INTO staging_records (description_id, title, reference_code, content_hash)
		SELECT 'r' || g, 'Relatório da ponte ' || g || E'\n\x1b[31m', 'BR ' || g, sha256(g::text::bytea) FROM generate_series(1, 30) g`)
	must(t, err)
	succeed(t, database(url), "run", "transfer")
	got := decode[search.Answer](t, succeed(t, database(url), "search", "relatorios", "--json", "--limit", "25"))
	if len(got.Results) != 25 || got.Found != 30 || got.Results[24].Rank != 25 || got.Meaning.Documents != 30 || got.Meaning.Missing == "" {
		t.Errorf("%d results: %+v", len(got.Results), got)
	}
	for query, want := range map[string]string{"ponte 17": "BR 17", "nada": "nothing was found", "-- ponte -17": "by words only: "} {
		out := succeed(t, database(url), append([]string{"search"}, strings.Fields(query)...)...)
		if !strings.Contains(out, want) || strings.Contains(out, "\x1b") {
			t.Errorf("search %s says %q", query, out)
		}
	}
	refusal{args: []string{"search", strings.Repeat("a", 501)}, status: exitUsage, says: []string{"at most 500 characters"}}.check(t, database(url))
	_, address := serve(t, database(url))
	if got := get(t, address+"/search?q=ponte", wantsJSON); got.status != 200 || decode[search.Answer](t, got.body).Found != 30 {
		t.Errorf("%d %s", got.status, got.body)
	}
}
