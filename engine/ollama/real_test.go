//go:build ollama && unix

package ollama_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"scrinalia/engine"
	"scrinalia/engine/all"
	"scrinalia/engine/ollama"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
)

const dimensions = 384

var (
	errNotInText  = &engine.OutputError{Reason: `the name "Ana" is not in the text`, Output: `{"entities":[{"text":"Ana","type":"PER","confidence":0.9}]}`}
	outputErrors  = cmp.Comparer(func(a, b error) bool { return message(a) == message(b) })
	errUserLeaves = errors.New("stopped by ana")
)

// Every adapter, described and built as the program does it, against a real server. What tiny-chat answers is known: the name Ana, the label
// that begins with A, the first kind, 0.9.
func TestRealServer(t *testing.T) {
	s := startOllama(t)
	version, err := s.client.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("Ollama %s at %s", version, s.host)
	for _, tt := range []struct {
		name string
		test func(*testing.T, *realServer)
	}{
		{"entities", realEntities},
		{"classification", realClassification},
		{"judge", realJudge},
		{"title quality", realTitles},
		{"embeddings", realEmbeddings},
		{"long texts for chat", realLongChat},
		{"long texts for embedding", realLongEmbedding},
		{"answers without end", realBabble},
		{"names of models", realNames},
		{"model that is not there", realMissing},
		{"model of another kind", realWrongKind},
		{"no reload between units", realNoReload},
		{"several at once", realSeveral},
		{"cancel", realCancel},
		{"server that stops half-way", realStop}, // the last: it ends the server
	} {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			tt.test(t, s)
			t.Logf("%.2f s", time.Since(began).Seconds())
		})
	}
}

// described is the description of an axis as a run has it whose options name the model.
func described(t *testing.T, s *realServer, axis worker.Axis, model string, more ...any) (*engine.Registry, engine.Description) {
	t.Helper()
	values := map[string]any{"model": model}
	for pair := range slices.Chunk(more, 2) {
		values[pair[0].(string)] = pair[1]
	}
	r := engine.NewRegistry(all.Registrations(s.host)...)
	d, err := r.Describe(axis, ollama.Name, "", values)
	if err != nil {
		t.Fatal(err)
	}
	return r, d
}

func realNER(t *testing.T, s *realServer, model string, more ...any) engine.NER {
	t.Helper()
	r, d := described(t, s, worker.NER, model, more...)
	return must(r.NewNER(d))(t)
}

func realEmbedder(t *testing.T, s *realServer, model string) engine.Embedder {
	t.Helper()
	r, d := described(t, s, worker.Embeddings, model)
	return must(r.NewEmbedder(d))(t)
}

