package tagger_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"scrinalia/engine/tagger"
)

func model(tb testing.TB) *tagger.Model {
	tb.Helper()
	m, err := tagger.Default()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// found lists the entities of text as "PER name".
func found(m *tagger.Model, text string) []string {
	var out []string
	for _, s := range m.Entities(text) {
		out = append(out, s.Type+" "+text[s.Start:s.End])
	}
	return out
}

func TestEntities(t *testing.T) {
	t.Parallel()
	m := model(t)
	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", "Retrato de Antônio da Costa Lima, em Sorocaba.", []string{"PER Antônio da Costa Lima", "LOC Sorocaba"}},
		{"surname first", "Ferreira, João Batista", []string{"PER Ferreira, João Batista"}},
		{"surnames first in a list", "Moura, Ana Paula de; Castro, Luís", []string{"PER Moura, Ana Paula de", "PER Castro, Luís"}},
		{"people in a list", "Presentes: Ana Moura, Luís Castro e Pedro Dias.", []string{"PER Ana Moura", "PER Luís Castro", "PER Pedro Dias"}},
		{"places in a list", "Vistas de Campinas, Jundiaí e Limeira.", []string{"LOC Campinas", "LOC Jundiaí", "LOC Limeira"}},
		{"capitals", "INAUGURAÇÃO DA ESCOLA NORMAL DE CAMPINAS PELO PREFEITO OROSIMBO MAIA", []string{"ORG ESCOLA NORMAL DE CAMPINAS", "PER OROSIMBO MAIA"}},
		{"capitals without names", "FESTA DE ENCERRAMENTO DO ANO LETIVO", nil},
		{"capitals, surname first", "OLIVEIRA, MARIA JOSÉ DE", []string{"PER OLIVEIRA, MARIA JOSÉ DE"}},
		{"street of a person", "Fachada na Rua Coronel Quirino, 200", []string{"LOC Rua Coronel Quirino"}},
		{"avenue, abbreviated", "Loja da Av. Dr. Moraes Salles", []string{"LOC Av. Dr. Moraes Salles"}},
		{"honours", "Visita do Cel. Joaquim Teixeira ao Dr. Ricardo Gumbleton.", []string{"PER Joaquim Teixeira", "PER Ricardo Gumbleton"}},
		{"dates beside", "Hércules Florence (1804-1879)", []string{"PER Hércules Florence"}},
		{"initials", "Carta de J. B. de Andrade a M. Prado.", []string{"PER J. B. de Andrade", "PER M. Prado"}},
		{"companies", "Balanço da Companhia Paulista de Estradas de Ferro; recibos de Souza & Cia.", []string{"ORG Companhia Paulista de Estradas de Ferro", "ORG Souza & Cia."}},
		{"state in brackets", "Vista de Valinhos (SP), 1922", []string{"LOC Valinhos", "LOC SP"}},
		{"English", "Letter from Henry Miller to the University of Chicago, 1932.", []string{"PER Henry Miller", "ORG University of Chicago"}},
		{"English, surname first", "Johnson, Mary Elizabeth", []string{"PER Johnson, Mary Elizabeth"}},
		{"lines", "Festa junina\nJosé de Alencar Pinto\nSão Carlos", []string{"PER José de Alencar Pinto", "LOC São Carlos"}},
		{"nothing", "Vista geral da cidade, sem data.", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, found(m, tt.text)); d != "" {
				t.Error(d)
			}
		})
	}
}

// odd are texts that tend to break cutting by bytes.
var odd = []string{
	"", " ", "\n\n", ".", "...", "\xff\xfe", "Jo\xe3o da Silva", "João\u00a0da\u00a0Silva e Ana\u200bMaria",
	"👩‍🚀 Ana Souza 🇧🇷 Campinas", "e\u0301mile Zola", "ﬁlho de João", "東京 São Paulo Москва", "\x00João\x00",
	strings.Repeat("a", 100_000), strings.Repeat("JOÃO ", 5_000), strings.Repeat("Ana, ", 3_000),
	strings.Repeat("ã", 20_001), strings.Repeat("(", 3_000), "Ana-", "-Ana", "Ana'", "S.A.", "n.º", "R. ", "é", "ÿ",
}

