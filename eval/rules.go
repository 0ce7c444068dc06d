package main

import (
	"context"
	"fmt"

	"scrinalia/engine"
	"scrinalia/engine/judge"
	"scrinalia/engine/lexical"
)

// pairSets are the examples of the judge.
var pairSets = []struct{ file, about string }{
	{"pairs-a.tsv", "half that was tuned on"},
	{"pairs-b.tsv", "other half, by the author of the word lists"},
	{"pairs-c.tsv", "names and tags of other authors' examples, half that was tuned on"},
	{"pairs-d.tsv", "names and tags of other authors' examples, untouched half"},
}

// applied is the confidence from which conflict-judge applies a ruling without a person, as its option is set.
const applied = 0.85

// pairs compares rulings with what they should be, all of them and those that would be applied.
func (e *evaluation) pairs(ctx context.Context) error {
	model, err := e.registry.NewJudge(e.described)
	if err != nil {
		return err
	}
	for _, set := range pairSets {
		f, err := e.open("engine", "judge", "testdata", set.file)
		if err != nil {
			return err
		}
		examples, err := judge.ReadLabelled(f)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", set.file, err)
		}
		pairs := make([]engine.Pair, len(examples))
		for i, x := range examples {
			pairs[i] = x.Pair
		}
		rulings, err := ask(ctx, pairs, model.Judge)
		if err != nil {
			return err
		}
		byWinner := map[engine.Winner]*score{engine.TagWins: {}, engine.EntityWins: {}}
		right, sure, sureRight := 0, 0, 0
		var wrong []string
		for i, x := range examples {
			r := rulings[i]
			byWinner[x.Winner].expected++
			if r.Err != nil {
				continue
			}
			byWinner[r.Winner].given++
			hit := r.Winner == x.Winner
			if hit {
				byWinner[r.Winner].hits++
				right++
			}
			if r.Confidence >= applied {
				sure++
				if hit {
					sureRight++
				} else {
					wrong = append(wrong, fmt.Sprintf("    %s (%s) taken for %s, %.2f: %s\n", x.Pair.Entity, x.Winner, r.Winner, r.Confidence, r.Reason))
				}
			}
		}
		fmt.Fprintf(e.out, "\n%s: %s, %d pairs, accuracy %.3f\n", set.file, set.about, len(examples), share(right, len(examples)))
		for _, w := range []engine.Winner{engine.TagWins, engine.EntityWins} {
			fmt.Fprint(e.out, byWinner[w].row(string(w)))
		}
		fmt.Fprintf(e.out, "  from %.2f on, applied without a person: %.3f of the pairs, %.3f of them right (%d of %d)\n", applied, share(sure, len(examples)), share(sureRight, sure), sureRight, sure)
		for _, w := range wrong {
			fmt.Fprint(e.out, w)
		}
	}
	return nil
}

// titleSets are the examples of the title check. Those without a label are as good as any; those of the classifier are all of them good titles.
var titleSets = []struct{ dir, file, about string }{
	{"titles", "titles-a.tsv", "half that was tuned on"},
	{"titles", "titles-b.tsv", "other half, by the author of the rules"},
	{"lexical", "typology-c.tsv", "false alarms among titles of another author"},
}

// flagged is the confidence from which quality-validator flags a suspect title, as its option is set.
const flagged = 0.6

// suspectLabel is the label of a title that should be flagged.
const suspectLabel = "suspect"

func (e *evaluation) titles(ctx context.Context) error {
	model, err := e.registry.NewTitleChecker(e.described)
	if err != nil {
		return err
	}
	for _, set := range titleSets {
		f, err := e.open("engine", set.dir, "testdata", set.file)
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
		verdicts, err := ask(ctx, texts, model.Check)
		if err != nil {
			return err
		}
		var s score
		var wrong []string
		for i, x := range examples {
			v := verdicts[i]
			want, got := x.Label == suspectLabel, v.Err == nil && v.Suspect && v.Confidence >= flagged
			switch {
			case want && got:
				s.hits++
			case want:
				wrong = append(wrong, "    missed: "+x.Text+"\n")
			case got:
				wrong = append(wrong, fmt.Sprintf("    false alarm, %.2f: %s (%s)\n", v.Confidence, x.Text, v.Reason))
			}
			if want {
				s.expected++
			}
			if got {
				s.given++
			}
		}
		fmt.Fprintf(e.out, "\n%s: %s, %d titles, flagged from %.2f on\n", set.file, set.about, len(examples), flagged)
		fmt.Fprint(e.out, s.row(suspectLabel))
		for _, w := range wrong {
			fmt.Fprint(e.out, w)
		}
	}
	return nil
}