// must ends the test when there is an error beside the value.
func must[V any](v V, err error) func(*testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// twice wants the same results from two calls, the wanted ones.
func twice[R any](t *testing.T, want []R, call func() ([]R, error)) {
	t.Helper()
	for range 2 {
		if diff := cmp.Diff(want, must(call())(t), outputErrors); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func usage(t *testing.T, e any) engine.Usage {
	t.Helper()
	u := engine.UsageOf(e)
	t.Logf("usage: %+v", u)
	return u
}

func realEntities(t *testing.T, s *realServer) {
	e := realNER(t, s, chatModel)
	ana := engine.Found{Entities: []engine.Entity{{Name: "ANA", Type: engine.Person, Score: 0.9}}}
	twice(t, []engine.Found{ana, {}, {Err: errNotInText}, ana}, func() ([]engine.Found, error) {
		return e.Entities(t.Context(), []string{"Carta de ANA a Rui", " ", "Ata da 3ª sessão – São Paulo, “Câmara”", "ANA? Ana!"})
	})
	if u := usage(t, e); u.Calls != 8 || u.Repairs != 2 || u.Invalid != 2 || u.Truncated != 0 || u.PromptTokens == 0 || u.AnswerTokens == 0 {
		t.Errorf("counted %+v", u)
	}
}

func realClassification(t *testing.T, s *realServer) {
	r, d := described(t, s, worker.Classification, chatModel)
	e := must(r.NewClassifier(d))(t)
	labels := []string{"Fotografia", "Ata de Reunião", "Planta & Mapa"}
	ata := engine.Choice{Label: "Ata de Reunião", Score: 0.9}
	twice(t, []engine.Choice{ata, {}, ata}, func() ([]engine.Choice, error) {
		return e.Classify(t.Context(), []string{"Reunião da câmara", "", "Retrato"}, labels)
	})
	few := must(e.Classify(t.Context(), []string{"Retrato"}, labels[2:]))(t)
	if few[0].Err != nil || few[0].Label != labels[2] && few[0].Label != "" {
		t.Errorf("of one label: %+v", few)
	}
	usage(t, e)
}

func realJudge(t *testing.T, s *realServer) {
	r, d := described(t, s, worker.LLMs, chatModel)
	e := must(r.NewJudge(d))(t)
	ruling := engine.Ruling{Winner: engine.EntityWins, Confidence: 0.9, Reason: "Ana"}
	twice(t, []engine.Ruling{ruling, ruling}, func() ([]engine.Ruling, error) {
		return e.Judge(t.Context(), []engine.Pair{{Tag: "cambuí", Entity: "Cambuí", EntityType: engine.Place}, {Tag: "ata", Entity: "ATA"}})
	})
	usage(t, e)
}

func realTitles(t *testing.T, s *realServer) {
	r, d := described(t, s, worker.TitleQuality, chatModel)
	e := must(r.NewTitleChecker(d))(t)
	suspect := engine.TitleVerdict{Suspect: true, Confidence: 0.9, Reason: "Ana"}
	twice(t, []engine.TitleVerdict{suspect, {}, suspect}, func() ([]engine.TitleVerdict, error) {
		return e.Check(t.Context(), []string{"IMG_0001.tif", "", "Ata"})
	})
	usage(t, e)
}

func realEmbeddings(t *testing.T, s *realServer) {
	e := realEmbedder(t, s, embedModel)
	texts := []string{"planta do mercado", "", "market map", "planta do mercado", "carta"}
	for i := range 40 { // more than one call
		texts = append(texts, "ata "+strings.Repeat("x", i))
	}
	first, again := must(e.Embed(t.Context(), texts))(t), must(e.Embed(t.Context(), texts))(t)
	if diff := cmp.Diff(first, again, outputErrors); diff != "" {
		t.Errorf("two calls differ: -first +second:\n%s", diff)
	}
	for i, v := range first {
		if texts[i] == "" {
			if v.Err == nil || v.Values != nil {
				t.Errorf("the empty text has %+v", v)
			}
			continue
		}
		if v.Err != nil || v.Truncated || len(v.Values) != dimensions || math.Abs(cosine(v.Values, v.Values)-1) > 1e-3 {
			t.Errorf("%q: %d values, %v", texts[i], len(v.Values), v.Err)
		}
		alone := must(e.Embed(t.Context(), texts[i:i+1]))(t)
		if cosine(v.Values, alone[0].Values) < 0.9999 {
			t.Errorf("%q has another vector in a batch than alone", texts[i])
		}
	}
	if near, far := cosine(first[0].Values, first[3].Values), cosine(first[0].Values, first[4].Values); near < 0.9999 || far > 0.9 {
		t.Errorf("the same text is at %f, another at %f", near, far)
	}
	usage(t, e)
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// The tokens of tiny-chat are characters, three times as many as a text is reckoned to have. (A text that fits the window alone, but not with
// the question, is beyond the adapters on a server that does not know "truncate": it leaves out the question and tells nobody.)
func realLongChat(t *testing.T, s *realServer) {
	e := realNER(t, s, chatModel, "num_ctx", 2048, "num_predict", 512)
	const words = "Ana vende o sítio. "
	got := must(e.Entities(t.Context(), []string{
		strings.Repeat(words, 20),  // fits
		strings.Repeat(words, 115), // is reckoned to fit, and does not: only the server knows
		strings.Repeat(words, 400), // is reckoned not to fit
	}))(t)
	for i, truncated := range []bool{false, true, true} {
		if got[i].Truncated != truncated {
			t.Errorf("text %d: %+v, want truncated %t", i, got[i], truncated)
		}
	}
	if u := usage(t, e); u.Truncated != 2 {
		t.Errorf("counted %+v, want 2 truncated", u)
	}
}

// The tokens of tiny-embed are whole words that it knows, else letters.
func realLongEmbedding(t *testing.T, s *realServer) {
	e := realEmbedder(t, s, embedModel)
	texts := []string{
		"ata",
		strings.Repeat("carta ", 250), // reckoned to have 500 tokens: it fits
		strings.Repeat("vende ", 250), // the same, and has 1250
		strings.Repeat("sítio. ", 3000),
		strings.Repeat("z", 100000),
		"mercado",
	}
	for i, n := range []int{509, 510, 511, 512, 513} { // about the window
		texts = append(texts, strings.TrimSpace(strings.Repeat("z ", n)))
		if i%2 == 0 {
			texts = append(texts, "planta")
		}
	}
	vectors := must(e.Embed(t.Context(), texts))(t)
	n := 0
	for i, v := range vectors {
		if v.Err != nil || len(v.Values) != dimensions {
			t.Errorf("text %d: %d values, %v", i, len(v.Values), v.Err)
		}
		if v.Truncated {
			n++
		}
	}
	if !vectors[2].Truncated || !vectors[3].Truncated || !vectors[4].Truncated || vectors[0].Truncated || vectors[1].Truncated || vectors[5].Truncated {
		t.Errorf("%d vectors are truncated, not those of the long texts", n)
	}
	if u := usage(t, e); u.Truncated != int64(n) {
		t.Errorf("counted %+v, want %d truncated", u, n)
	}
}

func realBabble(t *testing.T, s *realServer) {
	e := realNER(t, s, babbleModel, "num_predict", 200)
	got := must(e.Entities(t.Context(), []string{"Ana"}))(t)
	wrong, ok := errors.AsType[*engine.OutputError](got[0].Err)
	if !ok || !strings.Contains(wrong.Reason, "cut at num_predict, 200 tokens") || !strings.HasPrefix(wrong.Output, `{"entities":[{"text":"Anabab`) {
		t.Errorf("got %+v", got)
	}
	if u := usage(t, e); u.CutAnswers != 2 || u.Repairs != 1 || u.Invalid != 1 {
		t.Errorf("counted %+v", u)
	}
	r, d := described(t, s, worker.LLMs, babbleModel)
	ruling := must(must(r.NewJudge(d))(t).Judge(t.Context(), []engine.Pair{{Tag: "ata", Entity: "Ata"}}))(t)
	if n := len(ruling[0].Reason); ruling[0].Err != nil || n != 200 {
		t.Errorf("a reason of %d letters, want the schema's 200: %+v", n, ruling)
	}
	got = must(realNER(t, s, loopModel).Entities(t.Context(), []string{"Ana"}))(t)
	if wrong, ok = errors.AsType[*engine.OutputError](got[0].Err); !ok || !strings.Contains(wrong.Reason, "repeats itself") {
		t.Errorf("got %+v", got)
	}
}

func realNames(t *testing.T, s *realServer) {
	listed := must(s.client.List(t.Context()))(t)
	for _, name := range []string{chatModel, embedModel} {
		if n := len(listed.Models); n != len(models()) {
			t.Fatalf("the server has %d models", n)
		}
		if !slices.ContainsFunc(listed.Models, func(m api.ListModelResponse) bool { return ollama.SameModel(m.Name, name) }) {
			t.Errorf("%s is none of %+v", name, listed.Models)
		}
	}
	bare, tagged := realEmbedder(t, s, embedModel), realEmbedder(t, s, embedModel+":latest")
	if diff := cmp.Diff(must(bare.Embed(t.Context(), []string{"ata"}))(t), must(tagged.Embed(t.Context(), []string{"ata"}))(t)); diff != "" {
		t.Errorf("-bare +tagged:\n%s", diff)
	}
}

func realMissing(t *testing.T, s *realServer) {
	const name = "llama-of-nobody:3b"
	_, err := realNER(t, s, name).Entities(t.Context(), []string{"Ana"})
	checkOutage(t, err, s.host, "`ollama pull "+name+"`")
	_, err = realEmbedder(t, s, name).Embed(t.Context(), []string{"Ana"})
	checkOutage(t, err, s.host, "`ollama pull "+name+"`")
}

func realWrongKind(t *testing.T, s *realServer) {
	_, err := realNER(t, s, embedModel).Entities(t.Context(), []string{"Ana"})
	checkOutage(t, err, s.host, "")
	t.Log(err)
}

// What loading takes is far more than what the server needs to find out that the model is there.
func realNoReload(t *testing.T, s *realServer) {
	e := realNER(t, s, chatModel, "num_ctx", 3000) // loads it
	unit := func() time.Duration {
		must(e.Entities(t.Context(), []string{"Ana"}))(t)
		return engine.UsageOf(e).LoadTime
	}
	loaded := unit()
	for range 10 {
		unit()
	}
	more := engine.UsageOf(e).LoadTime - loaded
	t.Logf("the first unit spent %s with loading, the ten after it %s", loaded, more)
	if more > loaded/2 {
		t.Errorf("the model was loaded again")
	}
	// The other axes ask with the same options.
	running := must(s.client.ListRunning(t.Context()))(t)
	if !slices.ContainsFunc(running.Models, func(m api.ProcessModelResponse) bool {
		return ollama.SameModel(m.Name, chatModel) && time.Until(m.ExpiresAt) > 9*time.Minute
	}) {
		t.Errorf("%s is not kept for ten minutes: %+v", chatModel, running.Models)
	}
}

func realSeveral(t *testing.T, s *realServer) {
	e := realNER(t, s, chatModel)
	type outcome struct {
		found []engine.Found
		err   error
	}
	outcomes := make(chan outcome)
	for range 4 {
		go func() {
			found, err := e.Entities(t.Context(), []string{"Ana", "Rui", "Ana"})
			outcomes <- outcome{found, err}
		}()
	}
	ana := engine.Found{Entities: []engine.Entity{{Name: "Ana", Type: engine.Person, Score: 0.9}}}
	want := []engine.Found{ana, {Err: errNotInText}, ana}
	for range 4 {
		o := <-outcomes
		if diff := cmp.Diff(want, o.found, outputErrors); diff != "" || o.err != nil {
			t.Errorf("%v, -want +got:\n%s", o.err, diff)
		}
	}
}

// underWay asks for three answers and returns when the call of that number is on its way.
func underWay(t *testing.T, ctx context.Context, e engine.NER, call int64) (ended <-chan error) {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		found, err := e.Entities(ctx, []string{"Ana", "Ana", "Ana"})
		if found != nil {
			err = errors.Join(err, errors.New("there are results beside the error"))
		}
		failed <- err
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for engine.UsageOf(e).Calls < call {
		select {
		case <-tick.C:
		case err := <-failed:
			t.Fatalf("it ended before its time: %v", err)
		}
	}
	return failed
}

func realCancel(t *testing.T, s *realServer) {
	short, long := realNER(t, s, babbleModel, "num_predict", 32, "num_ctx", 16000), realNER(t, s, babbleModel, "num_predict", 8000, "num_ctx", 16000)
	must(short.Entities(t.Context(), []string{"Ana"}))(t) // loads the model
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := underWay(t, ctx, long, 1)
	<-time.After(500 * time.Millisecond) // the server does not tell when it has begun to write
	began := time.Now()
	cancel(errUserLeaves)
	if err := <-ended; !errors.Is(err, errUserLeaves) || worker.KindOf(err) == worker.Unavailable {
		t.Errorf("got %v, want %v", err, errUserLeaves)
	}
	left := time.Since(began)
	must(short.Entities(t.Context(), []string{"Ana"}))(t)
	free := time.Since(began)
	t.Logf("left after %s; the server had done another unit after %s", left, free)
	if left > 2*time.Second || engine.UsageOf(long).Calls != 1 {
		t.Errorf("left after %s and %d calls", left, engine.UsageOf(long).Calls)
	}
}

func realStop(t *testing.T, s *realServer) {
	e := realNER(t, s, babbleModel, "num_predict", 500)
	ended := underWay(t, t.Context(), e, 4) // the second unit's second
	s.kill()
	err := <-ended
	checkOutage(t, err, s.host, "`ollama serve`")
	t.Log(err)
	_, err = e.Entities(t.Context(), []string{"Ana"})
	checkOutage(t, err, s.host, "does not answer; start it with `ollama serve`")
	_, err = realEmbedder(t, s, embedModel).Embed(t.Context(), []string{"Ana"})
	checkOutage(t, err, s.host, "does not answer; start it with `ollama serve`")
}
