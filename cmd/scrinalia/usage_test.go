package main

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scrinalia/store/storetest"
)

// refusal is a command line that is refused with one sentence.
type refusal struct {
	name   string
	args   []string
	status int
	says   []string
}

func (r refusal) check(t *testing.T, env []string) {
	t.Helper()
	p := start(t, env, r.args...)
	p.wantExit(r.status)
	wantOneSentence(t, p)
	for _, want := range r.says {
		if said := p.stderr.String(); !strings.Contains(said, want) {
			t.Errorf("%v said %q, not %q", r.args, said, want)
		}
	}
	if out := p.stdout.String(); out != "" {
		t.Errorf("%v printed %q", r.args, out)
	}
}

func checkAll(t *testing.T, env []string, refusals []refusal) {
	t.Helper()
	for _, r := range refusals {
		name := r.name
		if name == "" {
			name = strings.Join(r.args, " ")
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r.check(t, env)
		})
	}
}

// TestRefusedRuns: each names the field and what is accepted, and none reaches the ledger.
func TestRefusedRuns(t *testing.T) {
	t.Parallel()
	url, db := collection(t)
	t.Run("each", func(t *testing.T) { // waits for its parallel subtests
		checkAll(t, database(url), []refusal{
			{args: []string{"run", "nosuch"}, status: exitUsage, says: []string{`"nosuch"`, "transfer, cleaning, ner, typology, thumbnail, conflict-judge, macro-category, quality-validator, embedding"}},
			{args: []string{"runs", "--worker", "nosuch"}, status: exitUsage, says: []string{`"nosuch"`, "transfer, cleaning, ner, typology, thumbnail, conflict-judge, macro-category, quality-validator, embedding"}},
			{args: []string{"workers", "--storage-url", "s3://key:hidden@photos"}, status: exitUsage, says: []string{"SCRINALIA_STORAGE_URL", "AWS_ACCESS_KEY_ID"}},
			{args: []string{"run", "thumbnail", "--allow-private-images", "maybe"}, status: exitUsage, says: []string{"SCRINALIA_ALLOW_PRIVATE_IMAGES", `"maybe"`}},
			{args: []string{"run", "transfer", "--option", "colour=red"}, status: exitUsage, says: []string{`no option "colour"`, "limit, dry_run, force, batch_size"}},
			{args: []string{"run", "transfer", "--option", "colour"}, status: exitUsage, says: []string{`"colour"`, "name=value"}},
			{args: []string{"run", "transfer", "--batch", "many"}, status: exitUsage, says: []string{`"many"`, "batch_size takes a whole number from 1 to 50000"}},
			{args: []string{"run", "transfer", "--batch", "0"}, status: exitUsage, says: []string{`"0"`, "batch_size takes a whole number from 1 to 50000"}},
			{args: []string{"run", "transfer", "--limit", "abc"}, status: exitUsage, says: []string{`"abc"`, "limit takes a whole number"}},
			{args: []string{"run", "transfer", "--limit", "-1"}, status: exitUsage, says: []string{`"-1"`, "limit takes a whole number"}},
			{args: []string{"run", "transfer", "--option", "force=perhaps"}, status: exitUsage, says: []string{`"perhaps"`, "force takes true or false"}},
			{args: []string{"run", "quality-validator", "--option", "repeat_threshold=1"}, status: exitUsage, says: []string{`"1"`, "repeat_threshold takes a whole number from 2 to 100"}},
			{args: []string{"run", "quality-validator", "--option", "repeat_threshold=2.5"}, status: exitUsage, says: []string{`"2.5"`, "repeat_threshold takes a whole number from 2 to 100"}},
			{args: []string{"run", "transfer", "--engine", "builtin"}, status: exitUsage, says: []string{"transfer takes no engine"}},
			{args: []string{"run", "cleaning", "--preset", "fast"}, status: exitUsage, says: []string{"cleaning takes no engine"}},
			{args: []string{"run", "quality-validator", "--engine", "ollama"}, status: exitUsage, says: []string{"LLM_CHECK rule"}},
			{name: "two wrong options", args: []string{"run", "transfer", "--batch", "x", "--limit", "y"}, status: exitUsage, says: []string{`"x"`, `"y"`}},
		})
	})
	if n := scalar[int64](t, db, "SELECT count(*) FROM archive_worker_runs"); n != 0 {
		t.Errorf("%d refused runs are in the ledger", n)
	}
}

