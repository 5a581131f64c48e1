package run_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/control"
)

// However long a run, the trace stays small, covers all of it and keeps the
// totals.
func TestTraceThinsOut(t *testing.T) {
	tr := run.NewTrace()
	const samples, step = 100_000, 100 * time.Millisecond
	for i := 1; i <= samples; i++ {
		tr.Sample(time.Duration(i)*step, int64(3*i), sweetspot.Stats{Limit: 4, InFlight: 3, OwnCPU: 1.5})
		if tr.Len() >= run.TracePoints {
			t.Fatalf("%d points after %d samples", tr.Len(), i)
		}
	}
	s := decode(t, tr, nil)
	if n := len(s.Trace); n < run.TracePoints/4 {
		t.Errorf("only %d points", n)
	}
	last := 0.0
	for _, p := range s.Trace {
		if math.Abs(p.Rate-30) > 0.01 || p.CPU != 1.5 || p.Limit != 4 || p.InFlight != 3 || p.At <= last {
			t.Fatalf("point %+v after %v", p, last)
		}
		last = p.At
	}
	if end := (samples * step).Seconds(); last < 0.98*end {
		t.Errorf("the trace ends at %v of %v s", last, end)
	}
}

// A moment is not a point of its own: over it the rate says nothing. But what ended
// in it counts.
func TestTraceEnds(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, c := range []struct {
		ends  []int // ms
		after []int // ms, of the points
	}{
		{[]int{100, 200, 230}, []int{100, 230}},
		{[]int{100, 200, 260}, []int{100, 200, 260}},
		{[]int{30}, []int{30}},
		{[]int{100, 199, 200}, []int{100, 200}},
	} {
		tr := run.NewTrace()
		last := len(c.ends) - 1
		for i, at := range c.ends[:last] {
			tr.Sample(ms(at), int64(i+1), sweetspot.Stats{Limit: 1})
		}
		tr.End(ms(c.ends[last]), int64(last+1), sweetspot.Stats{Limit: 1})
		var got []int
		jobs, before := 0.0, 0.0
		for _, p := range decode(t, tr, nil).Trace {
			got = append(got, int(math.Round(1000*p.At)))
			jobs += p.Rate * (p.At - before)
			before = p.At
		}
		if !slices.Equal(got, c.after) {
			t.Errorf("samples at %d ms: points at %d, want %d", c.ends, got, c.after)
		}
		if math.Abs(jobs-float64(last+1)) > 0.01 {
			t.Errorf("samples at %d ms: the points hold %v jobs, want %d", c.ends, jobs, last+1)
		}
	}

	// Also when each point covers many samples.
	tr := run.NewTrace()
	const samples = run.TracePoints + 1
	for i := 1; i <= samples; i++ {
		tr.Sample(ms(100*i), int64(i), sweetspot.Stats{Limit: 1})
	}
	tr.End(ms(100*samples+90), samples+5, sweetspot.Stats{Limit: 1})
	jobs, before := 0.0, 0.0
	for _, p := range decode(t, tr, nil).Trace {
		jobs += p.Rate * (p.At - before)
		before = p.At
	}
	if math.Abs(jobs-(samples+5)) > 1 || math.Abs(before-float64(samples)/10-0.09) > 1e-9 {
		t.Errorf("points hold %v jobs and end at %v s, want %d and %v", jobs, before, samples+5, float64(samples)/10+0.09)
	}
}

func TestTraceMean(t *testing.T) {
	tr := run.NewTrace()
	tr.Sample(time.Second, 1, sweetspot.Stats{Limit: 2})
	tr.Sample(4*time.Second, 2, sweetspot.Stats{Limit: 6})
	if got := tr.Mean(); got != 5 {
		t.Errorf("mean %v, want 5: 2 for one second, 6 for three", got)
	}
}

type decoded struct {
	Version     int
	Jobs        int64
	Failed      int64
	Seconds     float64
	Rate        float64
	Suspensions int64
	Limit       struct {
		Last, Max int
		Mean      float64
	}
	Trace []struct {
		At, Rate, CPU float64
		Limit         int
		InFlight      int `json:"in_flight"`
	}
	Changes []struct {
		At       float64
		From, To int
		Reason   string
	}
}

