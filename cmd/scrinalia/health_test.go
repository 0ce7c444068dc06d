package main

import (
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"scrinalia/engine/ollama/ollamatest"
	"scrinalia/health"
	"scrinalia/storage/storagetest"
	"scrinalia/store/storetest"
	"scrinalia/views"
)

// findCheck returns one check of a report.
func findCheck(t *testing.T, j views.HealthJSON, code string) views.HealthCheckJSON {
	t.Helper()
	i := slices.IndexFunc(j.Checks, func(c views.HealthCheckJSON) bool { return c.Code == code })
	if i < 0 {
		t.Fatalf("there is no check %s: %+v", code, j)
	}
	return j.Checks[i]
}

// advised is what a check says to do.
func advised(c views.HealthCheckJSON) string {
	var said []string
	for _, a := range c.Advice {
		said = append(said, a.Text+" "+a.Command+a.Path)
	}
	return strings.Join(said, "\n")
}

// silent is the address of a server that takes connections and never answers.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// TestModelServerFaults: a server that stops, a model that is missing, one that is there as :latest, and nothing that is needed.
func TestModelServerFaults(t *testing.T) {
	t.Parallel()
	models := ollamatest.New(t, "paraphrase-multilingual-MiniLM-L12-v2:latest")
	url := storetest.URL(t)
	env := append(database(url), "OLLAMA_HOST="+models.URL)
	_, address := serve(t, env)
	want := func(when string, verdict health.Verdict, affects string, says ...string) {
		t.Helper()
		var c views.HealthCheckJSON
		await(t, when, func() bool {
			c = findCheck(t, decode[views.HealthJSON](t, get(t, address+"/health", wantsJSON).body), "models")
			return c.Verdict == verdict && strings.Contains(c.Message, says[0]) // one that is a few seconds old is given again
		})
		page := get(t, address+"/health", "HX-Request: true").body
		for _, s := range says {
			if !strings.Contains(c.Message+"\n"+advised(c), s) {
				t.Errorf("%s: %q, %q lack %q", when, c.Message, advised(c), s)
			}
			if !strings.Contains(page, s) {
				t.Errorf("%s: the page lacks %q", when, s)
			}
		}
		if got := strings.Join(c.Affects, ","); got != affects {
			t.Errorf("%s: it stops %q, want %q", when, got, affects)
		}
	}
	want("nothing needs it", health.OK, "", "built-in engines need none")
	succeed(t, env, "set", "embedding", "engine=ollama")
	want("there as :latest", health.OK, "", "are installed")
	succeed(t, env, "set", "ner", "engine=ollama")
	want("a model is missing", health.Failed, "ner", "granite4.1:3b is not installed", "ollama pull granite4.1:3b")
	succeed(t, env, "reset", "ner")
	want("it is no longer needed", health.OK, "", "are installed")
	models.Stop()
	want("the server stopped", health.Failed, "embedding", "does not answer", "ollama serve")
	models.Start()
	want("the server is back", health.OK, "", "are installed")
}

