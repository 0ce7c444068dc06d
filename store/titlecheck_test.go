package store_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"scrinalia/engine"
	engines "scrinalia/engine/all"
	"scrinalia/executor"
	"scrinalia/worker"

	"github.com/google/go-cmp/cmp"
)

// titleRule adds an active LLM_CHECK rule of that age.
func (a *archive) titleRule(name, engineName, preset string, days int) {
	a.t.Helper()
	a.exec(`INSERT INTO cleaning_rules (name, kind, target_column, engine, preset, created_at)
		VALUES ($1, 'LLM_CHECK', 'original_title', nullif($2, ''), nullif($3, ''), now() - make_interval(days => $4))`, name, engineName, preset, days)
}

// clean descriptions have nothing that the deterministic validation flags.
func (a *archive) clean(titles ...string) {
	a.t.Helper()
	for i, title := range titles {
		a.load(record{"description_id": string(rune('a' + i)), "title": title, "date": "1912", "subjects": []string{"Praças"}})
	}
	a.exec("UPDATE cleaning_rules SET active = false")
	a.run(worker.Transfer, nil)
}

func (a *archive) reasons() []string {
	a.t.Helper()
	return column[string](a, "SELECT description_id || ' ' || review_status || ' ' || array_to_string(anomaly_reasons, '; ') FROM documents ORDER BY 1")
}

func (a *archive) validatorState() worker.State {
	a.t.Helper()
	s, err := a.executor.State(a.t.Context(), worker.QualityValidator)
	if err != nil {
		a.t.Fatal(err)
	}
	return s
}

// suspects is an engine that is so sure of the titles it is given here, and of no other.
func suspects(asked *[]string, sure map[string]float64) fake {
	return fake{check: func(titles []string) ([]engine.TitleVerdict, error) {
		*asked = append(*asked, titles...)
		out := make([]engine.TitleVerdict, len(titles))
		for i, title := range titles {
			c, ok := sure[title]
			out[i] = engine.TitleVerdict{Suspect: ok, Confidence: c, Reason: "not a\ntitle\x00"}
		}
		return out, nil
	}}
}

func TestTitlesAreCheckedByRule(t *testing.T) {
	t.Parallel()
	var asked []string
	a := newArchiveWith(t, suspects(&asked, map[string]float64{"asdf": 0.6, "qwer": 0.59}).registry())
	a.clean("asdf", "qwer", "Ata", "Sem título")
	a.processed(worker.QualityValidator, 4)
	if s := a.validatorState(); len(asked) > 0 || s.Config.Engine != nil || s.Note == nil || !strings.Contains(*s.Note, "deterministic") {
		t.Errorf("without a rule: asked %v, engine %v, note %v", asked, s.Config.Engine, s.Note)
	}
	without := []string{"a AI_APPROVED ", "b AI_APPROVED ", "c AI_APPROVED ", "d NEEDS_REVIEW EMPTY_TITLE"}
	if diff := cmp.Diff(without, a.reasons()); diff != "" {
		t.Errorf("without a rule, -want +got:\n%s", diff)
	}

	a.titleRule("titles", "fake", "two", 1)
	a.wantPending("with a rule", map[string]int64{worker.QualityValidator: 4, worker.NamedEntities: 4, worker.Typology: 4, worker.MacroCategory: 1, worker.Embedding: 4})
	r := a.processed(worker.QualityValidator, 4)
	if diff := cmp.Diff([]string{"Ata", "asdf", "qwer"}, slices.Sorted(slices.Values(asked))); diff != "" {
		t.Errorf("titles asked about, -want +got:\n%s", diff)
	}
	with := []string{"a NEEDS_REVIEW LLM_SUSPECT:not a title\uFFFD", "b AI_APPROVED ", "c AI_APPROVED ", "d NEEDS_REVIEW EMPTY_TITLE"}
	if diff := cmp.Diff(with, a.reasons()); diff != "" {
		t.Errorf("with a rule, -want +got:\n%s", diff)
	}
	if got := counts(r.Notes); got["LLM_SUSPECT"] != 1 || got["below_confidence"] != 1 {
		t.Errorf("notes %v", got)
	}
	s := a.validatorState()
	if diff := cmp.Diff([]any{"fake", worker.FromRule, "two", worker.FromRule, "m2", "titles"},
		[]any{s.Config.Engine.Value, s.Config.Engine.Origin, s.Config.Preset.Value, s.Config.Preset.Origin, s.Config.Resolved["model"], s.Config.Rule.Name}); diff != "" {
		t.Errorf("the state, -want +got:\n%s", diff)
	}
	if s.Note != nil || s.RuleBroken || s.Engines != nil || *s.Queue.Pending != 0 || s.Queue.Stale != 0 {
		t.Errorf("note %v, broken %t, engines on offer %v, queue %+v", s.Note, s.RuleBroken, s.Engines, s.Queue)
	}

	asked = nil
	a.exec("UPDATE cleaning_rules SET active = false")
	a.processed(worker.QualityValidator, 4)
	if diff := cmp.Diff(without, a.reasons()); diff != "" || len(asked) > 0 {
		t.Errorf("switched off: asked %v, -want +got:\n%s", asked, diff)
	}
}

