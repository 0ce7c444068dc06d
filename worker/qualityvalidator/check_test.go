package qualityvalidator

import (
	"testing"
	"time"

	"scrinalia/engine"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)

func TestDates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give            string
		missing, future bool
	}{
		{"", true, false},
		{" \t\u00a0", true, false},
		{"-", true, false},
		{"s.d.", true, false},
		{"S/D", true, false},
		{"[s. d.]", true, false},
		{"[Sem data]", true, false},
		{"n.d.", true, false},
		{"undated", true, false},
		{"Data desconhecida", true, false},
		{"1912", false, false},
		{"[19--]", false, false},
		{"[191-?]", false, false},
		{"ca. 1920", false, false},
		{"século XIX", false, false},
		{"s.d. [1930?]", false, false},
		{"1842-1996", false, false},
		{"12/03/1954", false, false},
		{"1954-03-12", false, false},
		{"2026", false, false},
		{"2027", false, true},
		{"2091", false, true},
		{"1991-2091", false, true},
		{"1991/2091", false, true},
		{"12.3.2091", false, true},
		{"[2091?]", false, true},
		{"processo 12091", false, false},
		{"20911231", false, false},
		{"3000", false, false}, // no year that archives use
	}
	c, err := newChecker(nil, 3, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.give, func(t *testing.T) {
			t.Parallel()
			if got := missingDate(tt.give); got != tt.missing {
				t.Errorf("missing: %t, want %t", got, tt.missing)
			}
			if got := c.futureDate(tt.give); got != tt.future {
				t.Errorf("future: %t, want %t", got, tt.future)
			}
		})
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give        string
		empty, caps bool
	}{
		{"", true, false},
		{"  \u00a0\u2003", true, false},
		{"ab", true, false},
		{" a  b ", false, false}, // three characters with the space that is left
		{"Ata", false, false},
		{"São", false, false},
		{"...", true, false},
		{"Sem título", true, false},
		{"[sem titulo]", true, false},
		{"SEM TÍTULO", true, true},
		{"Untitled", true, false},
		{"Não identificado", true, false},
		{"S/T", true, false},
		{"xxx", true, false},
		{"Sem título de terra", false, false},
		{"PLANTA DA CIDADE", false, true},
		{"PLANTA N.º 3", false, true}, // the ordinal indicator is no letter in lower case
		{"ÓRGÃOS PÚBLICOS", false, true},
		{"PLANTA da CIDADE", false, false},
		{"RELATÓRIOS", false, false},      // one word
		{"IPHAN SP", false, false},        // 8 characters
		{"ATA\u00a0ATA AB", false, true},  // 10 characters, a no-break space is one
		{"1912 - 1913 - 1", false, false}, // no letters
		{"文書 文書 文書 文書", false, false},     // no case
	}
	for _, tt := range tests {
		t.Run(tt.give, func(t *testing.T) {
			t.Parallel()
			if got := emptyTitle(tt.give); got != tt.empty {
				t.Errorf("empty: %t, want %t", got, tt.empty)
			}
			if got := allCaps(tt.give); got != tt.caps {
				t.Errorf("capitals: %t, want %t", got, tt.caps)
			}
		})
	}
}

// clean is a description without fault.
func clean(change func(*worker.Description)) worker.Description {
	d := worker.Description{
		ID: 4, Fingerprint: []byte("f"), Title: "Planta da cidade", Date: "1912", SameTitle: 1, HasTags: true,
		Texts: map[string]string{"original_title": "Planta da cidade", "scope_content": "Planta [sic] em papel."},
	}
	change(&d)
	return d
}

func TestReasons(t *testing.T) {
	t.Parallel()
	rules := []worker.Rule{
		{Name: "sic", Column: "scope_content", Pattern: `\[SIC\]`},
		{Name: "exact", Column: "scope_content", Pattern: `\[SIC\]`, CaseSensitive: true},
		{Name: "two\nlines", Column: "provenance", Pattern: "^$"},
	}
	tests := []struct {
		name   string
		rules  []worker.Rule
		change func(*worker.Description)
		want   []string
	}{
		{"clean", nil, func(*worker.Description) {}, nil},
		{"missing date", nil, func(d *worker.Description) { d.Date = "s.d." }, []string{MissingDate}},
		{"future date", nil, func(d *worker.Description) { d.Date = "2091" }, []string{FutureDate}},
		{"empty title", nil, func(d *worker.Description) { d.Title = "Sem título" }, []string{EmptyTitle}},
		{"repeated title", nil, func(d *worker.Description) { d.SameTitle = 3 }, []string{RepeatedTitle}},
		{"below the threshold", nil, func(d *worker.Description) { d.SameTitle = 2 }, nil},
		{"a repeated placeholder is empty, not repeated", nil, func(d *worker.Description) { d.Title, d.SameTitle = "Sem título", 9 }, []string{EmptyTitle}},
		{"capitals", nil, func(d *worker.Description) { d.Title = "PLANTA DA CIDADE" }, []string{AllCapsTitle}},
		{"no tags", nil, func(d *worker.Description) { d.HasTags = false }, []string{NoTags}},
		{"typology not looked for yet", nil, func(d *worker.Description) { d.HasTypology = false }, nil},
		{"typology looked for", nil, func(d *worker.Description) { d.TypologyReady = true }, []string{NoTypology}},
		{"typology found", nil, func(d *worker.Description) { d.TypologyReady, d.HasTypology = true, true }, nil},
		{"entities looked for", nil, func(d *worker.Description) { d.EntitiesReady = true }, []string{NoEntities}},
		{"entities found", nil, func(d *worker.Description) { d.EntitiesReady, d.HasEntities = true, true }, nil},
		{"rules, in their order, one a line", rules, func(*worker.Description) {}, []string{"RULE_MATCH:sic", "RULE_MATCH:two lines"}},
		{"all together", rules[:1], func(d *worker.Description) {
			d.Title, d.Date, d.HasTags, d.TypologyReady, d.EntitiesReady, d.SameTitle = "PLANTA DA CIDADE", "sem data", false, true, true, 3
		}, []string{MissingDate, RepeatedTitle, AllCapsTitle, NoTags, NoTypology, NoEntities, "RULE_MATCH:sic"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := newChecker(tt.rules, 3, now)
			if err != nil {
				t.Fatal(err)
			}
			verdicts, notes := c.all([]worker.Description{clean(tt.change)}, make([]engine.TitleVerdict, 1), 0.6)
			if diff := cmp.Diff([]worker.Verdict{{ID: 4, Fingerprint: []byte("f"), Reasons: tt.want}}, verdicts); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(notes) != len(tt.want) {
				t.Errorf("notes %v, want one for each of %v", notes, tt.want)
			}
		})
	}
}

func TestBadPatternIsRefusedByName(t *testing.T) {
	t.Parallel()
	_, err := newChecker([]worker.Rule{{Name: "broken", Pattern: "["}}, 3, now)
	if worker.KindOf(err) != worker.Invalid {
		t.Errorf("got %v, want Invalid", err)
	}
}
