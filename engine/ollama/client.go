package ollama

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"scrinalia/engine"
	"scrinalia/worker"

	"github.com/ollama/ollama/api"
)

// client speaks to one model of one server. All that could make the server load the model anew is fixed when it is built.
type client struct {
	api       *api.Client
	host      string // without credentials
	model     string
	options   map[string]any
	keepAlive *api.Duration
	think     *api.ThinkValue
	timeout   time.Duration // of one call
	context   int           // tokens, num_ctx
	answer    int           // tokens, num_predict; 0 for embeddings

	mu    sync.Mutex
	usage engine.Usage
}

func newClient(d engine.Description, env string) (*client, error) {
	u, err := address(d.Text(optHost), env)
	if err != nil {
		return nil, err
	}
	keep, err := keepAlive(d.Text(optKeepAlive))
	if err != nil {
		return nil, err
	}
	return &client{
		api:       api.NewClient(u, &http.Client{}),
		host:      withoutUser(u),
		model:     d.Text(optModel),
		options:   modelOptions(d),
		keepAlive: &api.Duration{Duration: keep},
		think:     thinkValue(d.Text(optThink)),
		timeout:   time.Duration(d.Number(optTimeout) * float64(time.Second)),
		context:   d.Int(optContext),
		answer:    d.Int(optPredict),
	}, nil
}

// modelOptions are the options of the model that go with every request of the run.
func modelOptions(d engine.Description) map[string]any {
	o := map[string]any{"num_ctx": d.Int(optContext)}
	if d.Axis != worker.Embeddings {
		o["temperature"] = d.Number(optTemperature)
		o["repeat_penalty"] = 1.0 // none: the default makes it hard to copy a name out of the text
		o["num_predict"] = d.Int(optPredict)
	}
	if d.Text(optDevice) == deviceCPU {
		o["num_gpu"] = 0
	}
	return o
}

func thinkValue(s string) *api.ThinkValue {
	switch s {
	case thinkFalse:
		return &api.ThinkValue{Value: false}
	case thinkTrue:
		return &api.ThinkValue{Value: true}
	case thinkUnset, "":
		return nil
	}
	return &api.ThinkValue{Value: s} // a level
}

// Usage returns what was counted since the engine was built.
func (c *client) Usage() engine.Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usage
}

func (c *client) count(add func(*engine.Usage)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	add(&c.usage)
}

func (c *client) chat(ctx context.Context, schema json.RawMessage, messages []api.Message) (api.ChatResponse, error) {
	var got api.ChatResponse
	no := false // neither stream, nor cut the prompt in silence, nor forget its beginning while answering
	req := &api.ChatRequest{
		Model: c.model, Messages: messages, Format: schema, Options: c.options, KeepAlive: c.keepAlive, Think: c.think,
		Stream: &no, Truncate: &no, Shift: &no,
	}
	err := c.limited(ctx, func(ctx context.Context) error {
		return c.api.Chat(ctx, req, func(r api.ChatResponse) error { got = r; return nil })
	})
	if err == nil && !got.Done && got.CreatedAt.IsZero() { // one with a date is Ollama's: errStopped
		err = c.nonsense(errUnfinished)
	}
	c.count(func(u *engine.Usage) {
		u.PromptTokens += int64(got.PromptEvalCount)
		u.AnswerTokens += int64(got.EvalCount)
		u.LoadTime += got.LoadDuration
		if got.DoneReason == doneLength {
			u.CutAnswers++
		}
	})
	return got, err
}

func (c *client) embed(ctx context.Context, texts []string) (*api.EmbedResponse, error) {
	var got *api.EmbedResponse
	no := false
	req := &api.EmbedRequest{Model: c.model, Input: texts, KeepAlive: c.keepAlive, Truncate: &no, Options: c.options}
	err := c.limited(ctx, func(ctx context.Context) (err error) {
		got, err = c.api.Embed(ctx, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	c.count(func(u *engine.Usage) {
		u.PromptTokens += int64(got.PromptEvalCount)
		u.LoadTime += got.LoadDuration
	})
	return got, nil
}

// limited makes one call within the time limit and says what its failure means.
func (c *client) limited(ctx context.Context, call func(context.Context) error) error {
	c.count(func(u *engine.Usage) { u.Calls++ })
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	err := call(within)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case within.Err() != nil:
		return c.timedOut(err)
	}
	return c.explain(err)
}
