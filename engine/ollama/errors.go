package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"scrinalia/engine"
	"scrinalia/worker"

	"github.com/ollama/ollama/api"
)

var errUnfinished = errors.New("the answer ends before it is complete")

// refusedError is the server's 400: this text cannot be read. It concerns the unit alone.
type refusedError struct {
	message string
	tooLong bool
}

func (e *refusedError) Error() string { return "Ollama refused the text: " + e.message }

// isUnit says whether the error concerns one unit and not the server.
func isUnit(err error) bool {
	_, refused := errors.AsType[*refusedError](err)
	_, output := errors.AsType[*engine.OutputError](err)
	return refused || output
}

func (c *client) unavailable(cause error, format string, args ...any) error {
	said := fmt.Sprintf(format, args...)
	return &worker.Error{Kind: worker.Unavailable, Msg: fmt.Sprintf("Ollama at %s, model %s: %s", c.host, c.model, said), Err: cause}
}

// explain turns an error of the API into a sentence that says what to do.
func (c *client) explain(err error) error {
	if status, ok := errors.AsType[api.StatusError](err); ok {
		return c.explainStatus(status)
	}
	if auth, ok := errors.AsType[api.AuthorizationError](err); ok {
		return c.unavailable(auth, "the server wants to know who asks; sign in with `ollama signin`, or put user name and password into OLLAMA_HOST.")
	}
	if failed, ok := errors.AsType[*url.Error](err); ok { // its text holds the address with the user name
		return c.unavailable(failed.Err, "the server does not answer; start it with `ollama serve`.")
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && strings.HasPrefix(wrong.Field, "embeddings") {
		return engine.NewOutputError("a vector holds "+wrong.Value+", which is no number of 32 bits", "")
	}
	return c.nonsense(err)
}

func (c *client) explainStatus(err api.StatusError) error {
	said := err.ErrorMessage
	lower := strings.ToLower(said)
	switch {
	case err.StatusCode == http.StatusNotFound && !strings.Contains(lower, "page not found"):
		return c.unavailable(err, "the server does not have this model; get it with `ollama pull %s`.", c.model)
	case strings.Contains(lower, "does not support"):
		return c.unavailable(err, "the model cannot do what it is asked for (%s); choose another one.", oneLine(said))
	case strings.Contains(lower, "context length"):
		return &refusedError{oneLine(said), true}
	case err.StatusCode == http.StatusBadRequest:
		return &refusedError{oneLine(said), false}
	case strings.Contains(lower, "unsupported value"): // Ollama failed to encode NaN or infinity
		return engine.NewOutputError("the server could not write the vector", said)
	case err.StatusCode >= http.StatusInternalServerError:
		return c.unavailable(err, "the server failed with HTTP %d (%s); its log says why, and `ollama serve` starts it again.", err.StatusCode, oneLine(said))
	}
	return c.unavailable(err, "HTTP %d (%s); is this an Ollama server? One is started with `ollama serve`.", err.StatusCode, oneLine(said))
}

func (c *client) timedOut(cause error) error {
	if failed, ok := errors.AsType[*url.Error](cause); ok {
		cause = failed.Err
	}
	return c.unavailable(cause, "no answer within %s; raise timeout_seconds, or load the model beforehand with `ollama run %s \"\"`.", c.timeout, c.model)
}

func (c *client) nonsense(cause error) error {
	return c.unavailable(cause, "what came back is no answer of Ollama, or only a part of one; `ollama serve` starts the server again, and the host may be another service.")
}

const lineLimit = 200 // characters

// oneLine makes a foreign text fit for a sentence.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
	if r := []rune(s); len(r) > lineLimit {
		return string(r[:lineLimit-1]) + "…"
	}
	return s
}
