// Command eval measures engines over the labelled examples of this repository: precision, recall and F1 for each label, and what was taken
// for what. make eval runs it on the built-in engines; flags put any other engine through the same examples.
//
// Of each pair of halves only the first was looked at while the built-in engines were tuned.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/engine/lexical"
	"scrinalia/worker"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	engine, preset, dir string
	values              map[string]any
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o := options{values: map[string]any{}}
	fl := flag.NewFlagSet("eval", flag.ContinueOnError)
	fl.StringVar(&o.engine, "engine", "", "engine to measure; empty: the default of each axis")
	fl.StringVar(&o.preset, "preset", "", "preset of the engine; empty: its first")
	fl.StringVar(&o.dir, "C", ".", "root of the checkout, where the examples are")
	fl.Func("option", "an option of the engine as name=value; may be repeated", func(s string) error {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("want name=value")
		}
		o.values[name] = value
		return nil
	})
	only := fl.String("axis", "", "measure one axis: NER, classification, embeddings, LLMs or title_quality; empty: all")
	if err := fl.Parse(args); err != nil {
		return err
	}
	registry := engine.NewRegistry(engines.Registrations(os.Getenv("OLLAMA_HOST"))...)
	parts := []struct {
		axis worker.Axis
		eval func(*evaluation, context.Context) error
	}{
		{worker.NER, (*evaluation).names},
		{worker.Classification, (*evaluation).classes},
		{worker.Embeddings, (*evaluation).search},
		{worker.LLMs, (*evaluation).pairs},
		{worker.TitleQuality, (*evaluation).titles},
	}
	known := false
	for _, p := range parts {
		if *only != "" && *only != string(p.axis) {
			continue
		}
		known = true
		d, err := registry.Describe(p.axis, o.engine, o.preset, o.values)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "# %s: %s, %s, %s\n", p.axis, d.Engine, d.Preset, d.Text("model"))
		if err := p.eval(&evaluation{registry: registry, described: d, dir: o.dir, out: out}, ctx); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	if !known {
		return fmt.Errorf("there are no examples for the axis %q; there are some for NER, classification, embeddings, LLMs and title_quality", *only)
	}
	return nil
}

// evaluation is one engine on its way through the examples of its axis.
type evaluation struct {
	registry  *engine.Registry
	described engine.Description
	dir       string
	out       io.Writer
}

func (e *evaluation) open(path ...string) (*os.File, error) {
	return os.Open(filepath.Join(append([]string{e.dir}, path...)...))
}

// chunk is how many inputs an engine is asked about at once.
const chunk = 32

// ask puts inputs to an engine. One that the engine failed at has an answer of no use, which is counted as wrong.
func ask[In, Out any](ctx context.Context, inputs []In, call func(context.Context, []In) ([]Out, error)) ([]Out, error) {
	out := make([]Out, 0, len(inputs))
	for len(inputs) > 0 {
		n := min(chunk, len(inputs))
		answers, err := call(ctx, inputs[:n])
		if err != nil {
			return nil, err
		}
		out, inputs = append(out, answers...), inputs[n:]
	}
	return out, nil
}

// score is how often something was expected, given, and both.
type score struct{ expected, given, hits int }

func (s score) row(name string) string {
	precision, recall := share(s.hits, s.given), share(s.hits, s.expected)
	f1 := 0.0
	if precision+recall > 0 {
		f1 = 2 * precision * recall / (precision + recall)
	}
	return fmt.Sprintf("  %-32s P %.3f  R %.3f  F1 %.3f  (%d expected, %d given, %d right)\n", name, precision, recall, f1, s.expected, s.given, s.hits)
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// classSets are the examples of classification: the file, what it is, the labels and the threshold of the worker.
var classSets = []struct {
	file, about string
	labels      []string
	threshold   float64
}{
	{"typology-a.tsv", "typology of titles, half that was tuned on", typologies, 0.40},
	{"typology-b.tsv", "typology of titles, other half, by the author of the word lists", typologies, 0.40},
	{"typology-c.tsv", "typology of titles, by somebody who never saw the word lists", typologies, 0.40},
	{"subjects-a.tsv", "subject category of tags, half that was tuned on", subjects, 0.55},
	{"subjects-b.tsv", "subject category of tags, other half, by the author of the word lists", subjects, 0.55},
	{"subjects-c.tsv", "subject category of tags, by somebody who never saw the word lists", subjects, 0.55},
}

// The labels that the archive is seeded with.
var (
	typologies = []string{
		"Planta Arquitetônica", "Mapa / Croqui Urbanístico", "Fotografia", "Decreto / Lei / Portaria", "Ofício / Memorando", "Audiovisual",
		"Ata de Reunião", "Relatório Técnico", "Processo Administrativo", "Dossiê Funcional",
	}
	subjects = []string{
		"Urbanismo e Arquitetura", "Mobilidade e Transporte", "Religião", "Meio Ambiente e Áreas Verdes", "Economia e Comércio", "Educação e Cultura",
		"Patrimônio e Preservação", "Assistência e Questões Sociais",
	}
)

func (e *evaluation) classes(ctx context.Context) error {
	model, err := e.registry.NewClassifier(e.described)
	if err != nil {
		return err
	}
	for _, set := range classSets {
		f, err := e.open("engine", "lexical", "testdata", set.file)
		if err != nil {
			return err
		}
		examples, err := lexical.ReadLabelled(f)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", set.file, err)
		}
		texts := make([]string, len(examples))
		for i, x := range examples {
			texts[i] = x.Text
		}
		answers, err := ask(ctx, texts, func(ctx context.Context, texts []string) ([]engine.Choice, error) {
			return model.Classify(ctx, texts, set.labels)
		})
		if err != nil {
			return err
		}
		choices := make([]lexical.Choice, len(answers))
		for i, a := range answers {
			choices[i] = lexical.Choice{Label: a.Label, Score: a.Score}
		}
		r := lexical.EvaluateChoices(examples, choices, set.labels, set.threshold)
		fmt.Fprintf(e.out, "\n%s: %s, %d examples, threshold %.2f, accuracy %.3f\n", set.file, set.about, len(examples), set.threshold, r.Accuracy)
		for _, l := range append(r.Labels, r.Overall) {
			name := l.Label
			switch {
			case l == r.Overall:
				name = "all labels"
			case name == "":
				name = "none"
			}
			fmt.Fprint(e.out, score{l.Expected, l.Given, l.Hits}.row(name))
		}
		for _, c := range r.Confusion {
			fmt.Fprintf(e.out, "    %s taken for %s: %d\n", named(c.Want), named(c.Got), c.Count)
		}
	}
	return nil
}

func named(label string) string {
	if label == "" {
		return "none"
	}
	return label
}
