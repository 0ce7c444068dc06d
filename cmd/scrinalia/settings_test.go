package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/store/storetest"
	"scrinalia/worker"
	"scrinalia/worker/all"

	"github.com/jackc/pgx/v5"
)

// TestSettingsCommands sets, lists, resets and restores as an operator does at a terminal.
func TestSettingsCommands(t *testing.T) {
	t.Parallel()
	env := database(storetest.URL(t))
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"set", "ner", "threshold=0.5", "--batch", "64", "--note", "streets are no people", "--by", "Helena"}, "ner: saved as revision 1\n  batch_size: (code) -> 64\n  threshold: (code) -> 0.5\n"},
		{[]string{"set", "ner", "threshold=0.50"}, "ner: nothing changed, these settings are in force already\n"},
		{[]string{"set", "ner", "--engine", "ollama", "--follow", "batch_size"}, "ner: saved as revision 2\n  engine: (code) -> ollama\n  batch_size: 64 -> (code)\n"},
		{[]string{"reset", "ner", "--note", "start over"}, "ner: saved as revision 3\n  engine: ollama -> (code)\n  threshold: 0.5 -> (code)\n"},
		{[]string{"reset", "ner"}, "ner: nothing changed, these settings are in force already\n"},
		{[]string{"reset", "ner", "--to", "1"}, "ner: saved as revision 4\n  batch_size: (code) -> 64\n  threshold: (code) -> 0.5\n"},
	} {
		if got := succeed(t, env, step.args...); got != step.want {
			t.Errorf("%v printed %q, want %q", step.args, got, step.want)
		}
	}
	list := succeed(t, env, "history", "ner")
	for _, want := range []string{"Helena", "CLI", "streets are no people", "restore of revision 1", "start over"} {
		if !strings.Contains(list, want) {
			t.Errorf("history lacks %q:\n%s", want, list)
		}
	}
	got := decode[struct{ Revisions []worker.Revision }](t, succeed(t, env, "history", "ner", "--json", "--field", "engine"))
	if len(got.Revisions) != 2 || got.Revisions[0].Version != 3 || got.Revisions[1].After.Engine != "ollama" {
		t.Errorf("history --field engine: %+v", got)
	}
	if saved := decode[worker.Saved](t, succeed(t, env, "set", "ner", "threshold=0.6", "--json")); saved.Version != 5 || !saved.Changed {
		t.Errorf("set --json: %+v", saved)
	}
}

// TestRefusedSettings: each says what is wrong, and none is noted.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	dbURL := storetest.URL(t)
	t.Run("each", func(t *testing.T) { // waits for its parallel subtests
		checkAll(t, database(dbURL), []refusal{
			{args: []string{"set", "nosuch", "a=b"}, status: exitUsage, says: []string{`"nosuch"`, "ner"}},
			{args: []string{"set", "ner", "colour=red"}, status: exitUsage, says: []string{`no option "colour"`}},
			{args: []string{"set", "ner", "threshold=2", "--batch", "none"}, status: exitUsage, says: []string{`"2"`, "from 0 to 1", `"none"`}},
			{args: []string{"set", "ner", "limit=5"}, status: exitUsage, says: []string{"never stored"}},
			{args: []string{"set", "ner", "--engine", "nosuch"}, status: exitUsage, says: []string{`"nosuch"`, "builtin"}},
			{args: []string{"set", "ner", "--engine", "ollama", "--preset", "lexical_384"}, status: exitUsage, says: []string{`"lexical_384"`}},
			{args: []string{"set", "transfer", "--engine", "builtin"}, status: exitUsage, says: []string{"takes no engine"}},
			{args: []string{"set", "quality-validator", "--engine", "ollama"}, status: exitUsage, says: []string{"LLM_CHECK rule"}},
			{name: "a long note", args: []string{"set", "ner", "threshold=0.5", "--note", strings.Repeat("x", 1001)}, status: exitUsage, says: []string{"up to 1000"}},
			{args: []string{"set", "ner", "--follow", "colour"}, status: exitUsage, says: []string{`"colour"`}},
			{args: []string{"reset", "ner", "--to", "9"}, status: exitUsage, says: []string{"no revision 9"}},
			{args: []string{"history", "nosuch"}, status: exitUsage, says: []string{`"nosuch"`}},
		})
	})
	if n := scalar[int64](t, dial(t, dbURL), "SELECT count(*) FROM worker_override_revisions"); n != 0 {
		t.Errorf("%d refused changes are in the history", n)
	}
}

