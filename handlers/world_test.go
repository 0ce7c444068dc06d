package handlers_test

import (
	"strings"

	"scrinalia/worker"
)

func idle() []worker.State {
	var states []worker.State
	for _, d := range catalogue().All() {
		res, err := worker.Resolve(d, worker.Settings{}, worker.Settings{})
		if err != nil {
			panic(err)
		}
		s := worker.State{
			Name: d.Name, Order: d.Order, Label: d.Label, Description: d.Description, Unit: d.Unit, Governed: d.Governed,
			Axis: d.Axis, EngineSource: d.EngineSource, Config: res.Config,
			Queue: worker.Queue{Pending: new(int64(0)), Processed: 4844, CountedMS: 3},
		}
		if d.Note != "" {
			s.Note = new(d.Note)
		}
		states = append(states, s)
	}
	return states
}

func ranAs(id int64, name string, status worker.Status, minutesAgo, took float64) worker.Run {
	started := at(minutesAgo)
	r := worker.Run{
		ID: id, Worker: name, Status: status, Trigger: worker.Panel, RequestedBy: "panel 127.0.0.1", QueuedAt: started.Add(-100e6),
		StartedAt: &started, Total: new(int64(4844)), Counts: worker.Counts{Processed: 4844}, Owner: new("arq01/serve/21877"),
	}
	if !status.Active() {
		end := started.Add(seconds(took))
		r.FinishedAt, r.DurationMS = &end, new(int64(took*1000))
	}
	res, _ := worker.Resolve(must(name), worker.Settings{}, worker.Settings{BatchSize: 64, Options: map[string]any{"force": true}})
	r.Config = res.Config
	return r
}

func must(name string) worker.Definition {
	d, err := catalogue().Lookup(name)
	if err != nil {
		panic(err)
	}
	return d
}

const longError = "list pending pairs: store answered nothing within 30 s; the statement was cancelled\n" +
	"SELECT tag, entity FROM pairs WHERE fingerprint IS DISTINCT FROM current ORDER BY tag, entity LIMIT 100\n"

// busy is an archive at work: one runs, one waits, one failed with a long error, one is not measured.
func busy() *fake {
	f := &fake{states: idle(), failed: failed()}
	running := ranAs(1280, "ner", worker.Running, 1.0/3, 0)
	running.Total, running.Counts = new(int64(4844)), worker.Counts{Processed: 812, Failed: 3}
	running.LastProgressAt, running.CurrentUnit = new(at(0)), new("OP-03-0127")
	partly := ranAs(1263, "ner", worker.Success, 4530, 114)
	partly.Counts = worker.Counts{Processed: 4840, Failed: 4}
	partly.Trigger, partly.RequestedBy = worker.CLI, "root@arq01"
	queued := worker.Run{ID: 1281, Worker: "cleaning", Status: worker.Queued, Trigger: worker.API, RequestedBy: "import-bot, API 10.0.0.7", QueuedAt: at(0.15)}
	cleaned := ranAs(1270, "cleaning", worker.Success, 1250, 3.8)
	cleaned.Notes = map[string]worker.Note{
		"rewritten": {Count: 38, Examples: []string{"OP-03-0127: Double spaces", "OP-03-0128: Double spaces"}}, "something_new": {Count: 2},
		"refused_empty_title": {Count: 1, Examples: []string{"GP-01-0044: Placeholders"}},
	}
	failed := ranAs(1275, "conflict-judge", worker.Failed, 352, 0.4)
	failed.Counts, failed.Error = worker.Counts{Processed: 390}, new(strings.Repeat(longError, 6))
	failed.ErrorFingerprint = new("list pending pairs: store answered nothing within <n> s; the statement was cancelled")
	interrupted := ranAs(1274, "transfer", worker.Interrupted, 960, 521)
	interrupted.Counts, interrupted.Error = worker.Counts{Processed: 390}, new("its process ended")
	cancelled := ranAs(1279, "transfer", worker.Cancelled, 270, 31)
	cancelled.CancelRequestedAt, cancelled.CancelRequestedBy = new(at(269.5)), new("panel 127.0.0.1")
	dry := ranAs(1278, "cleaning", worker.Success, 282, 4)
	dry.DryRun, dry.Counts = true, worker.Counts{Processed: 5}

	st := f.states
	st[0].LastRun = &interrupted
	st[1].ActiveRun, st[1].LastRun, st[1].Queue = &queued, &cleaned, worker.Queue{Pending: new(int64(38)), Processed: 33870}
	st[2].ActiveRun, st[2].LastRun, st[2].Queue = &running, &partly, worker.Queue{Pending: new(int64(4032)), Processed: 812, Failed: 3, Stale: 120}
	st[2].Config.Engine, st[2].Config.Preset = &worker.Value{Value: "builtin", Origin: worker.FromDefault}, &worker.Value{Value: "pt_br_archive", Origin: worker.FromOverride}
	st[2].Config.Resolved = map[string]any{"model": "lexicon-ptbr 2026.08"}
	st[2].Config.Options["threshold"] = worker.Value{Value: 0.5, Origin: worker.FromOverride}
	st[2].Overridden = true
	st[3].LastRun = &failed
	st[3].Config.Engine, st[3].Config.Preset = &worker.Value{Value: "ollama", Origin: worker.FromOverride}, &worker.Value{Value: "granite_local", Origin: worker.FromDefault}
	st[3].Overridden, st[3].NotApplied = true, map[string]string{"preset": "there is no preset \"granite_small\"; ollama has granite_local"}
	st[3].Queue = worker.Queue{Processed: 2117, UnmeasurableReason: new("the pair count passed its limit of 1 s")}
	f.runs = []worker.Run{queued, running, cancelled, dry, failed, interrupted, cleaned, partly}
	f.failures = []worker.UnitFailure{
		{Unit: 127, Name: "OP-03-0127", Error: "text is not valid UTF-8 at byte 1,204"},
		{Unit: 128, Name: "OP-03-0128, a description whose reference code goes on for far too long to stand in one line of any table", Error: "text is not valid UTF-8\n" + longError},
	}
	f.changes = []worker.Change{
		{ID: 1, UnitKind: "document", UnitID: 119, UnitName: "OP-03-0119", Field: "original_title", Before: new("Alargamento  da Rua  Direita"), After: new("Alargamento da Rua Direita"), Rule: "Double spaces"},
		{ID: 2, UnitKind: "document", UnitID: 31, UnitName: "GP-01-0031", Field: "archivist_notes", After: new("nomeação de fiscais")},
	}
	f.report.Read, f.report.Imported, f.report.Unchanged, f.report.Rejected, f.report.Encoding = 412, 400, 10, 2, "Windows-1252"
	return f
}
