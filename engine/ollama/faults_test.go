package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"scrinalia/engine"
	"scrinalia/worker"
)

const noNames = `{"entities":[]}`

// What the server does, and the sentence about it: every one names host, model and a command.
var outages = []struct {
	name      string
	overrides map[string]any
	reply     reply
	want      string
}{
	{"model that was not pulled", map[string]any{"model": "llama3:8b"}, reply{}, "get it with `ollama pull llama3:8b`"},
	{"no Ollama at all", nil, reply{status: http.StatusNotFound, message: "404 page not found"}, "is this an Ollama server"},
	{"500", nil, reply{status: http.StatusInternalServerError, message: "llama runner\n process has terminated"}, "HTTP 500 (llama runner process has terminated)"},
	{"503", nil, reply{status: http.StatusServiceUnavailable, message: "server busy"}, "HTTP 503 (server busy)"},
	{"error page of a proxy", nil, reply{status: http.StatusBadGateway, raw: "<html>Bad Gateway</html>"}, "HTTP 502"},
	{"sign-in", nil, reply{status: http.StatusUnauthorized, message: "unauthorized"}, "`ollama signin`"},
	{"too many requests", nil, reply{status: http.StatusTooManyRequests, message: "slow down"}, "HTTP 429 (slow down)"},
	{"a model of another kind", nil, reply{status: http.StatusBadRequest, message: `"m" does not support this`}, "cannot do what it is asked for"},
	{"cut within the answer", nil, reply{content: noNames, vectors: `[[1,2,3]]`, cut: true}, "`ollama serve`"},
	{"garbage", nil, reply{raw: "\x00\x01 hello"}, "is no answer of Ollama"},
	{"another service's JSON", nil, reply{raw: `{"hello":1}`}, "`ollama serve`"},
	{"time-out", map[string]any{"timeout_seconds": 0.1}, reply{wait: true}, "no answer within 100ms; raise timeout_seconds"},
}

func checkOutage(t *testing.T, err error, host, want string) {
	t.Helper()
	e, ok := errors.AsType[*worker.Error](err)
	if !ok || e.Kind != worker.Unavailable {
		t.Fatalf("got %v, want Unavailable", err)
	}
	if !strings.Contains(e.Msg, want) || !strings.Contains(e.Msg, host) || !strings.Contains(e.Msg, "model ") || strings.Contains(e.Msg, "\n") {
		t.Errorf("got %q, want %q and %s in it", e.Msg, want, host)
	}
}

func TestOutageOfChat(t *testing.T) {
	t.Parallel()
	for _, tt := range outages {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, tt.reply)
			got, err := newNER(t, f, tt.overrides).Entities(t.Context(), []string{"Ana", "Rui"})
			checkOutage(t, err, f.URL, tt.want)
			if got != nil || len(f.seen()) != 1 {
				t.Errorf("got %v after %d requests, want nothing after one", got, len(f.seen()))
			}
		})
	}
}

func TestOutageOfEmbed(t *testing.T) {
	t.Parallel()
	for _, tt := range outages {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, tt.reply)
			_, err := newEmbedder(t, f, tt.overrides).Embed(t.Context(), []string{"Ana", "Rui"})
			if tt.name == "another service's JSON" {
				tt.want = "0 vectors for 2 texts"
			}
			checkOutage(t, err, f.URL, tt.want)
		})
	}
}

func TestOutageInTheMiddle(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: noNames}, reply{status: http.StatusInternalServerError})
	got, err := newNER(t, f, nil).Entities(t.Context(), []string{"Ana", "Rui", "Eva"})
	checkOutage(t, err, f.URL, "HTTP 500")
	if got != nil {
		t.Errorf("got %v beside the error", got)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{})
	n := newNER(t, f, nil)
	f.Close()
	_, err := n.Entities(t.Context(), []string{"Ana"})
	checkOutage(t, err, f.URL, "does not answer; start it with `ollama serve`")
}

func TestCancelAbortsTheCall(t *testing.T) {
	t.Parallel()
	errStop := errors.New("stopped by ana")
	calls := map[string]func(context.Context, *fake) error{
		"chat": func(ctx context.Context, f *fake) error {
			_, err := newNER(t, f, nil).Entities(ctx, []string{"Ana"})
			return err
		},
		"embed": func(ctx context.Context, f *fake) error {
			_, err := newEmbedder(t, f, nil).Embed(ctx, []string{"Ana"})
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, reply{wait: true})
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-f.asked
				cancel(errStop)
			}()
			if err := call(ctx, f); !errors.Is(err, errStop) || worker.KindOf(err) == worker.Unavailable {
				t.Errorf("got %v, want %v and no outage", err, errStop)
			}
			<-f.gone // the server saw the connection end
		})
	}
}