// TestRefusedUsage: what the parser refuses needs no database.
func TestRefusedUsage(t *testing.T) {
	t.Parallel()
	checkAll(t, database("postgres://u:geheim@127.0.0.1:1/nowhere"), []refusal{
		{args: []string{"polish"}, status: exitUsage, says: []string{`"polish"`, "--help"}},
		{args: []string{"workers", "--shiny"}, status: exitUsage, says: []string{"--shiny", "scrinalia workers --help"}},
		{args: []string{"--shiny"}, status: exitUsage, says: []string{"--shiny", "--help"}},
		{args: []string{"run"}, status: exitUsage, says: []string{"name of one worker", "--all"}},
		{args: []string{"run", "transfer", "cleaning"}, status: exitUsage, says: []string{"name of one worker"}},
		{args: []string{"run", "--all", "transfer"}, status: exitUsage, says: []string{"no worker beside --all"}},
		{args: []string{"run", "transfer", "--limit"}, status: exitUsage, says: []string{"--limit", "argument"}},
		{args: []string{"workers", "transfer"}, status: exitUsage, says: []string{"no argument"}},
		{args: []string{"serve", "now"}, status: exitUsage, says: []string{"no argument"}},
		{args: []string{"import"}, status: exitUsage, says: []string{"at least one file"}},
		{args: []string{"import", "x", "--format", "ead"}, status: exitUsage, says: []string{`"ead"`, "auto, atom-csv or jsonl"}},
		{args: []string{"export", "a", "b"}, status: exitUsage, says: []string{"one file"}},
		{args: []string{"export", "--format", "ead"}, status: exitUsage, says: []string{`"ead"`, "jsonl or atom-csv"}},
		{args: []string{"export", "--status", "done"}, status: exitUsage, says: []string{`"done"`, "PENDING_AI, AI_APPROVED, NEEDS_REVIEW, HUMAN_APPROVED, REJECTED"}},
		{args: []string{"search"}, status: exitUsage, says: []string{"what to look for"}},
		{args: []string{"search", "ponte", "--limit", "0"}, status: exitUsage, says: []string{"1 to 200"}},
		{args: []string{"migrate"}, status: exitUsage, says: []string{"up, down or status"}},
		{args: []string{"migrate", "sideways"}, status: exitUsage, says: []string{`"sideways"`, "up, down or status"}},
		{args: []string{"runs", "--status", "DEAD"}, status: exitUsage, says: []string{`"DEAD"`, "QUEUED RUNNING SUCCESS FAILED INTERRUPTED CANCELLED"}},
		{args: []string{"runs", "--limit", "abc"}, status: exitUsage, says: []string{"abc", "--limit"}},
		{args: []string{"runs", "--limit", "0"}, status: exitUsage, says: []string{"--limit is 0", "1 to 500"}},
		{args: []string{"runs", "--limit", "501"}, status: exitUsage, says: []string{"--limit is 501", "1 to 500"}},
		{args: []string{"workers", "--log-level", "loud"}, status: exitUsage, says: []string{`"loud"`, "SCRINALIA_LOG_LEVEL", "debug, info, warn or error"}},
		{args: []string{"workers", "--log-format", "xml"}, status: exitUsage, says: []string{`"xml"`, "SCRINALIA_LOG_FORMAT", "text or json"}},
		{args: []string{"serve", "--addr", "nowhere"}, status: exitUsage, says: []string{`"nowhere"`, "SCRINALIA_ADDR", "host:port"}},
		{args: []string{"serve", "--addr", "127.0.0.1:0", "--allowed-hosts", "https://panel.example.org"}, status: exitUsage, says: []string{`"https://panel.example.org"`, "SCRINALIA_ALLOWED_HOSTS"}},
		{args: []string{"serve", "--lang", "fr"}, status: exitUsage, says: []string{`"fr"`, "SCRINALIA_LANG", "en or pt-BR"}},
		{args: []string{"serve", "--concurrency", "many"}, status: exitUsage, says: []string{`"many"`, "1 to 9"}},
	})
}

// TestRefusedEnvironment: a variable is named like a flag, and a flag wins over it.
func TestRefusedEnvironment(t *testing.T) {
	t.Parallel()
	for variable, says := range map[string][]string{
		"SCRINALIA_LOG_LEVEL=loud":   {`"loud"`, "debug, info, warn or error"},
		"SCRINALIA_CONCURRENCY=0":    {`"0"`, "1 to 9"},
		"SCRINALIA_CONCURRENCY=10":   {`"10"`, "1 to 9"},
		"SCRINALIA_ADDR=127.0.0.1:x": {"127.0.0.1:x", "host:port"},
		"SCRINALIA_LANG=fr":          {`"fr"`, "en or pt-BR"},
	} {
		t.Run(variable, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(variable, "=")
			args := []string{"serve", "--addr", "127.0.0.1:0"}
			if name == "SCRINALIA_ADDR" {
				args = args[:1]
			}
			refusal{args: args, status: exitUsage, says: append(says, name)}.check(t, append(database(storetest.URL(t)), variable))
		})
	}
	succeed(t, append(database(storetest.URL(t)), "SCRINALIA_LOG_LEVEL=loud"), "runs", "--log-level", "error")
}

