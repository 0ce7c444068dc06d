package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ollama/ollama/api"
)

// content is the answer; some models leave it in the field for thoughts.
func content(m api.Message) string {
	if strings.TrimSpace(m.Content) == "" {
		return m.Thinking
	}
	return m.Content
}

// bare is the answer without thoughts and without the fences of a code block.
func bare(answer string) []byte {
	const thoughts, fence = "</think>", "```"
	if i := strings.LastIndex(answer, thoughts); i >= 0 {
		answer = answer[i+len(thoughts):]
	}
	if _, block, ok := strings.Cut(answer, fence); ok {
		block, _, _ = strings.Cut(block, fence)
		answer = strings.TrimPrefix(strings.TrimSpace(block), "json")
	}
	return []byte(strings.TrimSpace(answer))
}

// decode reads one JSON object without unknown fields.
func decode(answer []byte, into any) error {
	if len(answer) == 0 {
		return errors.New("it is empty")
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("%q holds a %s", wrong.Field, wrong.Value)
		}
		return fmt.Errorf("it is not the JSON that was asked for (%s)", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}

// confidence checks a confidence, nil when the answer has none.
func confidence(f *float64) error {
	if f == nil {
		return errors.New(`"confidence" is missing`)
	}
	if math.IsNaN(*f) || *f < 0 || *f > 1 {
		return fmt.Errorf(`"confidence" is %v and has to be from 0 to 1`, *f)
	}
	return nil
}

// property is a field of an answer.
type property struct {
	name   string
	schema any
}

// object is the schema of a JSON object with exactly these properties. Servers make the model write them in this order, which
// therefore is the order that the question shows, what was found before how sure the model is of it.
func object(properties ...property) json.RawMessage {
	var ordered bytes.Buffer
	required := make([]string, len(properties))
	for i, p := range properties {
		if i > 0 {
			ordered.WriteByte(',')
		}
		required[i] = p.name
		ordered.Write(encoded(p.name))
		ordered.WriteByte(':')
		ordered.Write(encoded(p.schema))
	}
	return encoded(map[string]any{
		"type": "object", "properties": json.RawMessage("{" + ordered.String() + "}"), "required": required, "additionalProperties": false,
	})
}

func encoded(schema any) json.RawMessage {
	raw, err := json.Marshal(schema) // keys of maps are sorted, so that equal schemas are equal bytes
	if err != nil {
		panic("ollama: a schema cannot be encoded: " + err.Error())
	}
	return raw
}

var (
	confidenceSchema = map[string]any{"type": "number", "minimum": 0, "maximum": 1}
	reasonSchema     = map[string]any{"type": "string", "maxLength": lineLimit}
)