// What models answer to the text "Ana em Campinas", and what becomes of it; empty stands for accepted.
var nerAnswers = []struct{ name, content, thinking, want string }{
	{"fenced", "```json\n{\"entities\":[]}\n```", "", ""},
	{"fenced after a remark", "Here it is:\n```\n{\"entities\":[]}\n```\nGood luck!", "", ""},
	{"after its thoughts", "<think>Ana {or} not?</think>\n" + noNames, "", ""},
	{"in the field for thoughts", "  ", noNames, ""},
	{"an accepted name", `{"entities":[{"text":"ANA","type":"PER","confidence":1}]}`, "", ""},
	{"empty", "", "", "it is empty"},
	{"prose", "I found no names.", "", "not the JSON"},
	{"cut JSON", `{"entities":[{"text":"An`, "", "not the JSON"},
	{"two objects", noNames + noNames, "", "something follows"},
	{"thoughts without end", "<think>" + noNames, "", "not the JSON"},
	{"another object", `{"names":[]}`, "", `unknown field "names"`},
	{"no object", `{}`, "", `"entities" is missing`},
	{"null", `null`, "", `"entities" is missing`},
	{"a string for a list", `{"entities":"Ana"}`, "", `"entities" holds a string`},
	{"a name without type", `{"entities":[{"text":"Ana","confidence":1}]}`, "", `no "type"`},
	{"a type of its own", `{"entities":[{"text":"Ana","type":"PERSON","confidence":1}]}`, "", `"PERSON" is no type`},
	{"no confidence", `{"entities":[{"text":"Ana","type":"PER"}]}`, "", `"confidence" is missing`},
	{"confidence in per cent", `{"entities":[{"text":"Ana","type":"PER","confidence":95}]}`, "", "from 0 to 1"},
	{"negative confidence", `{"entities":[{"text":"Ana","type":"PER","confidence":-0.1}]}`, "", "from 0 to 1"},
	{"confidence NaN", `{"entities":[{"text":"Ana","type":"PER","confidence":NaN}]}`, "", "not the JSON"},
	{"confidence beyond numbers", `{"entities":[{"text":"Ana","type":"PER","confidence":1e999}]}`, "", "holds a number 1e999"},
	{"an invented name", `{"entities":[{"text":"Rui","type":"PER","confidence":1}]}`, "", `"Rui" is not in the text`},
	{"a part of a word", `{"entities":[{"text":"pinas","type":"LOC","confidence":1}]}`, "", `"pinas" is not in the text`},
	{"an empty name", `{"entities":[{"text":" ","type":"LOC","confidence":1}]}`, "", "is not in the text"},
}

func TestAnswersAreValidated(t *testing.T) {
	t.Parallel()
	for _, tt := range nerAnswers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, reply{content: tt.content, thinking: tt.thinking})
			n := newNER(t, f, nil)
			got, err := n.Entities(t.Context(), []string{"Ana em Campinas"})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if got[0].Err != nil || len(f.seen()) != 1 {
					t.Errorf("got %v after %d requests, want it accepted", got[0].Err, len(f.seen()))
				}
				return
			}
			wrong, ok := errors.AsType[*engine.OutputError](got[0].Err)
			if !ok || !strings.Contains(wrong.Reason, tt.want) || wrong.Output != tt.content || got[0].Entities != nil {
				t.Errorf("got %#v, want the reason %q", got[0], tt.want)
			}
			if u := engine.UsageOf(n); len(f.seen()) != 2 || u.Repairs != 1 || u.Invalid != 1 {
				t.Errorf("%d requests, counted %v, want one repair", len(f.seen()), u)
			}
		})
	}
}

func TestOneUnitFailsAlone(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: "?"}, reply{content: strings.Repeat("x", 3000)}, reply{content: noNames},
		reply{status: http.StatusBadRequest, message: "invalid input"}, reply{content: noNames})
	got, err := newNER(t, f, nil).Entities(t.Context(), []string{"Ana", "Rui", "Eva", "Lia"})
	if err != nil {
		t.Fatal(err)
	}
	if wrong, ok := errors.AsType[*engine.OutputError](got[0].Err); !ok || len(wrong.Output) != 2048 {
		t.Errorf("first: %v, want the first 2 KB of the output", got[0].Err)
	}
	if m := message(got[2].Err); got[1].Err != nil || got[3].Err != nil || m != "Ollama refused the text: invalid input" {
		t.Errorf("got %v", got)
	}
}

