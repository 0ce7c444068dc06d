package lexical_test

import (
	"strings"
	"testing"

	"scrinalia/engine/lexical"
)

func BenchmarkClassify(b *testing.B) {
	titles := texts(readLabelled(b, "typology-a.tsv"))
	c := lexical.NewClassifier(lexical.Settings{})
	c.Classify(titles[:1], typologies)
	n := 0
	for b.Loop() {
		c.Classify(titles, typologies)
		n += len(titles)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "docs/s")
}

func BenchmarkEmbed(b *testing.B) {
	docs := longTexts(b)
	e := lexical.NewEmbedder()
	n := 0
	for b.Loop() {
		e.Embed(docs)
		n += len(docs)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "docs/s")
}

// BenchmarkEmbedCold embeds with nothing cached, as the first batch of a run does.
func BenchmarkEmbedCold(b *testing.B) {
	docs := longTexts(b)
	n := 0
	for b.Loop() {
		lexical.NewEmbedder().Embed(docs)
		n += len(docs)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "docs/s")
}

// longTexts joins small documents to texts of about 500 characters.
func longTexts(tb testing.TB) []string {
	f := readSearch(tb, "search-a.json")
	var out []string
	for i := range f.Documents {
		var b strings.Builder
		for j := 0; b.Len() < 500; j++ {
			b.WriteString(f.Documents[(i+j*7)%len(f.Documents)].Text + " ")
		}
		out = append(out, b.String())
	}
	return out
}
