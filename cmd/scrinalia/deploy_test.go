package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"scrinalia/storage"
	"scrinalia/worker"

	"go.yaml.in/yaml/v3"
)

func deployed(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	must(t, err)
	return string(raw)
}

type (
	rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ RefID, Expr string }
		}
	}
)

var (
	named      = regexp.MustCompile(`\b((?:scrinalia|process|go)_[a-z0-9_]+)(?:\{([^}]*)\})?`)
	matched    = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)\s*"`)
	grouped    = regexp.MustCompile(`\b(?:by|without)\s*\(([^)]*)\)`)
	sampleLine = regexp.MustCompile(`(?m)^([a-z_][a-z0-9_]*)(?:\{([^}]*)\})? `)
	labelled   = regexp.MustCompile(`([a-z_]+)="`)
	braced     = regexp.MustCompile(`\{\{\s*\$labels\.([a-z_]+)\s*\}\}`)
)

// scraped are the series of a scrape: name -> its labels.
func scraped(body string) map[string][]string {
	series := map[string][]string{}
	for _, m := range sampleLine.FindAllStringSubmatch(body, -1) {
		labels := series[m[1]]
		if labels == nil {
			labels = []string{"instance", "job"} // Prometheus adds these
		}
		for _, l := range labelled.FindAllStringSubmatch(m[2], -1) {
			labels = append(labels, l[1])
		}
		series[m[1]] = labels
	}
	return series
}

// wrongIn says what an expression names that is not in a scrape, and whether its brackets do not close.
func wrongIn(expr string, series map[string][]string) (wrong []string) {
	var labels []string
	found := named.FindAllStringSubmatch(expr, -1)
	if len(found) == 0 {
		wrong = append(wrong, "no metric at all")
	}
	for _, m := range found {
		have, ok := series[m[1]]
		if !ok {
			wrong = append(wrong, m[1])
		}
		labels = append(labels, have...)
		for _, l := range matched.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(have, l[1]) {
				wrong = append(wrong, m[1]+"{"+l[1]+"}")
			}
		}
	}
	for _, g := range grouped.FindAllStringSubmatch(expr, -1) {
		for l := range strings.SplitSeq(g[1], ",") {
			if l = strings.TrimSpace(l); l != "" && !slices.Contains(labels, l) {
				wrong = append(wrong, "by "+l)
			}
		}
	}
	if !closes(expr) {
		wrong = append(wrong, "brackets")
	}
	return wrong
}

func closes(expr string) bool {
	pairs := map[rune]rune{')': '(', ']': '[', '}': '{'}
	var open []rune
	for _, r := range expr {
		switch r {
		case '(', '[', '{':
			open = append(open, r)
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != pairs[r] {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// TestDashboardAndAlertsNameRealMetrics: every metric and label is in a scrape of the real program after a run of an engine.
func TestDashboardAndAlertsNameRealMetrics(t *testing.T) {
	t.Parallel()
	url, _ := collection(t)
	_, address := serve(t, database(url))
	for _, name := range []string{"transfer", "ner"} {
		awaitRun(t, address, order(t, address, name).ID, worker.Success)
	}
	get(t, address+"/health", wantsJSON)
	var series map[string][]string
	await(t, "the sample of the database", func() bool {
		series = scraped(get(t, address+"/metrics").body)
		return series["scrinalia_jobs"] != nil && series["scrinalia_engine_calls_total"] != nil
	})
	if wrong := wrongIn(`sum by (colour) (rate(scrinalia_nosuch{a="b"}[5m]) + scrinalia_jobs{odd!="x"}`, series); len(wrong) != 5 {
		t.Errorf("the check finds only %v", wrong)
	}
	var alerts rules
	strictYAML(t, deployed(t, "alerts.yaml"), &alerts)
	seen := map[string]bool{}
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			if wrong := wrongIn(r.Expr, series); len(wrong) > 0 {
				t.Errorf("alert %s: %v", r.Alert, wrong)
			}
			if seen[r.Alert] || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("alert %s is there twice, or lacks its severity or its words", r.Alert)
			}
			seen[r.Alert] = true
			for _, l := range braced.FindAllStringSubmatch(r.Annotations["summary"], -1) {
				if !strings.Contains(r.Expr, l[1]) && l[1] != "instance" {
					t.Errorf("alert %s: its summary names %s", r.Alert, l[1])
				}
			}
		}
	}
	var board dashboard
	must(t, json.Unmarshal([]byte(deployed(t, "dashboard.json")), &board))
	if len(seen) < 8 || len(board.Panels) < 12 {
		t.Errorf("%d alerts, %d panels", len(seen), len(board.Panels))
	}
	for i, p := range board.Panels {
		if p.GridPos.X+p.GridPos.W > 24 || p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d: %+v", p.ID, p)
		}
		for _, o := range board.Panels[:i] {
			if a, b := p.GridPos, o.GridPos; p.ID == o.ID || a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("panels %q and %q lie on each other", p.Title, o.Title)
			}
		}
		for _, target := range p.Targets {
			if wrong := wrongIn(target.Expr, series); len(wrong) > 0 {
				t.Errorf("panel %q: %v", p.Title, wrong)
			}
		}
	}
}

