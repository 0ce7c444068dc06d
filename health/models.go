package health

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"scrinalia/engine/ollama"
	"scrinalia/worker"
)

// needs are the models that runs would ask for now, by server, as the last look at the configurations knew them: they are still known while the
// database is away.
type needs struct {
	mu     sync.Mutex
	known  bool
	models map[string]map[string][]string // host -> model -> workers
}

// learn takes them from what a run of each worker would use now: the effective configurations, and the rule that gives the validator its engine.
func (n *needs) learn(states []worker.State) {
	models := map[string]map[string][]string{}
	for _, s := range states {
		if s.Config.Engine == nil || fmt.Sprint(s.Config.Engine.Value) != ollama.Name {
			continue
		}
		host, model := fmt.Sprint(s.Config.Resolved["host"]), fmt.Sprint(s.Config.Resolved["model"])
		if models[host] == nil {
			models[host] = map[string][]string{}
		}
		models[host][model] = append(models[host][model], s.Name)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known, n.models = true, models
}

func (n *needs) get() (models map[string]map[string][]string, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.models, n.known
}

func (p Patient) models(ctx context.Context, q *inquiry) Finding {
	_, _ = q.states(ctx) // without the database, what was needed last still is
	wanted, known := q.needs.get()
	if len(wanted) == 0 {
		return p.unneededModels(ctx, known)
	}
	r := Finding{Verdict: OK, Say: Say("models.up")}
	missing, all := 0, 0
	for _, host := range slices.Sorted(maps.Keys(wanted)) {
		s, err := p.Models(ctx, host)
		needed := wanted[host]
		all += len(needed)
		if err != nil {
			missing += len(needed)
			r.Verdict, r.Say, r.Error = Failed, Say("models.down", s.Host), words(err)
			for _, model := range slices.Sorted(maps.Keys(needed)) {
				r.Stops = append(r.Stops, needed[model]...)
				r.Facts = append(r.Facts, Fact{"needed", model + " (" + strings.Join(needed[model], ", ") + ")"})
			}
			r.Do = append(r.Do, Advice{Text: Say("models.start", s.Host), Command: "ollama serve"})
			continue
		}
		r.Facts = append(r.Facts, Fact{"server", "Ollama " + s.Version + ", " + s.Host})
		for _, model := range slices.Sorted(maps.Keys(needed)) {
			state := "installed"
			switch {
			case !s.Has(model):
				missing++
				state = "missing"
				if Failed.Worse(r.Verdict) {
					r.Verdict, r.Say = Failed, Say("models.missing", model, s.Host)
				}
				r.Stops = append(r.Stops, needed[model]...)
				r.Do = append(r.Do, Advice{Text: Say("models.pull", model), Command: "ollama pull " + model})
			case s.Keeps(model):
				state = "loaded"
			}
			r.Facts = append(r.Facts, Fact{state, model + " (" + strings.Join(needed[model], ", ") + ")"})
		}
	}
	r.Measured = Say("models.measured", all-missing, all)
	if len(r.Stops) > 0 {
		slices.Sort(r.Stops)
		r.Stops = slices.Compact(r.Stops)
	}
	return r
}

// unneededModels looks at the default server, which nothing waits for: that is information.
func (p Patient) unneededModels(ctx context.Context, known bool) Finding {
	s, err := p.Models(ctx, "")
	r := Finding{Verdict: OK, Say: Say("models.unneeded"), Measured: Say("models.none")}
	if !known {
		r.Verdict, r.Say = Unknown, Say("models.unknown")
	}
	if err != nil {
		r.Facts = []Fact{{"away", s.Host}}
		return r
	}
	r.Facts = []Fact{{"server", "Ollama " + s.Version + ", " + s.Host}}
	return r
}
