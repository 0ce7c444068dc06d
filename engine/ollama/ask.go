package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"scrinalia/engine"
	"scrinalia/worker"

	"github.com/ollama/ollama/api"
)

// reserved is the number of tokens kept free for the chat template and for a second attempt.
const reserved = 320

// echoed is how much of a refused answer is shown to the model again, in bytes.
const echoed = 400

// halvings is how often a text is halved that the server finds too long.
const halvings = 3

const doneLength = "length" // done_reason of an answer that reached num_predict

// errStopped is the fault of an answer that is not done. Ollama ends an answer so, with HTTP 200, when the model writes one token more than
// thirty times in a row, or nothing but blanks: the text makes it do so, and would again.
var errStopped = errors.New("the server stopped the answer before its end, as it does when a model repeats itself")

// question is what a model is asked about one unit.
type question struct {
	system string          // what to do
	intro  string          // stands before the text
	text   string          // is cut when it does not fit
	schema json.RawMessage // of the answer
	tokens int             // that the server has read of it, in the attempt before
}

func (q question) messages() []api.Message {
	return []api.Message{{Role: "system", Content: q.system}, {Role: "user", Content: q.intro + q.text}}
}

// bytes is the length of the prompt.
func (q question) bytes() int { return len(q.system) + len(q.intro) + len(q.text) }

// ask puts the question, and once more if read refuses the answer. Read gets the answer as bare JSON and says in words what is
// wrong with it. An error that is no unit's (isUnit) concerns the server. Cut says that the text was not read to its end.
func ask(ctx context.Context, c *client, q question, read func(answer []byte) error) (cut bool, err error) {
	room := c.context - c.answer - reserved - estimate(q.system) - estimate(q.intro)
	if room <= 0 {
		return false, worker.Errorf(worker.Invalid, "num_ctx of %d tokens leaves no room for the text beside the question; raise it", c.context)
	}
	q.text, cut = fit(q.text, room)
	defer func() {
		if cut {
			c.count(func(u *engine.Usage) { u.Truncated++ })
		}
	}()
	answer, first, shorter, err := c.attempt(ctx, &q, nil, read)
	cut = cut || shorter
	if first == nil || err != nil {
		return cut, err
	}
	c.count(func(u *engine.Usage) { u.Repairs++ })
	answer, second, shorter, err := c.attempt(ctx, &q, complaint(answer, first), read)
	cut = cut || shorter
	if second == nil || err != nil {
		return cut, err
	}
	c.count(func(u *engine.Usage) { u.Invalid++ })
	return cut, engine.NewOutputError(second.Error(), answer)
}

// complaint shows the model its answer and what is wrong with it.
func complaint(answer string, wrong error) []api.Message {
	if len(answer) > echoed {
		answer = strings.ToValidUTF8(answer[:echoed], "")
	}
	return []api.Message{
		{Role: "assistant", Content: answer},
		{Role: "user", Content: "That answer cannot be used: " + oneLine(wrong.Error()) + ". Answer again, with nothing but one JSON object of the required form."},
	}
}

// attempt asks once. Wrong is what the answer was refused for; cut says that the text of q had to be, or was, cut.
func (c *client) attempt(ctx context.Context, q *question, more []api.Message, read func([]byte) error) (answer string, wrong error, cut bool, err error) {
	var resp api.ChatResponse
	for range halvings {
		resp, err = c.chat(ctx, q.schema, append(q.messages(), more...))
		refused, ok := errors.AsType[*refusedError](err)
		if !ok || !refused.tooLong || q.text == "" {
			break
		}
		q.text, cut = half(q.text), true
	}
	if err != nil {
		return "", nil, cut, err
	}
	tokens := resp.PromptEvalCount
	cut = cut || c.lost(tokens, q.bytes()) || tokens > 0 && tokens < q.tokens // a second attempt says more: less was read of it
	q.tokens = tokens
	answer = content(resp.Message)
	if err := read(bare(answer)); err != nil {
		switch {
		case !resp.Done:
			err = errStopped
		case resp.DoneReason == doneLength:
			err = fmt.Errorf("the answer was cut at num_predict, %d tokens", c.answer)
		}
		return answer, err, cut, nil
	}
	return answer, nil, cut, nil
}

// lost says whether the server read less than it was sent: as much as the window holds, or fewer tokens than so many bytes have.
func (c *client) lost(tokens, bytes int) bool {
	return tokens >= c.context || fewer(tokens, bytes)
}

// fewer says whether so few tokens cannot be all of so many bytes; servers that do not report tokens say 0.
func fewer(tokens, bytes int) bool { return tokens > 0 && tokens < bytes/longestToken }

// each asks about one item after the other. An error of the unit is left to the result, any other ends the call.
func each[I, R any](ctx context.Context, items []I, one func(context.Context, I) (R, error), fail func(*R, error)) ([]R, error) {
	results := make([]R, len(items))
	for i, item := range items {
		r, err := one(ctx, item)
		if err != nil && !isUnit(err) {
			return nil, err
		}
		if err != nil {
			fail(&r, err)
		}
		results[i] = r
	}
	return results, nil
}