func strictYAML(t *testing.T, text string, into any) {
	t.Helper()
	dec := yaml.NewDecoder(strings.NewReader(text))
	dec.KnownFields(true)
	must(t, dec.Decode(into))
}

// subcommands lists the subcommands, and the help of all of them.
func subcommands() (names []string, help string) {
	a := &app{getenv: func(string) string { return "" }, stdout: io.Discard, stderr: io.Discard}
	root := a.rootCommand()
	help = root.PersistentFlags().FlagUsages()
	for _, c := range root.Commands() {
		names = append(names, c.Name())
		help += c.Flags().FlagUsages()
	}
	return names, help
}

var variable = regexp.MustCompile(`\bSCRINALIA_[A-Z_]+\b`)

// TestDeployedFilesFitTheProgram: the commands and variables that they name are the program's.
func TestDeployedFilesFitTheProgram(t *testing.T) {
	t.Parallel()
	commands, help := subcommands()
	files := map[string]string{}
	for _, name := range []string{"Dockerfile", "compose.yaml", "systemd/scrinalia.service", "systemd/scrinalia-work@.service"} {
		files[name] = deployed(t, name)
		for _, v := range variable.FindAllString(files[name], -1) {
			if !strings.Contains(help, v) {
				t.Errorf("%s: %s is no variable of the program", name, v)
			}
		}
	}
	called := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/scrinalia (\S+)|/usr/local/bin/scrinalia", "(\w+)"|^CMD \["(\w+)"\]`)
	n := 0
	for name, text := range files {
		for _, m := range called.FindAllStringSubmatch(text, -1) {
			n++
			if c := m[1] + m[2] + m[3]; !slices.Contains(commands, c) {
				t.Errorf("%s calls scrinalia %s", name, c)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d commands were found, want 4", n)
	}
}

func TestDockerfile(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(deployed(t, "Dockerfile"), "\\\n", " ")
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "ARG", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
	var last []string // of the last stage
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, _, _ := strings.Cut(line, " ")
		if !slices.Contains(known, word) {
			t.Errorf("%q begins with no instruction", line)
		}
		if word == "FROM" {
			last = nil
		}
		last = append(last, line)
		if word == "CMD" || word == "ENTRYPOINT" {
			_, list, _ := strings.Cut(line, " ")
			must(t, json.Unmarshal([]byte(list), new([]string))) // without a shell only this form runs
		}
	}
	final := strings.Join(last, "\n")
	for _, want := range []string{"USER 65532", "HEALTHCHECK", `"health"`, "static"} {
		if !strings.Contains(final, want) {
			t.Errorf("the image has no %s", want)
		}
	}
	if !strings.Contains(text, "CGO_ENABLED=0") || strings.Contains(final, "RUN ") {
		t.Error("the binary is not static, or the image without a shell runs something")
	}
	for _, m := range regexp.MustCompile(`(?m)^COPY (?:--\S+ )*([^-\s].*)$`).FindAllStringSubmatch(text, -1) {
		words := strings.Fields(m[1])
		for _, from := range words[:len(words)-1] {
			if _, err := os.Stat(filepath.Join("..", "..", from)); err != nil && !strings.HasPrefix(from, "/") {
				t.Errorf("COPY %s: %v", from, err)
			}
		}
	}
}

func TestComposeFile(t *testing.T) {
	t.Parallel()
	type service struct {
		Build       map[string]string
		Image       string
		Command     []string
		Environment map[string]string
		Ports       []string
		Volumes     []string
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		Deploy      struct{ Replicas int }
		Healthcheck map[string]any
		ReadOnly    bool `yaml:"read_only"`
	}
	var file struct {
		Services map[string]service
		Volumes  map[string]any
	}
	must(t, yaml.Unmarshal([]byte(deployed(t, "compose.yaml")), &file))
	for _, want := range []string{"panel", "executor", "postgres", "ollama", "minio", "bucket"} {
		if _, ok := file.Services[want]; !ok {
			t.Errorf("there is no %s", want)
		}
	}
	commands, _ := subcommands()
	for name, s := range file.Services {
		for on, d := range s.DependsOn {
			other, ok := file.Services[on]
			if !ok || d.Condition == "service_healthy" && other.Healthcheck == nil && other.Build == nil {
				t.Errorf("%s waits for %s to be %s", name, on, d.Condition)
			}
		}
		for _, v := range s.Volumes {
			if volume, _, _ := strings.Cut(v, ":"); !hasKey(file.Volumes, volume) {
				t.Errorf("%s: the volume %s is not declared", name, volume)
			}
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s is open to everybody: %s", name, p)
			}
		}
		for key, v := range s.Environment {
			if strings.Contains(key, "PASSWORD") && !strings.HasPrefix(v, "${") {
				t.Errorf("%s: %s stands in the file", name, key)
			}
		}
		if s.Build == nil {
			if !strings.Contains(s.Image, ":") || strings.HasSuffix(s.Image, ":latest") {
				t.Errorf("%s: the image %s has no version", name, s.Image)
			}
			continue
		}
		if !slices.Contains(commands, s.Command[0]) || !s.ReadOnly {
			t.Errorf("%s: %v, read only %t", name, s.Command, s.ReadOnly)
		}
		at, err := storage.ParseAddress(s.Environment["SCRINALIA_STORAGE_URL"], "", func(string) string { return "x" })
		if err != nil || at.Bucket != "scrinalia" || at.Endpoint != "http://minio:9000" || !at.PathStyle {
			t.Errorf("%s: its storage is %s, %v", name, at, err)
		}
	}
	if n := file.Services["executor"].Deploy.Replicas; n != 2 {
		t.Errorf("%d executors", n)
	}
}

