package run_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/control"
)

// A plant is a list of jobs for a law.
type plant struct {
	jobs int
	rate func(limit int) float64 // jobs/s
	cpu  float64                 // share of 2 CPUs that they use
}

// work returns how long the list takes, and the highest limit. The law may ask how many jobs are left.
func (p plant) work(law func(left func() int64) control.Controller) (took time.Duration, highest int) {
	const tick = 10 * time.Millisecond
	r := control.Reading{Limit: 2, Max: 1000, CPUs: 2}
	next := law(func() int64 { return int64(p.jobs) - r.Completed }).Next
	for done := 0.0; done < float64(p.jobs); {
		r.Limit = next(r).Limit
		highest = max(highest, r.Limit)
		x, s := p.rate(r.Limit), tick.Seconds()
		done += x * s
		finished := int64(done) - r.Completed
		residence := float64(r.Limit) / x
		r.At += tick
		r.InFlight, r.Waiting = r.Limit, 1
		r.Completed, r.Units = int64(done), float64(int64(done))
		r.Timed, r.TimedSince = r.Completed, r.TimedSince+finished
		r.Residence += residence * float64(finished)
		r.Residence2 += 1.5 * residence * residence * float64(finished)
		r.ResidenceSince += residence * float64(finished)
		r.Occupancy += float64(r.Limit) * s
		r.Bound += s
		r.OwnCPU += 2 * p.cpu * s
		r.MachineCPU = r.OwnCPU
	}
	return r.At, highest
}

// A short list makes no experiment that it cannot pay back; one that gains goes on; and where nobody
// knows how long the list is, the law is left alone.
func TestSight(t *testing.T) {
	crowd := func(x, loss float64) func(int) float64 {
		return func(n int) float64 { return x / (1 + loss*float64(n-2)) }
	}
	waits := func(n int) float64 { return 10 * float64(n) }
	for name, c := range map[string]struct {
		plant
		known   bool
		highest int     // limit, at most
		slower  float64 // at most: time over that at the better of 2 and 64 at a time
	}{
		"computes":          {plant{250, crowd(70, 0.02), 1}, true, 2, 1.01},
		"computes for long": {plant{20_000, crowd(70, 0), 1}, true, 1000, 1.02},
		"a lock":            {plant{300, crowd(600, 0.05), 0.2}, true, 4, 1.06},
		"a lock, no end":    {plant{300, crowd(600, 0.05), 0.2}, false, 1000, 2},
		"waits":             {plant{300, waits, 0.2}, true, 1000, 12},
	} {
		took, highest := c.work(func(left func() int64) control.Controller {
			return run.NewSight(control.NewSearch(), func() (int64, bool) { return left(), c.known }, func() time.Duration { return 0 })
		})
		best := float64(c.jobs) / max(c.rate(2), c.rate(64))
		t.Logf("%s: %.2f of the best, up to %d at a time", name, took.Seconds()/best, highest)
		if highest > c.highest || took.Seconds() > c.slower*best {
			t.Errorf("%s: %.2f of the best, and up to %d at a time; want %.2f and %d", name, took.Seconds()/best, highest, c.slower, c.highest)
		}
		alone, _ := c.work(func(func() int64) control.Controller { return control.NewSearch() })
		if took > alone {
			t.Errorf("%s: %v, and %v by the law alone", name, took, alone)
		}
	}
}

// Until the first job ends, a job that waits for memory counts as one that waits for a permit: once
// memory is known to be there, the limit is not what is short.
func TestSightSeesTheWaitForMemory(t *testing.T) {
	for name, held := range map[string]bool{"held": true, "no demand": false} {
		r := control.Reading{Limit: 2, Max: 1000, CPUs: 2, InFlight: 1, Asleep: 1}
		law := run.NewSight(control.NewSearch(), func() (int64, bool) { return 40, true }, func() time.Duration {
			if held {
				return r.At
			}
			return 0
		})
		for r.At < 300*time.Millisecond {
			r.At += 10 * time.Millisecond
			r.Occupancy += 0.01
			r.Limit = law.Next(r).Limit
		}
		if held != (r.Limit > 8) {
			t.Errorf("%s: the limit is %d after %v", name, r.Limit, r.At)
		}
	}
}

// When at most as many jobs are waiting as run, the waiting ones start at once, if the running ones
// sleep and nothing has shown that more of them hurt.
func TestSightStartsTheLastJobs(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*control.Reading)
		left   int64
		want   int
	}{
		"as many again":     {func(*control.Reading) {}, 32, 32},
		"more":              {func(*control.Reading) {}, 33, 16},
		"all run":           {func(r *control.Reading) { r.InFlight = 10 }, 10, 16},
		"a limit":           {func(r *control.Reading) { r.Max = 20 }, 32, 20},
		"nothing has ended": {func(r *control.Reading) { r.Completed = 0 }, 32, 16},
		"a failure":         {func(r *control.Reading) { r.Ignored = 1 }, 32, 16},
		"an overload":       {func(r *control.Reading) { r.Overloads = 1 }, 32, 16},
		"they work":         {func(r *control.Reading) { r.Asleep = 0.4 }, 32, 16},
	} {
		law := run.NewSight(control.NewFixed(16), func() (int64, bool) { return c.left, true }, func() time.Duration { return 0 })
		r := control.Reading{Limit: 16, Max: 1000, CPUs: 2, InFlight: 16, Waiting: 1, Completed: 4, Asleep: 1, At: time.Second}
		c.change(&r)
		if d := law.Next(r); d.Limit != c.want {
			t.Errorf("%s: the limit is %d, want %d", name, d.Limit, c.want)
		}
	}
}