// TestHealthCommand: what the command line says of faults, with its exit status.
func TestHealthCommand(t *testing.T) {
	t.Parallel()
	s3 := storagetest.New(t)
	readOnly := storagetest.New(t, "--readonly")
	url := storetest.URL(t)
	keys := []string{"AWS_ACCESS_KEY_ID=" + storagetest.Key, "AWS_SECRET_ACCESS_KEY=" + storagetest.Secret}
	succeed(t, database(url), "workers")
	file := s3.Folder + "/file"
	must(t, os.WriteFile(file, nil, 0o600))
	for _, tt := range []struct {
		name, check string
		env         []string
		status      int
		verdict     health.Verdict
		says        string
	}{
		{"all is well", "storage", append(keys, "SCRINALIA_STORAGE_URL="+s3.URL()), 0, health.OK, "written, read and deleted"},
		{"wrong signature", "storage", []string{"SCRINALIA_STORAGE_URL=" + s3.URL(), "AWS_ACCESS_KEY_ID=" + storagetest.Key, "AWS_SECRET_ACCESS_KEY=wrong"}, exitFailed, health.Failed, "refused the signature"},
		{"wrong key", "storage", []string{"SCRINALIA_STORAGE_URL=" + s3.URL(), "AWS_ACCESS_KEY_ID=nobody", "AWS_SECRET_ACCESS_KEY=wrong"}, exitFailed, health.Failed, "does not know the access key"},
		{"wrong bucket", "storage", append(keys, "SCRINALIA_STORAGE_URL=s3://other?endpoint="+s3.Address), exitFailed, health.Failed, "is not there"},
		{"read only", "storage", append(keys, "SCRINALIA_STORAGE_URL="+readOnly.URL()), exitFailed, health.Failed, "refused access"},
		{"a file in its place", "storage", []string{"SCRINALIA_STORAGE_URL=" + file + "/objects"}, exitFailed, health.Failed, "Storage"},
		{"a black hole", "storage", append(keys, "SCRINALIA_STORAGE_URL=s3://archive?endpoint="+silent(t)), exitFailed, health.Failed, "does not answer"},
		{"models in a black hole that nothing needs", "models", []string{"OLLAMA_HOST=" + silent(t)}, 0, health.OK, "built-in"},
		{"database in a black hole", "database", []string{"DATABASE_URL=postgres://a:secret@" + silent(t) + "/b"}, exitFailed, health.Failed, "does not answer"},
		{"no database of that name", "database", []string{"DATABASE_URL=" + strings.Replace(url, "scrinalia_test_", "scrinalia_none_", 1)}, exitFailed, health.Failed, "There is no database"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, append(database(url), tt.env...), "health", "--json")
			p.wantExit(tt.status)
			c := findCheck(t, decode[views.HealthJSON](t, p.stdout.String()), tt.check)
			if said := c.Message + " " + c.Error; c.Verdict != tt.verdict || !strings.Contains(said, tt.says) || c.Verdict == health.Failed && advised(c) == "" {
				t.Errorf("%s: %q, %q", c.Verdict, said, advised(c))
			}
			if strings.Contains(p.stdout.String(), "secret") || strings.Contains(p.stdout.String(), storagetest.Secret) {
				t.Error("a secret is shown")
			}
			plain := start(t, append(database(url), tt.env...), "health")
			plain.wantExit(tt.status)
			if !strings.Contains(plain.stdout.String(), string(tt.verdict)) {
				t.Errorf("in words: %q", plain.stdout.String())
			}
		})
	}
}

// TestHealthPage: the page is there at once, and shows the report when the part is asked for.
func TestHealthPage(t *testing.T) {
	t.Parallel()
	_, address := serve(t, database(storetest.URL(t)))
	if a := get(t, address+"/health"); a.status != http.StatusOK || !strings.Contains(a.body, `hx-trigger="load"`) || !strings.Contains(a.body, "Checking") {
		t.Errorf("%d %s", a.status, a.body)
	}
	part := get(t, address+"/health", "HX-Request: true").body
	for _, s := range []string{"Everything works", `id="check-database"`, "PostgreSQL answers", "SCRINALIA_STORAGE_URL"} {
		if !strings.Contains(part, s) {
			t.Errorf("the part lacks %q", s)
		}
	}
	if strings.Contains(part, `hx-trigger`) || strings.Contains(part, "<html") {
		t.Error("the part asks again, or is a page")
	}
	if pt := get(t, address+"/health", "HX-Request: true", "Accept-Language: pt-BR").body; !strings.Contains(pt, "O PostgreSQL responde.") {
		t.Error("in Portuguese it is English")
	}
}

// TestShown: what the health page shows of an address has no credentials.
func TestShown(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"":                                               "",
		"/srv/objects":                                   "/srv/objects",
		"127.0.0.1:11434":                                "127.0.0.1:11434",
		"user:word@models.example:11434":                 "present",
		"host=db password=word user=a":                   "present",
		"https://user:word@models.example":               "https://models.example",
		"postgres://a:word@db:5432/x?y=z":                "postgres://db:5432/x?y=z",
		"postgres://a:wo/rd@db/x":                        "present",
		"postgres://db/x?password=word&y=z":              "postgres://db/x?password=[cut]&y=z",
		"s3://bucket?endpoint=10.0.0.1:9000&secret=word": "s3://bucket?endpoint=10.0.0.1:9000&secret=[cut]",
	} {
		if got := shown(address); got != want {
			t.Errorf("%s is shown as %q, want %q", address, got, want)
		}
	}
}
