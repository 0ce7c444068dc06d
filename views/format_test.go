package views

import (
	"strings"
	"testing"
	"time"

	"scrinalia/worker"
)

var saoPaulo = time.FixedZone("America/Sao_Paulo", -3*3600)

func frame(l Language) Frame {
	return Frame{Lang: l, Now: time.Date(2026, 10, 15, 17, 32, 12, 0, time.UTC), Zone: saoPaulo}
}

// plain takes out the spaces that keep a number with its unit.
func plain(s string) string { return strings.ReplaceAll(s, nbsp, " ") }

func TestNum(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		n      int64
		en, pt string
	}{
		{0, "0", "0"},
		{999, "999", "999"},
		{1000, "1,000", "1.000"},
		{-4844, "−4,844", "−4.844"},
		{12345678, "12,345,678", "12.345.678"},
	} {
		if got := frame(English).Num(tt.n); got != tt.en {
			t.Errorf("en: %d is %q, want %q", tt.n, got, tt.en)
		}
		if got := frame(Portuguese).Num(tt.n); got != tt.pt {
			t.Errorf("pt-BR: %d is %q, want %q", tt.n, got, tt.pt)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		d      time.Duration
		en, pt string
	}{
		{-time.Second, "under 0.1 s", "menos de 0,1 s"},
		{99 * time.Millisecond, "under 0.1 s", "menos de 0,1 s"},
		{100 * time.Millisecond, "0.1 s", "0,1 s"},
		{400 * time.Millisecond, "0.4 s", "0,4 s"},
		{6200 * time.Millisecond, "6.2 s", "6,2 s"},
		{9949 * time.Millisecond, "9.9 s", "9,9 s"},
		{9999 * time.Millisecond, "10 s", "10 s"},
		{59400 * time.Millisecond, "59 s", "59 s"},
		{59600 * time.Millisecond, "1 min 00 s", "1 min 00 s"},
		{114 * time.Second, "1 min 54 s", "1 min 54 s"},
		{12*time.Minute + 8*time.Second, "12 min 08 s", "12 min 08 s"},
		{2*time.Hour + 5*time.Minute, "2 h 05 min", "2 h 05 min"},
		{76 * time.Hour, "3 d 4 h", "3 d 4 h"},
	} {
		if got := plain(frame(English).Duration(tt.d)); got != tt.en {
			t.Errorf("en: %v is %q, want %q", tt.d, got, tt.en)
		}
		if got := plain(frame(Portuguese).Duration(tt.d)); got != tt.pt {
			t.Errorf("pt-BR: %v is %q, want %q", tt.d, got, tt.pt)
		}
	}
	if got := plain(frame(English).Span(9800 * time.Millisecond)); got != "9 s" {
		t.Errorf("a span of 9.8 s that grows is %q, want 9 s", got)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		units int64
		d     time.Duration
		want  string
	}{
		{0, time.Second, ""},
		{10, 100 * time.Millisecond, ""},
		{4840, 114 * time.Second, "42/s"},
		{42, 10 * time.Second, "4.2/s"},
		{12, time.Minute, "12/min"},
		{3, 2 * time.Minute, "1.5/min"},
		{5000000, time.Second, "5,000,000/s"},
	} {
		if got := frame(English).Rate(tt.units, tt.d); got != tt.want {
			t.Errorf("%d in %v is %q, want %q", tt.units, tt.d, got, tt.want)
		}
	}
}

func TestWhen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ at, en, pt string }{
		{"2026-10-15T17:31:52Z", "today 14:31", "hoje 14:31"},
		{"2026-10-15T02:59:00Z", "yesterday 23:59", "ontem 23:59"},
		{"2026-10-14T20:40:00Z", "yesterday 17:40", "ontem 17:40"},
		{"2026-10-12T14:02:00Z", "12 Oct 11:02", "12 out 11:02"},
		{"2025-02-01T14:02:00Z", "1 Feb 2025 11:02", "1 fev 2025 11:02"},
	} {
		at, err := time.Parse(time.RFC3339, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := frame(English).When(at); got != tt.en {
			t.Errorf("en: %s is %q, want %q", tt.at, got, tt.en)
		}
		if got := frame(Portuguese).When(at); got != tt.pt {
			t.Errorf("pt-BR: %s is %q, want %q", tt.at, got, tt.pt)
		}
	}
}

