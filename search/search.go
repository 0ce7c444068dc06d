package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"scrinalia/worker"

	"golang.org/x/sync/errgroup"
)

// The bounds of a search.
const (
	MaxLength = 500 // characters of a query
	PageSize  = 20
	MaxPage   = 10
	depth     = PageSize * MaxPage // how far down either ranking is looked at
)

// Store is where descriptions and vectors are kept.
type Store interface {
	// IndexWaiting reads the words of about so many descriptions that wait for it, and returns how many it read, 0 when none waited.
	IndexWaiting(ctx context.Context, atMost int) (int, error)
	// CountWaiting says how many still wait.
	CountWaiting(ctx context.Context) (int64, error)
	// CountSearchable says how many descriptions there are that nobody rejected.
	CountSearchable(ctx context.Context) (int64, error)
	// FindWords returns the descriptions that have the words, the best first.
	FindWords(ctx context.Context, w Words, atMost int) ([]Scored, error)
	// WantedWords returns those of the seen words that w is about.
	WantedWords(ctx context.Context, w Words, seen []string) ([]string, error)
	// Texts returns what is shown of descriptions; those that are gone or rejected are left out.
	Texts(ctx context.Context, ids []int64) (map[int64]Text, error)
	// ChangedVectors calls each with every vector of the model that changed since a horizon, "" for all, nil where there is none any
	// more. It returns the horizon to go on from.
	ChangedVectors(ctx context.Context, model, since string, each func(id int64, vector []float32) error) (horizon string, err error)
	// Vectors returns the vectors of the model for these descriptions; those that are gone or rejected are left out.
	Vectors(ctx context.Context, model string, ids []int64) (map[int64][]float32, error)
	// OtherModel names a model that there are vectors of, beside this one; "" when there is none.
	OtherModel(ctx context.Context, model string) (string, error)
}

// EmbedQuery turns a query into a vector, and names the model that its space is of, as the embedding worker names it. No vector
// means that the text has nothing to go by.
type EmbedQuery func(ctx context.Context, text string) (model string, vector []float32, err error)

// Options are what a Service needs. Store is required.
type Options struct {
	Store      Store
	EmbedQuery EmbedQuery   // none: by words only
	Log        *slog.Logger // discarded when nil
	// Patience is how long a search waits for words to be read or vectors to be loaded before it answers without; 5 s when 0.
	Patience time.Duration
}

// Service searches. It is safe for concurrent use.
type Service struct {
	store      Store
	embed      EmbedQuery
	log        *slog.Logger
	patience   time.Duration
	neighbours *neighbours
}

// New returns a Service. It loads nothing: vectors come with the first search that needs them.
func New(o Options) *Service {
	s := &Service{store: o.Store, embed: o.EmbedQuery, log: o.Log, patience: o.Patience}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.patience == 0 {
		s.patience = 5 * time.Second
	}
	s.neighbours = newNeighbours(o.Store, s.log)
	return s
}

// Query is what is asked for. Page counts from 1; 0 is 1.
type Query struct {
	Text string
	Page int
}

// Answer is a page of results and what stands behind it.
type Answer struct {
	Query   string   `json:"query"`
	Page    int      `json:"page"`
	Pages   int      `json:"pages"` // at most MaxPage
	Found   int      `json:"found"` // on all pages
	Results []Result `json:"results"`
	Words   Lexical  `json:"words"`
	Meaning Semantic `json:"meaning"`
	TookMS  int64    `json:"took_ms"`
}

// Lexical says what the search by words saw.
type Lexical struct {
	Found   int   `json:"found"`   // at most 200
	Waiting int64 `json:"waiting"` // descriptions whose words are not read yet, and that are not found by them
}

// Semantic says what the search by meaning saw.
type Semantic struct {
	Model     string `json:"model"`     // that the vectors are of
	Vectors   int64  `json:"vectors"`   // descriptions that have one
	Documents int64  `json:"documents"` // descriptions there are
	Found     int    `json:"found"`     // at most 200
	Missing   Reason `json:"missing,omitempty"`
	Detail    string `json:"detail,omitempty"` // a sentence on Missing
}

// Reason says why there is no search by meaning.
type Reason string

