package ollama_test

import (
	"net/http"
	"strings"
	"testing"

	"scrinalia/engine"
	"scrinalia/worker"
)

func sentText(req map[string]any) string {
	m := req["messages"].([]any)[1].(map[string]any)
	return m["content"].(string)
}

func TestTruncatedInputIsCounted(t *testing.T) {
	t.Parallel()
	const words = "Escritura de compra e venda do sítio, com 3 anexos. "
	long := strings.Repeat(words, 400)
	tooLong := reply{status: http.StatusBadRequest, message: "prompt is longer than the context length"}
	tests := []struct {
		name    string
		text    string
		replies []reply
		want    bool
		calls   int
	}{
		{"fits", words, []reply{{content: noNames}}, false, 1},
		{"too long by estimate: cut before it is sent", long, []reply{{content: noNames}}, true, 1},
		{"the window was full", words, []reply{{content: noNames, tokens: 4096}}, true, 1},
		{"fewer tokens than were sent", long[:6000], []reply{{content: noNames, tokens: 100}}, true, 1},
		{"the server says so: halved", long[:6000], []reply{tooLong, {content: noNames}}, true, 2},
		{"in the second attempt, without the first question", words, []reply{{content: "?", tokens: 900}, {content: noNames, tokens: 700}}, true, 2},
		{"in the second attempt", words, []reply{{content: "?"}, {content: noNames, tokens: 4096}}, true, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, tt.replies...)
			n := newNER(t, f, nil)
			got, err := n.Entities(t.Context(), []string{tt.text})
			if err != nil || got[0].Err != nil {
				t.Fatalf("got %v, %v", got, err)
			}
			if got[0].Truncated != tt.want || (engine.UsageOf(n).Truncated == 1) != tt.want || len(f.seen()) != tt.calls {
				t.Errorf("truncated %t, counted %d after %d calls", got[0].Truncated, engine.UsageOf(n).Truncated, len(f.seen()))
			}
			if sent := sentText(f.seen()[tt.calls-1]); tt.want && !strings.HasPrefix("Text:\n"+tt.text, sent) {
				t.Errorf("sent %q, want the beginning of the text", sent)
			}
		})
	}
}

func TestTextThatNeverFits(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{status: http.StatusBadRequest, message: "prompt is longer than the context length"})
	got, err := newNER(t, f, nil).Entities(t.Context(), []string{strings.Repeat("Ana ", 99)})
	if err != nil || !strings.Contains(message(got[0].Err), "context length") || !got[0].Truncated {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestNoRoomForTheText(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{})
	labels := []string{strings.Repeat("rótulo ", 900)}
	_, err := newClassifier(t, f, map[string]any{"num_ctx": 1024}).Classify(t.Context(), []string{"x"}, labels)
	if worker.KindOf(err) != worker.Invalid || len(f.seen()) != 0 {
		t.Errorf("got %v after %d requests, want Invalid and none", err, len(f.seen()))
	}
}

func TestCutAnswerSaysSo(t *testing.T) {
	t.Parallel()
	f := serve(t, reply{content: `{"entities":[{"text":"Ana`, done: "length"})
	got, err := newNER(t, f, nil).Entities(t.Context(), []string{"Ana"})
	if err != nil || !strings.Contains(message(got[0].Err), "cut at num_predict, 1024 tokens") {
		t.Errorf("got %v, %v", got, err)
	}
}

// A text in which every sign is a token of its own, and one whose cut would fall into a character.
func TestDenseTextIsCutShort(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"digits": strings.Repeat("0123456789", 900), "signs": strings.Repeat("§°", 3000), "no letters of an alphabet": strings.Repeat("記録", 3000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, reply{content: noNames})
			got, err := newNER(t, f, nil).Entities(t.Context(), []string{text})
			sent := strings.TrimPrefix(sentText(f.seen()[0]), "Text:\n")
			if err != nil || !got[0].Truncated || len([]rune(sent)) > 4096-1024 || !strings.HasPrefix(text, sent) {
				t.Errorf("sent %d characters; %v, %v", len([]rune(sent)), got[0].Truncated, err)
			}
		})
	}
}