func hasKey[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}

// directives are those of the units, by section: systemd only warns of a name that it does not know, and goes on without it.
var directives = map[string]string{
	"Unit": "Description Documentation Wants After",
	"Service": "Type User Group EnvironmentFile Environment ExecStart Restart RestartSec TimeoutStopSec StateDirectory StateDirectoryMode UMask NoNewPrivileges " +
		"CapabilityBoundingSet AmbientCapabilities ProtectSystem ProtectHome PrivateTmp PrivateDevices ProtectClock ProtectControlGroups ProtectHostname " +
		"ProtectKernelLogs ProtectKernelModules ProtectKernelTunables ProtectProc RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID " +
		"LockPersonality MemoryDenyWriteExecute RemoveIPC SystemCallArchitectures SystemCallFilter SystemCallErrorNumber",
	"Install": "WantedBy",
}

func TestUnits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"scrinalia.service", "scrinalia-work@.service"} {
		section, set := "", map[string]string{}
		for line := range strings.SplitSeq(deployed(t, "systemd/"+name), "\n") {
			switch key, value, ok := strings.Cut(line, "="); {
			case line == "" || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(line, "["):
				section = strings.Trim(line, "[]")
			case !ok || !slices.Contains(strings.Fields(directives[section]), key):
				t.Errorf("%s: [%s] has no %q", name, section, line)
			default:
				set[key] = value
			}
		}
		for key, want := range map[string]string{"User": "scrinalia", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "CapabilityBoundingSet": "", "StateDirectory": "scrinalia", "Restart": "on-failure"} {
			if got, ok := set[key]; !ok || got != want {
				t.Errorf("%s: %s=%s, want %s", name, key, got, want)
			}
		}
	}
}