func check(t *testing.T, m *tagger.Model, text string) {
	t.Helper()
	last := 0
	for _, s := range m.Entities(text) {
		if s.Start < last || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("%.60q: span %+v is empty, out of order or out of range", text, s)
		}
		if !utf8.RuneStart(text[s.Start]) || s.End < len(text) && utf8.ValidString(text) && !utf8.RuneStart(text[s.End]) {
			t.Fatalf("%.60q: span %+v cuts a rune", text, s)
		}
		if !(s.Score >= 0 && s.Score <= 1) {
			t.Fatalf("%.60q: score of %+v", text, s)
		}
		if s.Type != "PER" && s.Type != "ORG" && s.Type != "LOC" {
			t.Fatalf("%.60q: type of %+v", text, s)
		}
		last = s.End
	}
}

func TestEntitiesOddText(t *testing.T) {
	t.Parallel()
	m := model(t)
	for _, text := range odd {
		check(t, m, text)
	}
}

func FuzzEntities(f *testing.F) {
	for _, text := range odd {
		if len(text) < 200 {
			f.Add(text)
		}
	}
	f.Add("Ferreira, João Batista (1850-1924), Cel. da Av. Brasil, n.º 3.")
	m := model(f)
	f.Fuzz(func(t *testing.T, text string) { check(t, m, text) })
}

// TestEntitiesConcurrent runs the same texts from many goroutines, and wants what one finds.
func TestEntitiesConcurrent(t *testing.T) {
	t.Parallel()
	m := model(t)
	texts := append([]string{"Retrato de Ana Souza, em Campinas.", "BANCO DO BRASIL S.A. EM SANTOS"}, odd[:13]...)
	want := make([][]tagger.Span, len(texts))
	for i, text := range texts {
		want[i] = m.Entities(text)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				for i, text := range texts {
					if d := cmp.Diff(want[i], m.Entities(text)); d != "" {
						t.Errorf("%q: %s", text, d)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestFloors holds the scores on our own archival set; what was reached stands in README.md.
func TestFloors(t *testing.T) {
	t.Parallel()
	m := model(t)
	for _, name := range []string{"archival-a.tsv", "archival-b.tsv"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			r, err := tagger.Evaluate(m, f)
			if err != nil {
				t.Fatal(err)
			}
			if r.Sentences < 110 || r.Overall.F1() < 0.75 {
				t.Errorf("F1 is under 0.75, or sentences are missing (%d):\n%s", r.Sentences, r)
			}
		})
	}
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	m := model(t)
	const text = "Retrato\tO\nde\tO\nAna\tB-PER\nSouza\tI-PER\n\nVista\tO\nda\tO\nmesa\tB-LOC\n"
	got, err := tagger.Evaluate(m, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := tagger.Report{
		Sentences: 2, Overall: tagger.Count{Right: 1, Missed: 1},
		ByType: map[string]tagger.Count{"PER": {Right: 1}, "LOC": {Missed: 1}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := tagger.Evaluate(m, strings.NewReader("no tab")); err == nil {
		t.Error("a line without a tab is no error")
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "model", "scrinalia-tagger-2\n", "scrinalia-tagger-2\nabc"} {
		if _, err := tagger.Open([]byte(data)); err == nil {
			t.Errorf("Open(%q) is no error", data)
		}
	}
}

// TestSize holds the bound of the requirement: 3 MB for weights and lists.
func TestSize(t *testing.T) {
	t.Parallel()
	if n := tagger.Size(); n > 3<<20 {
		t.Errorf("weights and lists are %d bytes, more than 3 MB", n)
	}
}

// BenchmarkEntities measures descriptions of the length that archives have:
// some 60 words, put together from the archival set.
func BenchmarkEntities(b *testing.B) {
	m := model(b)
	data, err := os.ReadFile(filepath.Join("testdata", "archival-a.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	var words []string
	for line := range strings.Lines(string(data)) {
		if w, _, ok := strings.Cut(line, "\t"); ok {
			words = append(words, w)
		}
	}
	const length = 60
	var docs []string
	for i := 0; i+length <= len(words); i += length {
		docs = append(docs, strings.Join(words[i:i+length], " "))
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		m.Entities(docs[i%len(docs)])
	}
	perSecond := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(perSecond, "docs/s")
	b.ReportMetric(perSecond*length, "tokens/s")
}