// TestTheRulesEngineIsSetNowhereElse: by no channel, and each answer says where it is set.
func TestTheRulesEngineIsSetNowhereElse(t *testing.T) {
	t.Parallel()
	dbURL := storetest.URL(t)
	_, address := serve(t, database(dbURL))
	settings := address + "/workers/quality-validator/settings"
	for _, q := range []struct{ method, url, body, kind, accept string }{
		{"PUT", settings, `{"engine": "ollama"}`, "application/json", "application/json"},
		{"PUT", settings, `{"preset": "qwen"}`, "application/json", "application/json"},
		{"POST", settings, "version=0&from.engine=set&value.engine=ollama", "application/x-www-form-urlencoded", "text/html"},
		{"POST", address + "/workers/quality-validator/runs", `{"engine": "ollama"}`, "application/json", "application/json"},
		{"POST", address + "/workers/quality-validator/runs", "engine_preset=ollama%2Fqwen", "application/x-www-form-urlencoded", "text/html"},
	} {
		a, err := ask(t, q.method, q.url, q.body, "Content-Type: "+q.kind, "Accept: "+q.accept)
		must(t, err)
		if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "takes its engine from the active LLM_CHECK rule") {
			t.Errorf("%s %s: %d without the rule", q.method, q.body, a.status)
		}
	}
	if page := get(t, address+"/workers/quality-validator").body; !strings.Contains(page, "The engine comes from the active LLM_CHECK rule") || strings.Contains(page, `name="value.engine"`) {
		t.Error("the page offers to set the engine, or does not say where it is set")
	}
	if n := scalar[int64](t, dial(t, dbURL), "SELECT count(*) FROM worker_overrides"); n != 0 {
		t.Errorf("%d overrides are stored", n)
	}
}

// TestSettingsThatNoLongerFit are told at the start, shown with what runs instead, refused when they are restored, and break nothing.
func TestSettingsThatNoLongerFit(t *testing.T) {
	t.Parallel()
	dbURL := storetest.URL(t)
	env := database(dbURL)
	db := dial(t, dbURL)
	_, err := db.Exec(t.Context(), `WITH r AS (INSERT INTO worker_override_revisions (worker_name, version, changed_by, channel, before, after)
		VALUES ('ner', 1, 'old release', 'CLI', '{}', '{"engine": "gone", "options": {"threshold": 0.5}}') RETURNING worker_name, version, after)
		INSERT INTO worker_overrides (worker_name, version, settings) SELECT * FROM r`)
	must(t, err)
	p, address := serve(t, env)
	if said := p.stderr.String(); !strings.Contains(said, "stored settings do not fit") || !strings.Contains(said, "gone") {
		t.Errorf("the start says nothing of it: %s", said)
	}
	page := get(t, address+"/workers/ner")
	for _, want := range []string{"The override of Engine no longer holds.", "In force instead: builtin."} {
		if page.status != http.StatusOK || !strings.Contains(page.body, want) {
			t.Errorf("the page (%d) lacks %q", page.status, want)
		}
	}
	start(t, env, "run", "ner").wantExit(0)
	start(t, env, "set", "ner", "threshold=0.6").wantExit(exitUsage) // what is left of it would be refused as a whole
	succeed(t, env, "set", "ner", "threshold=0.6", "--follow", "engine")
	refusal{args: []string{"reset", "ner", "--to", "1"}, status: exitUsage, says: []string{`"gone"`}}.check(t, env)
	a, err := ask(t, http.MethodPost, address+"/workers/ner/settings/revisions/1/restore", "version=2", "Content-Type: application/x-www-form-urlencoded")
	must(t, err)
	if a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "gone") {
		t.Errorf("the panel restores it: %d", a.status)
	}
}

// change is one random change of the property test; valid says what the program must make of it on its own.
type change struct {
	note     string
	worker   string
	settings worker.Settings
	valid    bool
}

// outcome is what a channel answered.
type outcome string

const (
	savedIt  outcome = "saved"
	sameAs   outcome = "nothing to change"
	refused  outcome = "refused"
	conflict outcome = "conflict"
)

// fitting are values that each worker takes, unfitting such that none does in these fields.
var (
	fitting = map[string]map[string][]string{
		"ner":               {"engine": {"builtin", "ollama"}, "threshold": {"0.1", "0.25", "0.9"}, "columns": {"original_title", "provenance,original_title"}, "batch_size": {"64", "128"}},
		"typology":          {"engine": {"builtin"}, "threshold": {"0.2", "0.5"}, "batch_size": {"64", "100"}},
		"quality-validator": {"repeat_threshold": {"2", "5"}, "batch_size": {"64", "128"}},
	}
	unfitting = map[string][]string{
		"engine": {"nosuch"}, "preset": {"nosuch"}, "batch_size": {"0", "many"}, "threshold": {"2", "high"}, "columns": {"nothing"}, "limit": {"5"}, "colour": {"red"},
		"model": {"a\x00b", strings.Repeat("x", 300_000)}, "repeat_threshold": {"1"},
	}
)

