package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

func named(name string, order int) worker.Definition {
	return worker.Define(worker.Spec{Name: name, Order: order}, worker.Common{}, func(context.Context, worker.Env, worker.Common) error { return nil })
}

func TestCatalogueOrder(t *testing.T) {
	t.Parallel()
	c := worker.NewCatalogue(named("c", 30), named("a", 10), named("b", 20))
	if diff := cmp.Diff([]string{"a", "b", "c"}, c.Names()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	all := c.All()
	all[0] = named("z", 1)
	if got := c.Names()[0]; got != "a" {
		t.Errorf("a caller changed the catalogue: %q is first", got)
	}
}

func TestCatalogueRefusesDuplicates(t *testing.T) {
	t.Parallel()
	if got := mustPanic(t, func() { worker.NewCatalogue(named("a", 1), named("a", 2)) }); !strings.Contains(got, "twice") {
		t.Errorf("same name: panic %q", got)
	}
	if got := mustPanic(t, func() { worker.NewCatalogue(named("a", 1), named("b", 1)) }); !strings.Contains(got, "same place") {
		t.Errorf("same place: panic %q", got)
	}
}

func TestCatalogueLookup(t *testing.T) {
	t.Parallel()
	c := worker.NewCatalogue(named("transfer", 1), named("cleaning", 2))
	d, err := c.Lookup("cleaning")
	if err != nil || d.Name != "cleaning" {
		t.Errorf("got %q, %v", d.Name, err)
	}
	tests := []struct{ name, give, want string }{
		{"unknown", "Cleaning", `There is no worker "Cleaning". The workers are transfer, cleaning.`},
		{"empty", "", `There is no worker "". The workers are transfer, cleaning.`},
		{"very long", strings.Repeat("ã", 100), `There is no worker "` + strings.Repeat("ã", 60) + `…". The workers are transfer, cleaning.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := c.Lookup(tt.give)
			if worker.KindOf(err) != worker.NotFound {
				t.Fatalf("got %v, want NotFound", err)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	started := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("BRT", -3*3600))
	inFlight := &worker.InFlightError{Run: worker.Run{ID: 7, Worker: "transfer", Status: worker.Running, RequestedBy: "ana", StartedAt: &started}}
	tests := []struct {
		name string
		err  error
		want worker.Kind
	}{
		{"nil", nil, worker.Internal},
		{"any error", io.EOF, worker.Internal},
		{"an Error", worker.Errorf(worker.Invalid, "no"), worker.Invalid},
		{"wrapped", fmt.Errorf("run: %w", worker.Errorf(worker.Unavailable, "no")), worker.Unavailable},
		{"joined", errors.Join(io.EOF, worker.Errorf(worker.NotFound, "no")), worker.NotFound},
		{"in flight", inFlight, worker.Conflict},
		{"in flight, wrapped", fmt.Errorf("submit: %w", inFlight), worker.Conflict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := worker.KindOf(tt.err); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
	want := "transfer already has a run in flight: #7, running, started by ana at 2026-03-04 08:06:07 UTC. Nothing was started."
	if diff := cmp.Diff(want, inFlight.Error()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestErrorfKeepsItsCause(t *testing.T) {
	t.Parallel()
	err := worker.Errorf(worker.Invalid, "cannot read: %w", io.EOF)
	if !errors.Is(err, io.EOF) || err.Msg != "cannot read: EOF" {
		t.Errorf("got %q with cause %v", err.Msg, err.Err)
	}
}
