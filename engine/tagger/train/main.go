// Command train makes engine/tagger/model.bin from tagged corpora and from
// sentences that it writes itself. The same data give the same file, bit for bit.
//
//	go run ./engine/tagger/train -data DIR -out engine/tagger/model.bin
//
// DIR holds ner/*.tsv. The development corpus, ner/lener-br-dev.tsv, is only
// measured, never trained on.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"scrinalia/engine/tagger"
	"scrinalia/engine/tagger/gazetteer"
	"scrinalia/engine/tagger/internal/corpus"
	"scrinalia/engine/tagger/internal/feature"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	data, out string
	check     string // one more corpus to measure
	only      string // "legal" or "wiki": train on that corpus alone, to see how it does on the other
	heldOut   int    // every n-th sentence of Paramopama is measured, not trained on
	set       settings
}

func parseArgs(args []string) (options, error) {
	o := options{set: defaults}
	f := flag.NewFlagSet("train", flag.ContinueOnError)
	f.StringVar(&o.data, "data", "", "folder that holds ner/*.tsv")
	f.StringVar(&o.out, "out", "", "file to write; none if empty")
	f.StringVar(&o.check, "check", "", "one more corpus to measure")
	f.StringVar(&o.only, "only", "", "train on one corpus, legal or wiki, and measure on both")
	f.IntVar(&o.heldOut, "held-out", 0, "measure every n-th sentence of paramopama.tsv instead of training on it")
	f.IntVar(&o.set.epochs, "epochs", o.set.epochs, "passes over the data")
	f.Float64Var(&o.set.rate, "rate", o.set.rate, "step of AdaGrad")
	f.Float64Var(&o.set.l2, "l2", o.set.l2, "weight decay")
	f.Float64Var(&o.set.dropout, "dropout", o.set.dropout, "share of features left out at each visit")
	f.IntVar(&o.set.least, "least", o.set.least, "fewest sightings of a feature")
	f.IntVar(&o.set.keep, "keep", o.set.keep, "features kept")
	f.IntVar(&o.set.mix.synthetic, "synthetic", o.set.mix.synthetic, "sentences of the grammar")
	f.IntVar(&o.set.mix.capitals, "capitals", o.set.mix.capitals, "percent of sentences copied in capitals")
	f.IntVar(&o.set.mix.names, "names", o.set.mix.names, "percent of sentences copied with names in capitals")
	f.IntVar(&o.set.mix.swapped, "swapped", o.set.mix.swapped, "percent of sentences copied with other people")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.data == "" {
		return o, fmt.Errorf("-data is missing")
	}
	return o, nil
}

var defaults = settings{
	epochs: 12, rate: 0.04, l2: 1e-5, dropout: 0.4, least: 2, keep: 480_000, seed: 1,
	mix: mix{synthetic: 18_000, capitals: 10, names: 5, swapped: 25},
}

func run(args []string, log io.Writer) error {
	o, err := parseArgs(args)
	if err != nil {
		return err
	}
	c, err := loadCorpora(o)
	if err != nil {
		return err
	}
	data, err := fit(o.set, c, log)
	if err != nil {
		return err
	}
	m, err := tagger.Open(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "model %d bytes, with gazetteers %d\n", len(data), len(data)+gazetteer.Size())
	if err := report(m, c, log); err != nil {
		return err
	}
	if o.out == "" {
		return nil
	}
	if err := os.WriteFile(o.out, data, 0o644); err != nil {
		return fmt.Errorf("write the model: %w", err)
	}
	return nil
}

// corpora are the sentences read.
type corpora struct {
	train   []corpus.Sentence
	measure []measured
}

// measured is a corpus to report on.
type measured struct {
	name      string
	sentences []corpus.Sentence
}

func loadCorpora(o options) (corpora, error) {
	var c corpora
	ner := filepath.Join(o.data, "ner")
	legal, err := readFile(filepath.Join(ner, "lener-br-train.tsv"))
	if err != nil {
		return c, err
	}
	wiki, err := readFile(filepath.Join(ner, "paramopama.tsv"))
	if err != nil {
		return c, err
	}
	dev, err := readFile(filepath.Join(ner, "lener-br-dev.tsv"))
	if err != nil {
		return c, err
	}
	c.measure = []measured{{"lener-br-dev", dev}}
	if o.check != "" {
		more, err := readFile(o.check)
		if err != nil {
			return c, err
		}
		c.measure = append(c.measure, measured{filepath.Base(o.check), more})
	}
	c.train = legal
	var held []corpus.Sentence
	cleaned := clean(wiki)
	for i, s := range wiki {
		if o.heldOut > 0 && i/20%o.heldOut == 0 { // blocks: neighbours speak of the same things
			held = append(held, s)
		} else {
			c.train = append(c.train, cleaned[i])
		}
	}
	switch o.only {
	case "legal":
		c.train = legal
	case "wiki":
		c.train = c.train[len(legal):]
	}
	if len(held) > 0 {
		c.measure = append(c.measure, measured{"paramopama held out", held})
	}
	return c, nil
}

func readFile(path string) ([]corpus.Sentence, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	defer f.Close()
	s, err := corpus.Read(f)
	if err != nil {
		return nil, fmt.Errorf("corpus %s: %w", path, err)
	}
	return s, nil
}

// fit trains and returns the encoded model.
func fit(set settings, c corpora, log io.Writer) ([]byte, error) {
	text, err := passages(c.train, set.mix, set.seed)
	if err != nil {
		return nil, err
	}
	common := commonWords(text)
	b := &builder{table: tableWith(common), counts: make([]uint32, 1<<feature.SpaceBits)}
	for _, p := range text {
		b.add(p)
	}
	names := b.number(set.least)
	tokens, ids := 0, 0
	for _, e := range b.examples {
		tokens, ids = tokens+len(e.tags), ids+len(e.ids)
	}
	fmt.Fprintf(log, "%d sentences, %d tokens, %d common words, %d features, %.1f a token\n",
		len(b.examples), tokens, len(common), len(names), float64(ids)/float64(tokens))
	opt := newOptimiser(set, len(names))
	opt.train(log, b.examples)
	return opt.compact(names, common).Encode()
}

func report(m *tagger.Model, c corpora, log io.Writer) error {
	for _, d := range c.measure {
		r := tagger.EvaluateSentences(m, d.sentences)
		fmt.Fprintf(log, "%s (%d sentences)\n%s", d.name, r.Sentences, r)
	}
	return nil
}
