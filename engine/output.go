package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const keptOutput = 2 << 10 // bytes

// OutputError is the error of one unit whose model answered nothing of use, also after it was asked again.
type OutputError struct {
	Reason string // what is wrong with the answer
	Output string // the first 2 KB of it
}

// NewOutputError keeps the first 2 KB of the output, cut between characters and made valid UTF-8.
func NewOutputError(reason, output string) *OutputError {
	if len(output) > keptOutput {
		end := keptOutput
		for end > keptOutput-utf8.UTFMax && !utf8.RuneStart(output[end]) {
			end--
		}
		output = output[:end]
	}
	return &OutputError{Reason: reason, Output: strings.ToValidUTF8(output, "�")}
}

// Error has the reason in its first line, so that failures of one kind can be grouped, and the output below it.
func (e *OutputError) Error() string {
	return fmt.Sprintf("invalid model output: %s\n%s", e.Reason, e.Output)
}
