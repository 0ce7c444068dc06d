package handlers_test

import (
	"context"
	"strings"

	"scrinalia/search"
	"scrinalia/worker"
)

// Search answers each query in another way.
func (f *fake) Search(_ context.Context, q search.Query) (search.Answer, error) {
	a := search.Answer{
		Query: q.Text, Page: max(1, q.Page), Results: []search.Result{}, Words: search.Lexical{Found: 3},
		Meaning: search.Semantic{Model: "builtin/lexical-384-v1/384", Vectors: 4840, Documents: 4844, Found: 60},
	}
	if len(q.Text) > search.MaxLength {
		return a, &worker.Error{Kind: worker.Invalid, Msg: "The search was refused.", Fields: map[string]string{"q": "q takes at most 500 characters; this has 501"}}
	}
	missing := map[string]search.Reason{
		"unembedded": search.NoVectors, "renamed": search.OtherModel, "broken": search.EngineFails, "loading": search.Loading, `"quoted"`: search.Operators,
		"!": search.Nothing, "bare": search.NoEngine,
	}
	if why, ok := missing[q.Text]; ok {
		a.Meaning.Missing, a.Meaning.Detail, a.Meaning.Vectors, a.Meaning.Found = why, "Ollama does not answer at http://127.0.0.1:11434.", 0, 0
	}
	switch q.Text {
	case "", "nothing":
		return a, f.err
	case "empty":
		a.Meaning.Documents = 0
		return a, f.err
	case "waiting":
		a.Words.Waiting = 1250
	case "many":
		a.Found, a.Pages = 200, 10
	}
	if a.Found == 0 {
		a.Found, a.Pages = 3, 1
	}
	if a.Page > a.Pages {
		return a, f.err
	}
	first := (a.Page - 1) * search.PageSize
	a.Results = []search.Result{
		{
			DocumentID: 101, DescriptionID: "amvs-op-01", ReferenceCode: "BR SPAMVS OP-02-03-001", Level: "Dossiê", Date: "1911-1913", Title: "Ponte metálica sobre o Rio Jaguari",
			MarkedTitle: []search.Part{{Text: "Ponte", Match: true}, {Text: " metálica sobre o Rio Jaguari"}},
			Snippet:     []search.Part{{Text: "… montagem de uma "}, {Text: "ponte", Match: true}, {Text: " de quarenta metros, vinda em partes pelo porto de Santos e trazida de trem até a estação, com os desenhos, as contas e as queixas do empreiteiro …"}},
			Rank:        first + 1, Score: 0.0325, Words: &search.Place{Rank: 1, Score: 0.61}, Meaning: &search.Place{Rank: 2, Score: 0.5314},
		},
		{
			DocumentID: 102, DescriptionID: "hostil", Title: `<img src=x onerror="alert(1)">`, MarkedTitle: []search.Part{{Text: `<img src=x onerror="`}, {Text: `alert`, Match: true}, {Text: `(1)">`}},
			Snippet: []search.Part{{Text: "<script>alert(2)</script> " + strings.Repeat("semespaços", 20)}}, Rank: first + 2, Score: 0.0161, Words: &search.Place{Rank: 2, Score: 0.4},
		},
		{
			DocumentID: 103, DescriptionID: "sem-titulo", ReferenceCode: "BR SPAMVS BT-01-01-012", Level: "Item", MarkedTitle: []search.Part{}, Snippet: []search.Part{},
			Rank: first + 3, Score: 0.0159, Meaning: &search.Place{Rank: 3, Score: 0.291},
		},
	}
	return a, f.err
}