func TestTheOldestActiveRuleGivesTheEngine(t *testing.T) {
	t.Parallel()
	var asked []string
	a := newArchiveWith(t, suspects(&asked, nil).registry())
	a.clean("Ata")
	preset := func() string { return a.processed(worker.QualityValidator, 1).Config.Preset.Value.(string) }
	pending := func(want int64) {
		t.Helper()
		if got := a.pendingByView()[worker.QualityValidator]; got != want {
			t.Errorf("%d pending, want %d", got, want)
		}
		a.checkQueues()
	}
	a.titleRule("middle", "fake", "two", 2)
	if got := preset(); got != "two" {
		t.Errorf("preset %s, want two", got)
	}
	a.titleRule("young", "fake", "one", 1)
	pending(0)
	a.titleRule("old", "", "", 3)
	pending(1)
	if got := preset(); got != "one" {
		t.Errorf("preset %s, want one, the default", got)
	}
	if s := a.validatorState(); s.Config.Engine.Origin != worker.FromDefault || s.Config.Rule.Name != "old" {
		t.Errorf("engine %v of rule %v", s.Config.Engine, s.Config.Rule)
	}
	a.exec("UPDATE cleaning_rules SET active = false WHERE name = 'old'")
	pending(1)
	if got := preset(); got != "two" {
		t.Errorf("preset %s, want two", got)
	}
	a.exec("UPDATE cleaning_rules SET preset = 'one' WHERE name = 'middle'")
	pending(1)
	a.exec("UPDATE cleaning_rules SET name = 'renamed' WHERE name = 'middle'")
	preset()
	pending(0)
}