// randomChange sets some fields to values of which most fit.
func randomChange(r *rand.Rand, catalogue *worker.Catalogue, note string) change {
	c := change{note: note, worker: []string{"ner", "ner", "typology", "quality-validator"}[r.IntN(4)]}
	set := func(values map[string][]string, chance int) {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if r.IntN(chance) == 0 {
				c.settings = c.settings.With(name, values[name][r.IntN(len(values[name]))])
			}
		}
	}
	set(fitting[c.worker], 2)
	set(unfitting, 25)
	def, err := catalogue.Lookup(c.worker)
	if err != nil {
		panic(err)
	}
	_, err = worker.CheckChange(def, worker.OverrideChange{Settings: c.settings, Note: note})
	c.valid = err == nil
	return c
}

func (c change) byJSON(t *testing.T, address, version string) outcome {
	body := map[string]any{"options": c.settings.Options, "note": c.note, "by": "script"}
	for name, v := range map[string]any{"engine": c.settings.Engine, "preset": c.settings.Preset, "batch_size": c.settings.BatchSize} {
		if v != nil && v != "" {
			body[name] = v
		}
	}
	if version != "" {
		body["version"] = json.Number(version)
	}
	raw, err := json.Marshal(body)
	must(t, err)
	a, err := ask(t, http.MethodPut, address+"/workers/"+c.worker+"/settings", string(raw), wantsJSON, "Content-Type: application/json")
	must(t, err)
	switch a.status {
	case http.StatusOK:
		if decode[struct{ Changed bool }](t, a.body).Changed {
			return savedIt
		}
		return sameAs
	case http.StatusConflict:
		return conflict
	case http.StatusUnprocessableEntity:
		return refused
	}
	t.Errorf("PUT %s answered %d: %.300s", c.worker, a.status, a.body)
	return refused
}

func (c change) byForm(t *testing.T, address, version string) outcome {
	form := url.Values{"version": {version}, "note": {c.note}}
	for name, v := range map[string]any{"engine": c.settings.Engine, "preset": c.settings.Preset, "batch_size": c.settings.BatchSize} {
		if v != nil && v != "" {
			form.Set("from."+name, "set")
			form.Set("value."+name, fmt.Sprint(v))
		}
	}
	for name, v := range c.settings.Options {
		form.Set("from."+name, "set")
		form.Set("value."+name, fmt.Sprint(v))
	}
	a, err := ask(t, http.MethodPost, address+"/workers/"+c.worker+"/settings", form.Encode(), "Content-Type: application/x-www-form-urlencoded", "Accept: text/html")
	must(t, err)
	switch a.status {
	case http.StatusSeeOther:
		if strings.Contains(a.header.Get("Location"), "saved=0") {
			return sameAs
		}
		return savedIt
	case http.StatusConflict:
		return conflict
	case http.StatusUnprocessableEntity:
		return refused
	}
	t.Errorf("the form of %s answered %d: %.300s", c.worker, a.status, a.body)
	return refused
}

// byCommand sets one field, on top of whatever is set: whether that fits depends on the rest.
func (c change) byCommand(t *testing.T, env []string) outcome {
	args := []string{"set", c.worker, "--note", c.note, "--by", "terminal"}
	for name, v := range c.settings.Options {
		if s := v.(string); !strings.Contains(s, "\x00") && len(s) < 1000 {
			args = append(args, name+"="+s)
		}
	}
	if c.settings.BatchSize != nil {
		args = append(args, "--batch", c.settings.BatchSize.(string))
	}
	if len(args) == 6 {
		args = append(args, "--follow", "batch_size")
	}
	p := start(t, env, args...)
	switch p.wait() {
	case 0:
		if strings.Contains(p.stdout.String(), "saved as revision") {
			return savedIt
		}
		return sameAs
	case exitUsage:
		return refused
	}
	t.Errorf("%v ended with %d", args, p.cmd.ProcessState.ExitCode())
	return refused
}

