package views

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"scrinalia/curation"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

var placeholder = regexp.MustCompile(`\{\d\}`)

// TestLanguagesSayTheSame holds the languages to the same keys and the same placeholders. What workers and engines declare is English already.
func TestLanguagesSayTheSame(t *testing.T) {
	t.Parallel()
	en := catalogues[English]
	keys := func(texts map[string]string) []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(texts)), inEnglish.MatchString)
	}
	for _, l := range Languages[1:] {
		other := catalogues[l]
		if d := cmp.Diff(keys(en), keys(other)); d != "" {
			t.Errorf("en and %s have other keys (-en +%s):\n%s", l, l, d)
		}
		for key, text := range en {
			if inEnglish.MatchString(key) {
				continue
			}
			want, got := placeholder.FindAllString(text, -1), placeholder.FindAllString(other[key], -1)
			slices.Sort(want)
			slices.Sort(got)
			if strings.HasSuffix(key, ".one") {
				continue // a language may write "one" out
			}
			if d := cmp.Diff(slices.Compact(want), slices.Compact(got)); d != "" {
				t.Errorf("%s of %s has other placeholders: %s", key, l, d)
			}
			if strings.TrimSpace(other[key]) == "" {
				t.Errorf("%s of %s is empty", key, l)
			}
		}
	}
}

// composed are keys that the code makes from a name that comes with the data.
var composed = regexp.MustCompile(`^(status|document\.means|reviews\.(none|side)|edit\.refused|trigger|origin|unit|units|note|field|option|worker|engine|preset|choice|refusal|format|error|accepts|meaning|reviewstatus|standing|isad|entitytype|reviewkind|verdict|health\.(say|check|fact|verdict)|failures\.kind|curation\.(list|lede|kind|choice|field|help|weight|weighs|more|fewer|retire|reactivate))\.`)

var (
	inCode  = regexp.MustCompile(`(?:\.T|\.N)\(\s*"([a-zA-Z0-9._-]+)"`)
	ownText = regexp.MustCompile(`>[^<>{}@]*[a-zA-ZÀ-ú]{2,}[^<>{}@]*<`)
)

// TestKeysAreUsedAndExist finds texts that nobody shows, and keys that nobody wrote.
func TestKeysAreUsedAndExist(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, pattern := range []string{"*.templ", "*.go", "../handlers/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_templ.go") || strings.HasSuffix(name, "_test.go") {
				continue
			}
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range inCode.FindAllStringSubmatch(string(raw), -1) {
				used[m[1]] = true
			}
		}
	}
	en := catalogues[English]
	for key := range used {
		_, plain := en[key]
		_, plural := en[key+".other"]
		if !plain && !plural && !strings.HasSuffix(key, ".") {
			t.Errorf("the key %s is used and not written", key)
		}
	}
	for key := range en {
		base := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".other")
		if !used[key] && !used[base] && !composed.MatchString(key) {
			t.Errorf("the key %s is written and not used", key)
		}
	}
}

// TestComposedKeys holds the keys that are made from data to what the data can be.
func TestComposedKeys(t *testing.T) {
	t.Parallel()
	var want []string
	for _, s := range worker.Statuses {
		want = append(want, "status."+string(s))
	}
	for _, tr := range []worker.Trigger{worker.Panel, worker.CLI, worker.API} {
		want = append(want, "trigger."+string(tr))
	}
	for _, o := range []worker.Origin{worker.FromDefault, worker.FromOverride, worker.FromArgument, worker.FromRule} {
		want = append(want, "origin."+string(o))
	}
	for _, u := range []worker.Unit{worker.StagingRecord, worker.Document, worker.DocumentRule, worker.Pair, worker.Tag} {
		want = append(want, "unit."+string(u), "units."+string(u)+".one", "units."+string(u)+".other")
	}
	for _, l := range curation.Lists {
		want = append(want, "curation.list."+string(l), "curation.lede."+string(l), "curation.weight."+string(l), "curation.weighs."+string(l)+".one", "curation.weighs."+string(l)+".other")
		for _, f := range l.Fields() {
			want = append(want, "curation.field."+f.Name)
			for _, c := range f.Choices {
				if f.Name != "target_column" {
					want = append(want, "curation.choice."+c)
				}
			}
		}
	}
	for _, k := range curation.Kinds {
		want = append(want, "curation.kind."+k)
	}
	for _, do := range []string{"retire", "reactivate"} {
		want = append(want, "curation."+do, "curation."+do+".title", "curation."+do+".text")
	}
	for _, k := range []string{"notfound", "method", "conflict", "refused", "unavailable", "forbidden", "misdirected", "toolarge", "malformed", "internal"} {
		want = append(want, "error."+k+".title", "error."+k+".text")
	}
	for _, key := range want {
		if _, ok := English.find(key); !ok {
			t.Errorf("the key %s is missing", key)
		}
	}
}

// TestTemplatesHoldNoText keeps sentences out of the templates.
func TestTemplatesHoldNoText(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`scrinalia (import|serve)|Scrinalia`)
	files, err := filepath.Glob("*.templ")
	if err != nil || len(files) == 0 {
		t.Fatal("no templates", err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(raw), "\n") {
			if m := ownText.FindString(line); m != "" && !allowed.MatchString(m) {
				t.Errorf("%s:%d holds a text of its own: %s", name, i+1, m)
			}
		}
	}
}

func TestNegotiate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		header         string
		fallback, want Language
	}{
		{"", English, English},
		{"", Portuguese, Portuguese},
		{"pt-BR,pt;q=0.9,en;q=0.8", English, Portuguese},
		{"en-GB;q=0.8, pt-PT;q=0.9", English, Portuguese},
		{"de,fr;q=0.8", Portuguese, Portuguese},
		{"de, en;q=0.3", Portuguese, English},
		{"pt;q=0", English, English},
		{";;q=,,,=", English, English},
	} {
		if got := Negotiate(tt.header, tt.fallback); got != tt.want {
			t.Errorf("Negotiate(%q, %s) = %s, want %s", tt.header, tt.fallback, got, tt.want)
		}
	}
}