func decode(t *testing.T, tr run.Trace, c []sweetspot.Decision) decoded {
	t.Helper()
	var b bytes.Buffer
	if err := run.Summarize(&b, 10, 3, 2.5, 4, tr, c); err != nil {
		t.Fatal(err)
	}
	var d decoded
	dec := json.NewDecoder(&b)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSummary(t *testing.T) {
	tr := run.NewTrace()
	tr.Sample(time.Second, 4, sweetspot.Stats{Limit: 4, InFlight: 4, OwnCPU: 1})
	d := decode(t, tr, []sweetspot.Decision{
		{At: 1234567 * time.Microsecond, From: 2, To: 9, Reason: control.Reason{Kind: control.Probe, From: 2, To: 9, Gain: math.NaN()}},
	})
	if d.Version != 1 || d.Jobs != 10 || d.Failed != 3 || d.Seconds != 2.5 || d.Rate != 4 || d.Limit.Last != 4 || d.Limit.Mean != 4 {
		t.Errorf("%+v", d)
	}
	if d.Limit.Max != 9 {
		t.Errorf("max %d: a limit that was tried between two samples is missing", d.Limit.Max)
	}
	if c := d.Changes[0]; c.At != 1.235 || c.From != 2 || c.To != 9 || c.Reason != "tries 9" {
		t.Errorf("%+v", c)
	}
}

// The keys are a contract: empty lists are [], nothing is left out.
func TestSummaryKeys(t *testing.T) {
	var b bytes.Buffer
	if err := run.Summarize(&b, 0, 0, 0, 2, run.NewTrace(), nil); err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	keys := []string{"version", "jobs", "failed", "seconds", "rate", "limit", "trace", "changes"}
	for _, k := range keys {
		if v, there := m[k]; !there || v == nil {
			t.Errorf("%s is missing: %s", k, b.String())
		}
	}
}

func TestExplain(t *testing.T) {
	grow := sweetspot.Decision{At: 500 * time.Millisecond, From: 2, To: 4, Reason: control.Reason{Kind: control.Grow, From: 2, To: 4, Gain: 0.94}}
	probe := sweetspot.Decision{At: 900 * time.Millisecond, From: 4, To: 8, Reason: control.Reason{Kind: control.Probe, From: 4, To: 8}}
	tell := func(a run.Account) string {
		var b bytes.Buffer
		if err := a.Tell(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	got := tell(run.Account{Jobs: 2000, Failed: 1, Seconds: 10, Limit: 8, Max: 8, Mean: 3.5, Most: 8, CPUs: 2, Decisions: []sweetspot.Decision{grow, probe}})
	for _, want := range []string{
		"2,000 jobs in 10.0 s, 200 a second; 1 failed.\n",
		"The limit ended at 4 (mean 3.50, highest 8) on 2 CPUs; a trial of 8 was under way.\n",
		"      0.50  doubled 2→4: +94 % throughput\n",
		"      0.90  tries 8\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in:\n%s", want, got)
		}
	}
	if got := tell(run.Account{Jobs: 3, Seconds: 1, Fixed: "4", Limit: 4, Most: 3, CPUs: 2}); !strings.Contains(got, "fixed at 4 by -j 4") || !strings.Contains(got, "no more than 3 jobs") {
		t.Error(got)
	}
	for met, want := range map[int]string{0: "No other process shared the name db.\n", 1: "1 other process shared the name db.\n", 3: "3 other processes shared the name db.\n"} {
		if got := tell(run.Account{Jobs: 9, Seconds: 1, Limit: 2, Most: 2, CPUs: 2, Share: "db", Met: met}); !strings.Contains(got, want) {
			t.Errorf("met %d: %q is missing in:\n%s", met, want, got)
		}
	}
	if strings.Contains(got, "shared") {
		t.Errorf("without --share:\n%s", got)
	}
	if got := tell(run.Account{}); !strings.Contains(got, "nothing to run") {
		t.Error(got)
	}
	if got := tell(run.Account{Jobs: 9, Failed: 5, Seconds: 1, Limit: 2, Most: 2, CPUs: 2}); !strings.Contains(got, "failed jobs teach nothing") {
		t.Error(got)
	}
	long := tell(run.Account{Jobs: 9, Seconds: 1, Limit: 4, Most: 4, CPUs: 2, Decisions: slices.Repeat([]sweetspot.Decision{grow}, 200)})
	if n := strings.Count(long, "\n"); n > 40 || !strings.Contains(long, "176 decisions left out") {
		t.Errorf("%d lines:\n%s", n, long)
	}
}

func TestFigures(t *testing.T) {
	for x, want := range map[float64]string{0: "0.00", 1.234: "1.23", 9.996: "10.0", 99.94: "99.9", 99.96: "100", 1234.5: "1,235"} {
		if got := run.Figure(x); got != want {
			t.Errorf("Figure(%v) = %s, want %s", x, got, want)
		}
	}
	for s, want := range map[float64]string{0.5: "0.50 s", 59.96: "1 m 00 s", 200: "3 m 20 s", 3599.7: "1 h 00 m", 7500: "2 h 05 m"} {
		if got := run.Seconds(s); got != want {
			t.Errorf("Seconds(%v) = %s, want %s", s, got, want)
		}
	}
}
