package lexical_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scrinalia/engine/lexical"
)

// above returns the label set at a threshold, "" for none.
func above(c lexical.Choice, threshold float64) string {
	if c.Score > threshold {
		return c.Label
	}
	return ""
}

func TestClassify(t *testing.T) {
	t.Parallel()
	withLetters := append([]string{"Carta", "Livro de Registro"}, typologies...)
	tests := []struct {
		name, text string
		labels     []string
		want       string
	}{
		{"head", "Ata da sessão que aprovou a planta do mercado", typologies, "Ata de Reunião"},
		{"behind a copy", "Segunda via da planta do quartel", typologies, "Planta Arquitetônica"},
		{"later part", "Teatro São João: planta baixa", typologies, "Planta Arquitetônica"},
		{"name first", "Ferreira, João Batista: dossiê funcional", typologies, "Dossiê Funcional"},
		{"first part wins", "Processo n. 8/31: planta do quiosque", typologies, typologies[8]},
		{"form without a label", "Carta sobre a planta do quiosque", typologies, ""},
		{"label for it added", "Carta sobre a planta do quiosque", withLetters, "Carta"},
		{"two words of a new label", "Livro de registro de hóspedes", withLetters, "Livro de Registro"},
		{"skipped word of a new label", "Livro de atas do clube", withLetters, "Ata de Reunião"},
		{"agent", "Fotógrafo ambulante", typologies, ""},
		{"misspelt", "Relatrio da enchente", typologies, "Relatório Técnico"},
		{"capitals without accents", "OFICIO DO INSPETOR", typologies, "Ofício / Memorando"},
		{"decomposed", "Ofi\u0301cio do inspetor", typologies, "Ofício / Memorando"},
		{"surnames", "Silva, Ana; Souza, Rui", typologies, ""},
		{"English", "Minutes of the harbour board", typologies, "Ata de Reunião"},
		{"tie", "Igrejas e fábricas", []string{"Igrejas", "Fábricas"}, ""},
		{"same label twice", "Igrejas", []string{"Igrejas", "Igrejas"}, ""},
		{"adjective", "Arquitetura escolar", subjects, "Urbanismo e Arquitetura"},
		{"two subjects", "Escola e igreja", subjects, ""},
		{"within another", "Saúde pública", subjects, "Assistência e Questões Sociais"},
		{"its own category added", "Saúde pública", append([]string{"Saúde"}, subjects...), "Saúde"},
		{"unknown label by words", "Imigração ucraniana", []string{"Cultura Ucraniana", "Pesca"}, ""},
		{"unknown label by stem", "Heráldicos", []string{"Apicultura", "Heráldica"}, "Heráldica"},
		{"unknown label by n-grams", "Numismátca", []string{"Numismática", "Heráldica"}, "Numismática"},
		{"one label among many atas", "Atas da Irmandade", []string{"Atas da Câmara", "Atas da Irmandade"}, "Atas da Irmandade"},
		{"place", "Porto Alegre", subjects, ""},
	}
	c := lexical.NewClassifier(lexical.Settings{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := c.Classify([]string{tt.text}, tt.labels)[0]
			if diff := cmp.Diff(tt.want, above(got, subjectThreshold)); diff != "" {
				t.Errorf("%q: %+v (-want +got)\n%s", tt.text, got, diff)
			}
		})
	}
}

func TestClassifyOddInput(t *testing.T) {
	t.Parallel()
	odd := []string{
		"", " ", "\x00", "\xff\xfe", "🏛️", "---", "Ata\x00da\xffsessão", strings.Repeat("planta ata ", 1<<20/11),
		strings.Repeat("x", 1<<20), strings.Repeat("\u0301", 1<<19), "de a o", "١٢٣", "会议记录",
	}
	c := lexical.NewClassifier(lexical.Settings{CachedSets: 1})
	for _, labels := range [][]string{typologies, subjects, {""}, {"\xff", "\x00", "🏛️"}, {" / ", "e"}, odd[:8]} {
		got := c.Classify(odd, labels)
		if len(got) != len(odd) {
			t.Fatalf("%d choices for %d texts", len(got), len(odd))
		}
		for i, g := range got {
			if g.Score < 0 || g.Score > 1 || g.Label == "" && g.Score != 0 {
				t.Errorf("text %d of labels %.40q: %+v", i, labels, g)
			}
		}
	}
	if diff := cmp.Diff([]lexical.Choice{{}, {}}, c.Classify([]string{"Ata", "Mapa"}, nil)); diff != "" {
		t.Errorf("without labels: %s", diff)
	}
	if got := c.Classify(nil, typologies); len(got) != 0 {
		t.Errorf("without texts: %v", got)
	}
}

func TestClassifyFromManyGoroutines(t *testing.T) {
	t.Parallel()
	c := lexical.NewClassifier(lexical.Settings{CachedSets: 1})
	titles := texts(readLabelled(t, "typology-a.tsv"))[:20]
	want := lexical.NewClassifier(lexical.Settings{}).Classify(titles, typologies)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			if i%2 == 1 {
				c.Classify(titles, subjects)
			}
			if diff := cmp.Diff(want, c.Classify(titles, typologies)); diff != "" {
				t.Error(diff)
			}
		})
	}
	group.Wait()
}

func TestEvaluateChoices(t *testing.T) {
	t.Parallel()
	examples := []lexical.Labelled{{Text: "1", Label: "A"}, {Text: "2", Label: "A"}, {Text: "3", Label: "B"}, {Text: "4"}}
	choices := []lexical.Choice{{Label: "A", Score: 0.9}, {Label: "B", Score: 0.9}, {Label: "B", Score: 0.3}, {}}
	got := lexical.EvaluateChoices(examples, choices, []string{"A", "B"}, 0.5)
	want := lexical.ClassReport{
		Overall: lexical.LabelScore{Expected: 3, Given: 2, Hits: 1, Precision: 0.5, Recall: 1.0 / 3, F1: 0.4},
		Labels: []lexical.LabelScore{
			{Label: "A", Expected: 2, Given: 1, Hits: 1, Precision: 1, Recall: 0.5, F1: 2.0 / 3},
			{Label: "B", Expected: 1, Given: 1},
			{Expected: 1, Given: 2, Hits: 1, Precision: 0.5, Recall: 1, F1: 2.0 / 3},
		},
		Confusion: []lexical.Confusion{{Want: "A", Got: "B", Count: 1}, {Want: "B", Got: "", Count: 1}},
		Accuracy:  0.5,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