// The reasons.
const (
	NoEngine    Reason = "no_engine"    // none is set up
	NoVectors   Reason = "no_vectors"   // embedding has not run
	OtherModel  Reason = "other_model"  // the vectors are of another model than the one in force
	EngineFails Reason = "engine_fails" // the query could not be embedded
	Loading     Reason = "loading"      // the vectors are being read into memory
	Operators   Reason = "operators"    // quotes, minus and "or" ask for words
	Nothing     Reason = "nothing"      // the query has nothing that the model goes by
)

// Result is a description that was found.
type Result struct {
	DocumentID    int64  `json:"document_id"`
	DescriptionID string `json:"description_id"`
	ReferenceCode string `json:"reference_code"`
	Level         string `json:"level"`
	Date          string `json:"date"`
	Title         string `json:"title"`
	MarkedTitle   []Part `json:"marked_title"`
	Snippet       []Part `json:"snippet"`

	Rank    int     `json:"rank"`
	Score   float64 `json:"score"`   // of the fusion
	Words   *Place  `json:"words"`   // none: not found by words
	Meaning *Place  `json:"meaning"` // none: not found by meaning
}

// Place is where a description stands in one ranking.
type Place struct {
	Rank  int     `json:"rank"`
	Score float64 `json:"score"`
}

// Scored is a description with its score in one ranking.
type Scored struct {
	ID    int64
	Score float64
}

// Text is what is shown of a description.
type Text struct {
	DescriptionID, ReferenceCode, Level, Date, Title string
	Bodies                                           []string // the longer fields, the most telling first
}

// Search answers a query. It fails with Invalid when the query is too long or the page out of bounds, and with what the store fails with.
func (s *Service) Search(ctx context.Context, q Query) (Answer, error) {
	begin := time.Now()
	a := Answer{Query: cleaned(q.Text), Page: max(1, q.Page), Results: []Result{}}
	wrong := map[string]string{}
	if n := utf8.RuneCountInString(a.Query); n > MaxLength {
		wrong["q"] = fmt.Sprintf("q takes at most %d characters; this has %d", MaxLength, n)
	}
	if q.Page < 0 || q.Page > MaxPage {
		wrong["page"] = fmt.Sprintf("page takes a whole number from 1 to %d", MaxPage)
	}
	if len(wrong) > 0 {
		return a, &worker.Error{Kind: worker.Invalid, Msg: "The search was refused: " + strings.Join(slices.Sorted(maps.Values(wrong)), "; ") + ".", Fields: wrong}
	}
	if a.Query == "" {
		return a, nil
	}
	w := read(a.Query)
	var byWords, byMeaning []Scored
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		byWords, a.Words, err = s.lexical(inner, w)
		return err
	})
	group.Go(func() (err error) {
		byMeaning, a.Meaning, err = s.semantic(inner, w)
		return err
	})
	if err := group.Wait(); err != nil {
		return a, err
	}
	fused := fuse(byWords, byMeaning)
	a.Found = len(fused)
	a.Pages = (len(fused) + PageSize - 1) / PageSize
	first := min((a.Page-1)*PageSize, len(fused))
	var err error
	a.Results, err = s.present(ctx, w, fused[first:min(first+PageSize, len(fused))])
	a.TookMS = time.Since(begin).Milliseconds()
	return a, err
}

// indexedAtOnce is how many descriptions are read in one transaction.
const indexedAtOnce = 1000

// lexical searches by words. It first reads those of descriptions that changed, so that none which was committed before is missed; when
// that takes too long it says how many are.
func (s *Service) lexical(ctx context.Context, w Words) ([]Scored, Lexical, error) {
	var l Lexical
	for begin := time.Now(); ; {
		n, err := s.store.IndexWaiting(ctx, indexedAtOnce)
		if err != nil {
			return nil, l, err
		}
		if n == 0 {
			break
		}
		if time.Since(begin) > s.patience {
			if l.Waiting, err = s.store.CountWaiting(ctx); err != nil {
				return nil, l, err
			}
			break
		}
	}
	hits, err := s.store.FindWords(ctx, w, depth)
	l.Found = len(hits)
	return hits, l, err
}