// Ollama stops a model that repeats itself: HTTP 200, and not done. That is the fault of one unit, and none at all when the JSON was complete.
func TestAnswerThatTheServerStopped(t *testing.T) {
	t.Parallel()
	stopped := func(content string) reply {
		raw, _ := json.Marshal(content)
		return reply{raw: `{"model":"m","created_at":"2026-11-30T08:00:00Z","message":{"role":"assistant","content":` + string(raw) + `},"done":false}`}
	}
	loop := `{"entities":[{"text":"` + strings.Repeat("a", 31)
	f := serve(t, stopped(loop), stopped(loop), stopped(noNames+strings.Repeat("\n", 31)), reply{content: noNames})
	got, err := newNER(t, f, nil).Entities(t.Context(), []string{"Ana", "Rui", "Eva"})
	if err != nil {
		t.Fatal(err)
	}
	wrong, ok := errors.AsType[*engine.OutputError](got[0].Err)
	if !ok || !strings.Contains(wrong.Reason, "repeats itself") || wrong.Output != loop || got[1].Err != nil || got[2].Err != nil {
		t.Errorf("got %v after %d requests", got, len(f.seen()))
	}
}

func TestRepairedAnswer(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: `{"label":"Foto","confidence":1}`}, reply{content: `{"label":"Fotografia","confidence":1}`})
	got, err := newClassifier(t, f, nil).Classify(t.Context(), []string{"Retrato"}, []string{"Fotografia"})
	if err != nil || got[0].Err != nil || got[0].Label != "Fotografia" {
		t.Fatalf("got %v, %v", got, err)
	}
	sent := f.seen()[1]["messages"].([]any)
	echo, complaint := sent[2].(map[string]any), sent[3].(map[string]any)
	if echo["role"] != "assistant" || echo["content"] != `{"label":"Foto","confidence":1}` || !strings.Contains(complaint["content"].(string), `"Foto" is none of the labels`) {
		t.Errorf("the second attempt sent %v", sent)
	}
}

func TestOtherAxesValidate(t *testing.T) {
	t.Parallel()
	ruling := func(f *fake) error {
		got, err := newJudge(t, f).Judge(t.Context(), []engine.Pair{{Tag: "a", Entity: "A"}})
		return errors.Join(err, got[0].Err)
	}
	verdict := func(f *fake) error {
		got, err := newTitleChecker(t, f).Check(t.Context(), []string{"Ata"})
		return errors.Join(err, got[0].Err)
	}
	choice := func(f *fake) error {
		got, err := newClassifier(t, f, nil).Classify(t.Context(), []string{"x"}, []string{"A"})
		return errors.Join(err, got[0].Err)
	}
	tests := []struct {
		name, content, want string
		call                func(*fake) error
	}{
		{"winner", `{"winner":"BOTH","confidence":1,"reason":"x"}`, "TAG or ENTITY", ruling},
		{"winner missing", `{"confidence":1,"reason":"x"}`, "missing", ruling},
		{"reason missing", `{"winner":"TAG","confidence":1}`, "missing", ruling},
		{"confidence of a ruling", `{"winner":"TAG","confidence":1.01,"reason":"x"}`, "from 0 to 1", ruling},
		{"suspect missing", `{"confidence":1,"reason":"x"}`, "missing", verdict},
		{"suspect in words", `{"suspect":"yes","confidence":1,"reason":"x"}`, `"suspect" holds a string`, verdict},
		{"suspect without reason", `{"suspect":true,"confidence":1,"reason":" "}`, `needs a "reason"`, verdict},
		{"confidence of a verdict", `{"suspect":true,"confidence":-1,"reason":"x"}`, "from 0 to 1", verdict},
		{"label that was not offered", `{"label":"a","confidence":1}`, "none of the labels", choice},
		{"label missing", `{"confidence":1}`, "missing", choice},
		{"confidence of a label", `{"label":"A","confidence":2}`, "from 0 to 1", choice},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.call(serve(t, reply{content: tt.content}))
			if wrong, ok := errors.AsType[*engine.OutputError](err); !ok || !strings.Contains(wrong.Reason, tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}
