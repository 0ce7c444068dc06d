package judge

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"scrinalia/engine"
)

// Labelled is an example: a pair, and the side that should keep the name.
type Labelled struct {
	Pair   engine.Pair
	Winner engine.Winner
}

// ReadLabelled reads examples, one a line: tag, entity, type of the entity, winner, with tabs between.
func ReadLabelled(r io.Reader) ([]Labelled, error) {
	var out []Labelled
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		c := strings.Split(lines.Text(), "\t")
		if len(c) != 4 {
			return nil, fmt.Errorf("line %d: %d columns, not 4", len(out)+1, len(c))
		}
		l := Labelled{engine.Pair{Tag: c[0], Entity: c[1], EntityType: engine.EntityType(c[2])}, engine.Winner(c[3])}
		if l.Winner != engine.TagWins && l.Winner != engine.EntityWins {
			return nil, fmt.Errorf("line %d: %q does not win", len(out)+1, l.Winner)
		}
		out = append(out, l)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", len(out), err)
	}
	return out, nil
}