// Keep reads the words of descriptions that changed every few seconds, so that searches find little to do, until ctx ends. The database may
// be away meanwhile.
func (s *Service) Keep(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for ctx.Err() == nil {
			n, err := s.store.IndexWaiting(ctx, indexedAtOnce)
			if err != nil {
				s.log.DebugContext(ctx, "words were not read", "err", err)
			}
			if err != nil || n == 0 {
				break
			}
		}
	}
}

// semantic searches by meaning. What is wrong with the engine or the vectors is no error: the answer says it.
func (s *Service) semantic(ctx context.Context, w Words) ([]Scored, Semantic, error) {
	var m Semantic
	var err error
	if m.Documents, err = s.store.CountSearchable(ctx); err != nil {
		return nil, m, err
	}
	if s.embed == nil {
		m.Missing, m.Detail = NoEngine, "No engine for embeddings is set up."
		return nil, m, nil
	}
	if w.Operators {
		m.Missing, m.Detail = Operators, "Quotes, a minus and \"or\" ask for words, so only words were looked for."
		return nil, m, nil
	}
	query, err := s.embedded(ctx, w.Typed, &m)
	if err != nil || m.Missing != "" {
		return nil, m, err
	}
	index, err := s.neighbours.fresh(ctx, m.Model, s.patience)
	if errors.Is(err, errLoading) {
		m.Missing, m.Detail = Loading, "The vectors are being read into memory; search again in a few seconds."
		return nil, m, nil
	}
	if err != nil {
		return nil, m, err
	}
	m.Vectors = int64(index.Len())
	if m.Vectors == 0 {
		return nil, m, s.explain(ctx, &m)
	}
	found, err := index.Search(ctx, query, depth, func(ctx context.Context, ids []int64) (map[int64][]float32, error) {
		return s.store.Vectors(ctx, m.Model, ids)
	})
	if err != nil {
		return nil, m, err
	}
	floor := standOut(m.Vectors, found.Mean, found.Deviation)
	var hits []Scored
	for _, h := range found.Hits {
		if h.Score >= floor {
			hits = append(hits, Scored{h.ID, h.Score})
		}
	}
	m.Found = len(hits)
	return hits, m, nil
}

// embedWithin bounds how long the engine may take. A model server may have to load its model first, which giving up would cancel.
const embedWithin = 30 * time.Second

// embedded turns the query into a vector, or notes why not.
func (s *Service) embedded(ctx context.Context, text string, m *Semantic) ([]float32, error) {
	within, cancel := context.WithTimeout(ctx, embedWithin)
	defer cancel()
	model, query, err := s.embed(within, text)
	m.Model = model
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		s.log.WarnContext(ctx, "the query was not embedded", "err", err, "model", model)
		m.Missing, m.Detail = EngineFails, sentence(err)
	case !slices.ContainsFunc(query, func(v float32) bool { return v != 0 }):
		m.Missing, m.Detail = Nothing, "The query has nothing that the model goes by."
	}
	return query, nil
}

// explain notes why there are no vectors of the model.
func (s *Service) explain(ctx context.Context, m *Semantic) error {
	other, err := s.store.OtherModel(ctx, m.Model)
	if err != nil {
		return err
	}
	m.Missing, m.Detail = NoVectors, "There are no vectors yet. Run embedding to make them."
	if other != "" {
		m.Missing, m.Detail = OtherModel, "The vectors there are come from "+other+", the model in force is "+m.Model+". Run embedding to make vectors of it."
	}
	return nil
}

// standOut is the least score of a neighbour worth showing. How near texts are on the whole differs from model to model, so a neighbour has
// to stand out from the collection: by two standard deviations, or half a one where there are too few vectors for many to be far out. Something
// is always the nearest; only this tells whether it is near.
func standOut(vectors int64, mean, deviation float64) float64 {
	const few, least = 100, 1e-6
	if vectors < few {
		return max(mean+deviation/2, least)
	}
	return max(mean+2*deviation, least)
}

// sentence is what may be said of an error of the engine.
func sentence(err error) string {
	if e, ok := errors.AsType[*worker.Error](err); ok {
		return e.Msg
	}
	return "The engine could not embed the query; the log has the details."
}

// cleaned is the query as one line of valid text.
func cleaned(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToValidUTF8(s, " "), "\x00", " ")), " ")
}