// TestRefusedDatabase: one sentence, and never a password.
func TestRefusedDatabase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		url    string
		status int
		says   string
	}{
		{"postgres://u:geheim@127.0.0.1:1/nowhere", exitFailed, "The database does not answer"},
		{"postgres://u:geheim@no-such-host.invalid/nowhere", exitFailed, "The database does not answer"},
		{"u:geheim@127.0.0.1", exitUsage, "postgres://user:password@host:5432/database"},
		{"postgres://u:geheim@127.0.0.1:port/x", exitUsage, "DATABASE_URL is no PostgreSQL address"},
		{"mysql://u:geheim@127.0.0.1/x", exitUsage, "DATABASE_URL is no PostgreSQL address"},
	} {
		for _, args := range [][]string{{"workers"}, {"run", "transfer"}, {"serve", "--addr", "127.0.0.1:0"}, {"migrate", "status"}} {
			t.Run(args[0]+" "+c.url, func(t *testing.T) {
				t.Parallel()
				p := start(t, database(c.url), args...)
				p.wantExit(c.status)
				wantOneSentence(t, p)
				if said := p.stdout.String() + p.stderr.String(); strings.Contains(said, "geheim") || !strings.Contains(said, c.says) {
					t.Errorf("%v said %q", args, said)
				}
			})
		}
	}
}

// TestWrongDatabase: the server answers, but not for this database.
func TestWrongDatabase(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(storetest.URL(t))
	must(t, err)
	u.Path = "/nosuchdatabase"
	q := u.Query()
	q.Set("password", "geheim")
	u.RawQuery = q.Encode()
	p := start(t, database(u.String()), "workers")
	p.wantExit(exitFailed)
	wantOneSentence(t, p)
	if said := p.stderr.String(); strings.Contains(said, "geheim") || strings.Contains(said, "SQLSTATE") || !strings.Contains(said, `There is no database "nosuchdatabase"`) {
		t.Errorf("it said %q", said)
	}
}

func TestPortTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	refusal{args: []string{"serve", "--addr", l.Addr().String()}, status: exitFailed, says: []string{l.Addr().String(), "taken", "--addr"}}.check(t, database(storetest.URL(t)))
}

// TestHelp: every command names its flags and the variables, and keeps a password to itself.
func TestHelp(t *testing.T) {
	t.Parallel()
	global := []string{"--database-url", "DATABASE_URL", "--data-dir", "SCRINALIA_DATA_DIR", "--log-level", "SCRINALIA_LOG_LEVEL", "--log-format", "SCRINALIA_LOG_FORMAT"}
	for command, names := range map[string][]string{
		"":        {"serve", "workers", "run", "runs", "import", "export", "search", "migrate"},
		"serve":   {"--addr", "SCRINALIA_ADDR", "--lang", "SCRINALIA_LANG", "--allowed-hosts", "SCRINALIA_ALLOWED_HOSTS", "--environment", "SCRINALIA_ENVIRONMENT", "--concurrency", "SCRINALIA_CONCURRENCY", "--sample"},
		"workers": {"--json"},
		"run":     {"--all", "--engine", "--preset", "--batch", "--limit", "--dry-run", "--force", "--option", "--by", "--json", "130 cancelled"},
		"runs":    {"--worker", "--status", "--limit", "--before", "--json"},
		"import":  {"--format", "--rejects", "--check", "--json"},
		"search":  {"--limit", "--json", "Quotes"},
		"export":  {"--format", "--status", "NEEDS_REVIEW", "--force"},
		"migrate": {"up|down|status"},
	} {
		t.Run("help of "+command, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(command + " --help")
			out := succeed(t, database("postgres://u:geheim@127.0.0.1:1/nowhere"), args...)
			for _, want := range append(names, global...) {
				if !strings.Contains(out, want) {
					t.Errorf("%v does not name %s:\n%s", args, want, out)
				}
			}
			if strings.Contains(out, "geheim") {
				t.Errorf("%v tells the password", args)
			}
		})
	}
}

// TestDataDirInTheWay: a file where the directory should be.
func TestDataDirInTheWay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, args := range [][]string{{"workers"}, {"serve", "--addr", "127.0.0.1:0"}} {
		refusal{args: args, status: exitFailed, says: []string{file, "SCRINALIA_DATA_DIR"}}.check(t, []string{"SCRINALIA_DATA_DIR=" + file})
	}
}
