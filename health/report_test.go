package health_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"scrinalia/health"

	"github.com/google/go-cmp/cmp"
)

func says(v health.Verdict) func(context.Context) health.Finding {
	return func(context.Context) health.Finding { return health.Finding{Verdict: v} }
}

// TestReport: the worst first, the status the worst of all, and what is unknown degrades it.
func TestReport(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verdicts []health.Verdict
		status   health.Verdict
		order    string
	}{
		{[]health.Verdict{health.OK, health.OK}, health.OK, "ab"},
		{[]health.Verdict{health.OK, health.Unknown}, health.Degraded, "ba"},
		{[]health.Verdict{health.Degraded, health.Failed, health.OK, health.Failed}, health.Failed, "bdac"},
	} {
		var checks []health.Check
		for i, v := range tt.verdicts {
			checks = append(checks, health.Check{Code: string(rune('a' + i)), Run: says(v)})
		}
		r := health.New(nil, checks...).Report(t.Context())
		var order string
		for _, one := range r.Results {
			order += one.Code
		}
		if r.Status != tt.status || order != tt.order {
			t.Errorf("%v: %s, %s", tt.verdicts, r.Status, order)
		}
	}
}

// TestSince: how long a verdict holds, and when it was last fine, over reports that are made anew once the last one is no longer fresh.
func TestSince(t *testing.T) {
	t.Parallel()
	var clock, made atomic.Int64
	verdict := atomic.Value{}
	verdict.Store(health.OK)
	now := func() time.Time { return time.Unix(clock.Load(), 0) }
	d := health.New(now, health.Check{Code: "a", Run: func(context.Context) health.Finding {
		made.Add(1)
		return health.Finding{Verdict: verdict.Load().(health.Verdict)}
	}})
	at := func(second int64, v health.Verdict) (since, lastOK int64) {
		clock.Store(second)
		verdict.Store(v)
		r := d.Report(t.Context()).Results[0]
		if !r.LastOK.IsZero() {
			lastOK = r.LastOK.Unix()
		}
		return r.Since.Unix(), lastOK
	}
	type times struct{ Since, LastOK int64 }
	var got []times
	for _, step := range []struct {
		second int64
		v      health.Verdict
	}{{100, health.OK}, {101, health.Failed}, {110, health.Failed}, {120, health.Failed}, {130, health.OK}} {
		since, last := at(step.second, step.v)
		got = append(got, times{since, last})
	}
	want := []times{{100, 100}, {100, 100}, {110, 100}, {110, 100}, {130, 130}} // the second asked within three seconds
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if made.Load() != 4 {
		t.Errorf("the check was made %d times", made.Load())
	}
}

// TestStuckCheck: one that ignores its limit holds nobody up, and is not started twice.
func TestStuckCheck(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	var started, clock atomic.Int64
	d := health.New(func() time.Time { return time.Unix(clock.Load(), 0) },
		health.Check{Code: "fine", Run: says(health.OK)},
		health.Check{Code: "stuck", Run: func(context.Context) health.Finding {
			started.Add(1)
			<-release
			return health.Finding{Verdict: health.OK}
		}})
	if r, fresh := d.Last(); fresh || !r.CheckedAt.IsZero() {
		t.Errorf("before the first: %+v", r)
	}
	for range 2 {
		clock.Add(60)
		r := d.Report(t.Context())
		if r.Status != health.Degraded || r.Results[0].Code != "stuck" || r.Results[0].Verdict != health.Unknown || r.Results[1].Verdict != health.OK {
			t.Errorf("%+v", r)
		}
	}
	if started.Load() != 1 {
		t.Errorf("the stuck check was started %d times", started.Load())
	}
}