// TestSettingsProperty saves random valid and invalid settings by every channel at once. Afterwards each change that was answered as saved is one
// revision, none other is, the revisions replay to what is stored, and everything that ever was in force is valid.
func TestSettingsProperty(t *testing.T) {
	t.Parallel()
	dbURL := storetest.URL(t)
	env := database(dbURL)
	_, address := serve(t, env)
	catalogue := all.Catalogue(nil, engine.NewRegistry(engines.Registrations("")...), nil, nil)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)

	var mu sync.Mutex
	answers := map[string]outcome{} // by note
	const editors, changes = 6, 25
	var wg sync.WaitGroup
	for e := range editors {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(e)))
			for i := range changes {
				c := randomChange(r, catalogue, fmt.Sprintf("editor %d change %d", e, i))
				version := decode[struct{ Override worker.Override }](t, get(t, address+"/workers/"+c.worker, wantsJSON).body).Override.Version
				var got outcome
				switch kind := r.IntN(12); {
				case kind < 4:
					got = c.byJSON(t, address, "")
				case kind < 6:
					got = c.byJSON(t, address, strconv.FormatInt(version, 10))
				case kind < 9:
					got = c.byForm(t, address, strconv.FormatInt(version, 10))
				case kind == 9 && version > 0:
					c.valid = true // it was in force once
					got = restore(t, address, c, 1+r.Int64N(version))
				case kind == 10:
					c.valid = true
					got = erase(t, address, c)
				default:
					got = c.byCommand(t, env)
					c.valid = got != refused
				}
				if c.valid == (got == refused) {
					t.Errorf("valid %t, but %s: %.300v", c.valid, got, c.settings)
				}
				mu.Lock()
				answers[c.note] = got
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	replay(t, dial(t, dbURL), catalogue, answers)
	count := map[outcome]int{}
	for _, o := range answers {
		count[o]++
	}
	if t.Logf("%v", count); count[savedIt] == 0 || count[refused] == 0 {
		t.Error("the test tries nothing")
	}
}

func restore(t *testing.T, address string, c change, version int64) outcome {
	path := fmt.Sprintf("%s/workers/%s/settings/revisions/%d/restore", address, c.worker, version)
	a, err := ask(t, http.MethodPost, path, url.Values{"note": {c.note}}.Encode(), "Content-Type: application/x-www-form-urlencoded", wantsJSON)
	must(t, err)
	if a.status != http.StatusOK {
		t.Errorf("POST %s answered %d: %s", path, a.status, a.body)
		return refused
	}
	if decode[struct{ Changed bool }](t, a.body).Changed {
		return savedIt
	}
	return sameAs
}

// erase lets everything follow the code. Its answer does not say whether anything did not.
func erase(t *testing.T, address string, c change) outcome {
	a, err := ask(t, http.MethodDelete, address+"/workers/"+c.worker+"/settings?"+url.Values{"note": {c.note}}.Encode(), "", wantsJSON)
	must(t, err)
	if a.status != http.StatusNoContent {
		t.Errorf("DELETE answered %d: %s", a.status, a.body)
	}
	return ""
}

// replay goes through the revisions from the first on.
func replay(t *testing.T, db *pgx.Conn, catalogue *worker.Catalogue, answers map[string]outcome) {
	t.Helper()
	rows, err := db.Query(t.Context(), "SELECT worker_name, version, note, before, after FROM worker_override_revisions ORDER BY worker_name, version")
	must(t, err)
	noted := map[string]int{}
	state := map[string]worker.Override{}
	var name, note string
	var version int64
	var before, after worker.Settings
	_, err = pgx.ForEachRow(rows, []any{&name, &version, &note, &before, &after}, func() error {
		noted[note]++
		was := state[name]
		if version != was.Version+1 {
			t.Errorf("%s: revision %d follows %d", name, version, was.Version)
		}
		if d := worker.SettingsDiffer(was.Settings, before); len(d) > 0 {
			t.Errorf("%s: revision %d begins with something else than %d left: %v", name, version, was.Version, d)
		}
		if len(worker.SettingsDiffer(before, after)) == 0 {
			t.Errorf("%s: revision %d changes nothing", name, version)
		}
		def, err := catalogue.Lookup(name)
		must(t, err)
		if _, err := worker.CheckChange(def, worker.OverrideChange{Settings: after}); err != nil {
			t.Errorf("%s: revision %d put something invalid in force: %v", name, version, err)
		}
		state[name] = worker.Override{Version: version, Settings: after}
		before, after = worker.Settings{}, worker.Settings{}
		return nil
	})
	must(t, err)
	for note, o := range answers {
		if n := noted[note]; o == savedIt && n != 1 || o != savedIt && o != "" && n != 0 || n > 1 {
			t.Errorf("%q was answered as %q and has %d revisions", note, o, n)
		}
	}
	for name, want := range state {
		stored := scalar[worker.Settings](t, db, "SELECT settings FROM worker_overrides WHERE worker_name = $1", name)
		if d := worker.SettingsDiffer(want.Settings, stored); len(d) > 0 {
			t.Errorf("%s: the revisions lead to %v, stored is %v", name, want.Settings, stored)
		}
		if v := scalar[int64](t, db, "SELECT version FROM worker_overrides WHERE worker_name = $1", name); v != want.Version {
			t.Errorf("%s: version %d is stored, the last revision is %d", name, v, want.Version)
		}
	}
}
