package worker

import (
	"fmt"
	"slices"
	"strings"
)

// Catalogue is the list of workers, in the order in which each prepares the next. Listing it runs nothing.
type Catalogue struct{ defs []Definition }

// NewCatalogue sorts the workers by their order. A name or a place given twice is a mistake in the program and panics.
func NewCatalogue(defs ...Definition) *Catalogue {
	c := &Catalogue{defs: slices.SortedFunc(slices.Values(defs), func(a, b Definition) int { return a.Order - b.Order })}
	for i := 1; i < len(c.defs); i++ {
		if c.defs[i].Order == c.defs[i-1].Order {
			panic(fmt.Sprintf("worker: %s and %s have the same place", c.defs[i].Name, c.defs[i-1].Name))
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(c.Names())))) != len(c.defs) {
		panic("worker: a name is listed twice")
	}
	return c
}

// All lists the workers in order. The slice is the caller's.
func (c *Catalogue) All() []Definition { return slices.Clone(c.defs) }

// Names lists the workers' names in order.
func (c *Catalogue) Names() []string {
	names := make([]string, len(c.defs))
	for i, d := range c.defs {
		names[i] = d.Name
	}
	return names
}

// Lookup returns the worker of that name, or a NotFound error that lists the names there are.
func (c *Catalogue) Lookup(name string) (Definition, error) {
	for _, d := range c.defs {
		if d.Name == name {
			return d, nil
		}
	}
	return Definition{}, Errorf(NotFound, "There is no worker %q. The workers are %s.", clip(name), strings.Join(c.Names(), ", "))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
