package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"scrinalia/search"

	"github.com/spf13/cobra"
)

func (a *app) searchCommand() *cobra.Command {
	var asJSON bool
	var limit int
	c := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find descriptions by words and by meaning",
		Long: "Finds descriptions by their words and by what they mean, the best first. Quotes keep words together, a minus before a word leaves it out (put -- before such a\n" +
			"query), \"or\" takes either; accents and capitals do not matter. What embedding has not read yet is found by words only.",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || strings.TrimSpace(strings.Join(args, "")) == "" {
				return usageError{fmt.Errorf("%s takes what to look for; %s --help says more", c.CommandPath(), c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return a.search(c.Context(), strings.Join(args, " "), limit, asJSON)
		},
	}
	c.Flags().IntVar(&limit, "limit", 10, fmt.Sprintf("results, 1 to %d", search.PageSize*search.MaxPage))
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) search(ctx context.Context, text string, limit int, asJSON bool) error {
	if limit < 1 || limit > search.PageSize*search.MaxPage {
		return usageError{fmt.Errorf("--limit is %d; it takes 1 to %d", limit, search.PageSize*search.MaxPage)}
	}
	p, err := a.open(ctx, "search", 0)
	if err != nil {
		return err
	}
	defer p.Close()
	answer, err := p.search.Search(ctx, search.Query{Text: text})
	for page := 2; err == nil && page <= answer.Pages && len(answer.Results) < limit; page++ {
		var further search.Answer
		further, err = p.search.Search(ctx, search.Query{Text: text, Page: page})
		answer.Results = append(answer.Results, further.Results...)
	}
	if err != nil {
		return err
	}
	answer.Results = answer.Results[:min(limit, len(answer.Results))]
	if asJSON {
		return printJSON(a.stdout, answer)
	}
	printAnswer(a.stdout, answer)
	return nil
}

func printAnswer(w io.Writer, a search.Answer) {
	rows := make([][]string, len(a.Results))
	for i, r := range a.Results {
		code := r.ReferenceCode
		if code == "" {
			code = r.DescriptionID
		}
		rows[i] = []string{fmt.Sprint(r.Rank), placeText(r.Words), placeText(r.Meaning), oneLine(code, 60), oneLine(r.Title, 100)}
	}
	if len(rows) > 0 {
		table(w, "#\tWORDS\tMEANING\tREFERENCE CODE\tTITLE", rows)
	} else {
		fmt.Fprintln(w, "nothing was found")
	}
	if m := a.Meaning; m.Missing != "" {
		fmt.Fprintf(w, "by words only: %s\n", m.Detail)
	} else {
		fmt.Fprintf(w, "meaning by vectors of %s for %d of %d descriptions\n", m.Model, m.Vectors, m.Documents)
	}
	if n := a.Words.Waiting; n > 0 {
		fmt.Fprintf(w, "the words of %d descriptions are still being read; they are not found by them yet\n", n)
	}
}

func placeText(p *search.Place) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(p.Rank)
}

// oneLine is a text without line breaks and what else a terminal would obey, cut to a number of characters.
func oneLine(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