func TestARuleWithoutItsEngine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, engine, preset, says string }{
		{"engine", "vanished", "", `no engine "vanished"`},
		{"preset", "fake", "vanished", `no preset "vanished"`},
		{"preset of the default engine", "", "vanished", `no preset "vanished"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			a := newArchiveWith(t, suspects(&asked, nil).registry())
			a.clean("Ata")
			a.titleRule("titles", tt.engine, tt.preset, 1)
			s := a.validatorState()
			if !s.RuleBroken || s.Note == nil || !strings.Contains(*s.Note, tt.says) || !strings.Contains(*s.Note, `"titles"`) {
				t.Errorf("broken %t, note %v", s.RuleBroken, s.Note)
			}
			r := a.attempt(worker.QualityValidator, worker.Settings{})
			if r.Status != worker.Failed || r.Error == nil || !strings.Contains(*r.Error, tt.says) || !strings.Contains(*r.Error, `"titles"`) {
				t.Errorf("%s: %v", r.Status, r.Error)
			}
			if n := value[int64](a, "SELECT count(*) FROM execution_log WHERE worker_name = 'quality-validator'"); n != 0 {
				t.Errorf("%d stamps, want none", n)
			}
			a.exec("UPDATE cleaning_rules SET engine = 'fake', preset = NULL WHERE name = 'titles'")
			a.processed(worker.QualityValidator, 1)
		})
	}
}

func TestTheEngineIsTheRulesAlone(t *testing.T) {
	t.Parallel()
	var asked []string
	a := newArchiveWith(t, suspects(&asked, nil).registry())
	a.titleRule("titles", "fake", "", 1)
	for _, arguments := range []worker.Settings{{Engine: "fake"}, {Preset: "two"}, {Options: map[string]any{"model": "m2"}}} {
		_, err := a.executor.RunHere(t.Context(), worker.Request{Worker: worker.QualityValidator, Trigger: worker.CLI, RequestedBy: "test", Arguments: arguments}, nil)
		if worker.KindOf(err) != worker.Invalid {
			t.Errorf("%+v: %v, want a refusal", arguments, err)
		}
		d, err := a.catalogue.Lookup(worker.QualityValidator)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := worker.CheckChange(d, worker.OverrideChange{Settings: arguments}); worker.KindOf(err) != worker.Invalid {
			t.Errorf("%+v as an override: %v, want a refusal", arguments, err)
		}
	}
}

func TestATitleThatFailsAlone(t *testing.T) {
	t.Parallel()
	broken := true
	a := newArchiveWith(t, fake{check: func(titles []string) ([]engine.TitleVerdict, error) {
		out := make([]engine.TitleVerdict, len(titles))
		for i := range titles {
			if broken && titles[i] == "Carta" {
				out[i].Err = errors.New("nonsense\x00")
			}
		}
		return out, nil
	}}.registry())
	a.clean("Ata", "Carta", "Planta")
	a.titleRule("titles", "", "", 1)
	r := a.attempt(worker.QualityValidator, worker.Settings{})
	if r.Status != worker.Success || r.Processed != 2 || r.Failed != 1 {
		t.Errorf("%s, %+v", r.Status, r.Counts)
	}
	if diff := cmp.Diff([]string{"a AI_APPROVED ", "b PENDING_AI ", "c AI_APPROVED "}, a.reasons()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := a.pendingByView()[worker.QualityValidator]; got != 1 {
		t.Errorf("%d pending, want the one that failed", got)
	}
	a.checkQueues()
	broken = false
	a.processed(worker.QualityValidator, 1)
}

func TestAnOutageOfTheTitleEngine(t *testing.T) {
	t.Parallel()
	calls := 0
	a := newArchiveWith(t, fake{check: func([]string) ([]engine.TitleVerdict, error) {
		calls++
		return nil, worker.Errorf(worker.Unavailable, "The model server is away.")
	}}.registry())
	a.clean("Ata", "Sem título")
	a.titleRule("titles", "", "", 1)
	r := a.attempt(worker.QualityValidator, worker.Settings{})
	if r.Status != worker.Failed || r.Error == nil || !strings.Contains(*r.Error, "The model server is away.") || calls != 3 {
		t.Errorf("%s, %v after %d calls", r.Status, r.Error, calls)
	}
	if diff := cmp.Diff([]string{"a PENDING_AI ", "b PENDING_AI "}, a.reasons()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := a.pendingByView()[worker.QualityValidator]; got != 2 {
		t.Errorf("%d pending, want 2", got)
	}
}

// TestARuleChangedWhileARunWaits: the run was resolved to another engine than the one that its stamps would stand for.
func TestARuleChangedWhileARunWaits(t *testing.T) {
	t.Parallel()
	var asked []string
	a := newArchiveWith(t, suspects(&asked, nil).registry())
	a.clean("Ata")
	a.titleRule("titles", "fake", "one", 1)
	e, err := executor.New(executor.Options{Catalogue: a.catalogue, Store: a.Store, Log: slog.New(slog.DiscardHandler), Role: "test", Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	run, err := e.Submit(t.Context(), worker.Request{Worker: worker.QualityValidator, Trigger: worker.CLI, RequestedBy: "test"})
	if err != nil {
		t.Fatal(err)
	}
	a.exec("UPDATE cleaning_rules SET preset = 'two' WHERE name = 'titles'")
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := e.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for run.Status.Active() {
		<-tick.C
		if run, err = a.Run(t.Context(), run.ID); err != nil {
			t.Fatal(err)
		}
	}
	if run.Status != worker.Failed || run.Error == nil || !strings.Contains(*run.Error, "was changed") || len(asked) > 0 {
		t.Errorf("%s, %v, asked %v", run.Status, run.Error, asked)
	}
	a.processed(worker.QualityValidator, 1)
}

// TestTheRulesEngineIsBuiltFromWhatIsRecorded: for every engine and preset of the axis, the constructor receives what the panel shows and the
// ledger keeps.
func TestTheRulesEngineIsBuiltFromWhatIsRecorded(t *testing.T) {
	t.Parallel()
	var received []engine.Description
	registrations := engines.Registrations("model.example:1234")
	for i, r := range registrations {
		registrations[i] = r.Observed(func(d engine.Description) { received = append(received, d) })
	}
	registry := engine.NewRegistry(registrations...)
	a := newArchiveWith(t, registry)
	a.titleRule("titles", "", "", 1)
	built := 0
	for _, e := range registry.Choices(worker.TitleQuality) {
		for _, p := range e.Presets {
			a.exec("UPDATE cleaning_rules SET engine = $1, preset = $2 WHERE name = 'titles'", e.Name, p.Name)
			received = nil
			shown := a.validatorState().Config
			if len(received) > 0 {
				t.Fatal("showing the configuration built an engine")
			}
			r := a.attempt(worker.QualityValidator, worker.Settings{})
			if r.Status != worker.Success || len(received) != 1 {
				t.Fatalf("%s, %s: %s, %v, %d engines built", e.Name, p.Name, r.Status, r.Error, len(received))
			}
			built++
			got := received[0]
			if diff := cmp.Diff(shown.Resolved, got.Values); diff != "" || got.Engine != e.Name || got.Preset != p.Name || got.Axis != worker.TitleQuality {
				t.Errorf("%s, %s was built from %s, %s of %s; values -shown +received:\n%s", e.Name, p.Name, got.Engine, got.Preset, got.Axis, diff)
			}
			if diff := cmp.Diff(asJSON(t, shown), asJSON(t, r.Config)); diff != "" {
				t.Errorf("%s, %s: -shown +recorded:\n%s", e.Name, p.Name, diff)
			}
		}
	}
	if built < 2 {
		t.Errorf("only %d engines were built", built)
	}
}