func TestMomentsForMachines(t *testing.T) {
	t.Parallel()
	f, at := frame(English), time.Date(2026, 10, 12, 14, 2, 0, 104e6, time.UTC)
	if got, want := f.Machine(at), "2026-10-12T11:02:00.104-03:00"; got != want {
		t.Errorf("datetime is %q, want %q", got, want)
	}
	if got, want := f.Full(at), "2026-10-12 11:02:00.104 America/Sao_Paulo"; got != want {
		t.Errorf("title is %q, want %q", got, want)
	}
	if got, want := f.Moment(at), "12 Oct 11:02:00"; got != want {
		t.Errorf("moment is %q, want %q", got, want)
	}
	if got, want := f.ZoneName(), "America/Sao_Paulo"; got != want {
		t.Errorf("zone is %q, want %q", got, want)
	}
}

func TestPlurals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lang Language
		n    int64
		want string
	}{
		{English, 0, "0 documents"},
		{English, 1, "1 document"},
		{English, 1234, "1,234 documents"},
		{Portuguese, 0, "0 documento"},
		{Portuguese, 1, "1 documento"},
		{Portuguese, 1234, "1.234 documentos"},
	} {
		if got := frame(tt.lang).N("units.document", tt.n); got != tt.want {
			t.Errorf("%s: %d is %q, want %q", tt.lang, tt.n, got, tt.want)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	f := frame(English)
	started, total := f.Now.Add(-20*time.Second), int64(4844)
	r := worker.Run{Status: worker.Running, StartedAt: &started, QueuedAt: started, LastProgressAt: &f.Now, Total: &total, Counts: worker.Counts{Processed: 812}}
	for _, tt := range []struct {
		name   string
		change func(*worker.Run)
		want   string
	}{
		{"on its way", func(*worker.Run) {}, "812 of 4,844, 41/s, about 1 min 39 s left"},
		{"with failures", func(r *worker.Run) { r.Failed = 3 }, "815 of 4,844, 3 failed, 41/s, about 1 min 39 s left"},
		{"not counted yet", func(r *worker.Run) { r.Total = nil }, "812 so far, 41/s"},
		{"more than was counted", func(r *worker.Run) { r.Processed = 5000 }, "5,000 of 4,844, 250/s"},
		{"nothing yet", func(r *worker.Run) { r.Processed, r.LastProgressAt = 0, nil }, "0 of 4,844"},
		{"a clock that went back", func(r *worker.Run) { later := f.Now.Add(time.Hour); r.StartedAt = &later }, "812 of 4,844"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := r
			tt.change(&r)
			if got := plain(f.Progress(r)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestReasonsInExamples writes the validator's reasons as labels, whatever the name of the description looks like.
func TestReasonsInExamples(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"OP-03-0127: MISSING_DATE, NO_TAGS":      "OP-03-0127: sem data, sem termos",
		"BR: SP: MISSING_DATE":                   "BR: SP: sem data",
		"OP-1: RULE_MATCH:Marca: [sic], NO_TAGS": "OP-1: textos que casam com a regra Marca: [sic], sem termos",
		"OP-1: SOMETHING_NEW":                    "OP-1: SOMETHING_NEW",
		"OP-1: NO_TAGS, LLM_SUSPECT:placeholder": "OP-1: sem termos, título suspeito: texto provisório",
		"OP-1: LLM_SUSPECT:não é um título":      "OP-1: título suspeito: não é um título",
		"no reason at all":                       "no reason at all",
	} {
		notes := frame(Portuguese).Notes(map[string]worker.Note{"would_flag": {Count: 1, Examples: []string{given}}})
		if got := notes[0].Examples[0]; got != want {
			t.Errorf("%q is written %q, want %q", given, got, want)
		}
	}
}
