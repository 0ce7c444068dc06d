package sample_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"scrinalia/sample"
)

// description is what the tests read of a line.
type description struct {
	ID        string   `json:"description_id"`
	Title     *string  `json:"title"`
	ParentID  string   `json:"parent_description_id"`
	Ref       string   `json:"reference_code"`
	ParentRef string   `json:"parent_reference_code"`
	Level     string   `json:"level"`
	Date      string   `json:"date"`
	History   string   `json:"admin_bio_history"`
	Prov      string   `json:"provenance"`
	Scope     string   `json:"scope_content"`
	Language  string   `json:"language"`
	Notes     string   `json:"archivist_notes"`
	ImageURL  string   `json:"image_url"`
	Subjects  []string `json:"subjects"`
	Places    []string `json:"places"`
	Names     []string `json:"names"`
	Genres    []string `json:"genres"`
}

// texts are the fields that cleaning rules may rewrite.
func (d description) texts() []string { return []string{*d.Title, d.Scope, d.History, d.Prov, d.Notes} }

func load(t *testing.T) []description {
	t.Helper()
	var all []description
	lines := bufio.NewScanner(sample.Collection())
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var d description
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		if d.ID == "" || d.Title == nil {
			t.Fatalf("line %d lacks description_id or title", n)
		}
		all = append(all, d)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// parents maps each description to its parent, by identifier or else by reference code, and lists the orphans.
func parents(all []description) (up map[string]string, orphans []string) {
	up = map[string]string{}
	ids, byRef := map[string]bool{}, map[string]string{}
	for _, d := range all {
		ids[d.ID], byRef[d.Ref] = true, d.ID
	}
	for _, d := range all {
		switch {
		case ids[d.ParentID]:
			up[d.ID] = d.ParentID
		case byRef[d.ParentRef] != "":
			up[d.ID] = byRef[d.ParentRef]
		case d.ParentID != "" || d.ParentRef != "":
			orphans = append(orphans, d.ID)
		}
	}
	return up, orphans
}

var plain = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ã", "a", "é", "e", "ê", "e", "í", "i", "ó", "o", "ô", "o", "õ", "o", "ú", "u", "ü", "u", "ç", "c")

// fold lower-cases, drops accents and collapses white space.
func fold(s string) string {
	return plain.Replace(strings.Join(strings.Fields(strings.ToLower(s)), " "))
}

var (
	year         = regexp.MustCompile(`\d{4}`)
	placeholders = []string{"sem titulo", "s/t", "[?]", "untitled"}
	undated      = []string{"", "s.d.", "s/d", "s. d.", "sem data", "n.d.", "undated"}
	stopWords    = []string{"diversos", "outros", "geral"}
	noSubject    = regexp.MustCompile(`^(\d{4}|\d+ m³?|nao identificado|ilegivel|rua das flores, 12)$`)
)

func missingDate(d description) bool { return slices.Contains(undated, fold(d.Date)) }

func futureDate(d description) bool {
	return slices.ContainsFunc(year.FindAllString(d.Date, -1), func(y string) bool {
		n, err := strconv.Atoi(y)
		return err == nil && n > 2050
	})
}

func emptyTitle(d description) bool {
	t := fold(*d.Title)
	return utf8.RuneCountInString(t) < 3 || slices.Contains(placeholders, t)
}

func capitals(d description) bool {
	t := *d.Title
	return utf8.RuneCountInString(t) >= 10 && len(strings.Fields(t)) >= 2 &&
		strings.ContainsFunc(t, unicode.IsUpper) && !strings.ContainsFunc(t, unicode.IsLower)
}

func noAccessPoints(d description) bool {
	return len(d.Subjects)+len(d.Places)+len(d.Names)+len(d.Genres) == 0
}

// text makes a predicate of a pattern that any cleanable field may match.
func text(pattern string) func(description) bool {
	re := regexp.MustCompile(pattern)
	return func(d description) bool { return slices.ContainsFunc(d.texts(), re.MatchString) }
}

// subject makes a predicate of a test on one subject value.
func subject(is func(string) bool) func(description) bool {
	return func(d description) bool { return slices.ContainsFunc(d.Subjects, is) }
}

func TestFaultsOnPurpose(t *testing.T) {
	t.Parallel()
	all := load(t)
	up, orphans := parents(all)
	titles, seen := map[string]int{}, map[string]bool{}
	early := map[string]bool{}
	for _, d := range all {
		titles[fold(*d.Title)]++
		if p := up[d.ID]; p != "" && !seen[p] {
			early[d.ID] = true
		}
		seen[d.ID] = true
	}
	repeated := func(d description) bool { return titles[fold(*d.Title)] >= 3 }
	sameSubject := func(d description) bool {
		folded := map[string]bool{}
		for _, s := range d.Subjects {
			folded[fold(s)] = true
		}
		return len(folded) < len(d.Subjects)
	}
	groups := 0
	for _, n := range titles {
		if n >= 3 {
			groups++
		}
	}
	if want := 6; groups != want {
		t.Errorf("groups of repeated titles: got %d, want %d", groups, want)
	}

	// The same table stands in README.md.
	for _, tt := range []struct {
		fault string
		has   func(description) bool
		want  int
	}{
		{"missing date", missingDate, 15},
		{"future date", futureDate, 5},
		{"empty or placeholder title", emptyTitle, 9},
		{"title in a group of three or more", repeated, 23},
		{"title in capitals", capitals, 20},
		{"no access points", noAccessPoints, 7},
		{"parent that does not exist", func(d description) bool { return slices.Contains(orphans, d.ID) }, 4},
		{"child before its parent", func(d description) bool { return early[d.ID] }, 53},
		{"double space", text(`  `), 5},
		{"space before punctuation", text(` [,;:.]( |$)`), 9},
		{"trailing dashes", text(`--\s*$`), 3},
		{"[sic]", text(`\[sic\]`), 3},
		{"HTML leftover", text(`&\w+;|<br>`), 4},
		{"no-break space", text("\u00a0"), 3},
		{"Fotogr.", text(`\bFotogr\.`), 5},
		{"stop word as subject", subject(func(s string) bool { return slices.Contains(stopWords, fold(s)) }), 6},
		{"subject that is none", subject(func(s string) bool { return noSubject.MatchString(fold(s)) }), 7},
		{"several subjects in one value", subject(func(s string) bool { return strings.ContainsAny(s, ";,") && !noSubject.MatchString(fold(s)) }), 12},
		{"same subject twice, in another case", sameSubject, 5},
		{"subject Foto or Fotografias", subject(func(s string) bool { return s == "Foto" || s == "Fotografias" }), 17},
		{"picture missing or broken", func(d description) bool { return d.ImageURL != "" && !decodes(t, d.ImageURL) }, 4},
	} {
		got := 0
		for _, d := range all {
			if tt.has(d) {
				got++
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %d descriptions, want %d", tt.fault, got, tt.want)
		}
	}
}

func TestDescriptions(t *testing.T) {
	t.Parallel()
	all := load(t)
	if got, want := len(all), 402; got != want {
		t.Errorf("got %d descriptions, want %d", got, want)
	}
	ids, refs, english := map[string]bool{}, map[string]bool{}, 0
	for _, d := range all {
		if ids[d.ID] || refs[d.Ref] {
			t.Errorf("%s or its reference code is given twice", d.ID)
		}
		ids[d.ID], refs[d.Ref] = true, true
		if !strings.HasPrefix(d.Ref, "BR SPAMVS") || d.Level == "" {
			t.Errorf("%s: reference code %q, level %q", d.ID, d.Ref, d.Level)
		}
		if d.Language == "English" {
			english++
		}
	}
	if got, want := english, 26; got != want {
		t.Errorf("got %d descriptions in English, want %d", got, want)
	}
}

func TestHierarchy(t *testing.T) {
	t.Parallel()
	all := load(t)
	up, orphans := parents(all)
	items, byRef := map[string]bool{}, map[string]string{}
	roots := []string{}
	for _, d := range all {
		byRef[d.Ref] = d.ID
		items[d.ID] = strings.HasPrefix(fold(d.Level), "item")
		if up[d.ID] == "" && !slices.Contains(orphans, d.ID) {
			roots = append(roots, d.ID)
		}
	}
	if !slices.Equal(roots, []string{"amvs"}) {
		t.Errorf("roots: %v", roots)
	}
	deepest := 0
	for _, d := range all {
		if d.ParentID != "" && d.ParentRef != "" && byRef[d.ParentRef] != d.ParentID {
			t.Errorf("%s names two parents", d.ID)
		}
		if items[up[d.ID]] {
			t.Errorf("%s lies below an item", d.ID)
		}
		path := map[string]bool{}
		for id := d.ID; id != ""; id = up[id] {
			if path[id] {
				t.Fatalf("%s is its own ancestor", id)
			}
			path[id] = true
		}
		deepest = max(deepest, len(path))
	}
	if deepest != 6 {
		t.Errorf("the deepest description is at level %d, want 6", deepest)
	}
}

// decodes says whether the address leads to a picture.
func decodes(t *testing.T, url string) bool {
	t.Helper()
	b, err := sample.Image(url)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = image.DecodeConfig(bytes.NewReader(b))
	return err == nil
}

func TestImages(t *testing.T) {
	t.Parallel()
	good, bad := map[string]bool{}, map[string]bool{}
	for _, d := range load(t) {
		if d.ImageURL == "" {
			continue
		}
		name, ok := strings.CutPrefix(d.ImageURL, sample.Scheme)
		if !ok {
			t.Errorf("%s: image address %q", d.ID, d.ImageURL)
		}
		if decodes(t, d.ImageURL) {
			good[name] = true
		} else {
			bad[name] = true
		}
	}
	for name := range good {
		b, err := sample.Image(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := image.Decode(bytes.NewReader(b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, want := len(good), 16; got != want {
		t.Errorf("got %d pictures in use, want %d", got, want)
	}
	got := slices.Sorted(maps.Keys(bad))
	if want := []string{"bilhete-roda.jpg", "broken.jpg", "cascata-jaguari.jpg", "galeria-camara.jpg"}; !slices.Equal(got, want) {
		t.Errorf("pictures that do not decode: got %v, want %v", got, want)
	}
}

func TestImage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bonde.gif", "sample://images/bonde.gif", "broken.jpg"} {
		if b, err := sample.Image(name); err != nil || len(b) == 0 {
			t.Errorf("Image(%q): %d bytes, %v", name, len(b), err)
		}
	}
	for _, name := range []string{"", "none.png", "sample://images/", "sample://images/none.png", "../sample.go", "images/bonde.gif", "."} {
		if _, err := sample.Image(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Image(%q): %v, want fs.ErrNotExist", name, err)
		}
	}
	// The letter is stored lying and says so: orientation 6, a quarter turn to the right.
	b, err := sample.Image("carta-manuscrita.jpg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b, []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06")) {
		t.Error("carta-manuscrita.jpg has no EXIF orientation 6")
	}
}
