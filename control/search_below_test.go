package control_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// computing is work that keeps every CPU busy which it gets.
func computing(cpus int, rate func(n int) float64) *fluid {
	p := &fluid{cpus: float64(cpus), rate: func(n int, _ time.Duration) float64 { return rate(n) }}
	p.edit = func(r *control.Reading) {
		r.OwnCPU += float64(min(r.Limit, cpus)) * fluidTick.Seconds()
		r.MachineCPU = r.OwnCPU
	}
	return p
}

// Units that slow each other down are best with fewer of them than CPUs.
func TestSearchGoesBelowTheCPUs(t *testing.T) {
	p := computing(8, func(n int) float64 { // as scenario spin8: best at 3 and 4
		return 500 * float64(min(n, 8)) / (1 + float64(n*(n-1))/12)
	})
	c := control.NewSearch()
	p.run(c, 8, 30*time.Second)
	if home := c.Home(); home < 3 || home > 5 {
		t.Errorf("the limit stands at %d, want 3 or 4", home)
	}
}

// A tie is no reason to go below: the same throughput with fewer units than
// CPUs is the trap that a neighbour sets.
func TestSearchTakesNoTieBelowTheCPUs(t *testing.T) {
	p := computing(8, func(int) float64 { return 1000 })
	c := control.NewSearch()
	low := 0
	p.see = func(_ control.Reading, d control.Decision) {
		if d.Reason.Kind == control.Shrink && d.Reason.To < 8 {
			low++
		}
	}
	p.run(c, 8, 60*time.Second)
	if c.Home() != 8 || low > 0 {
		t.Errorf("the limit stands at %d, moved below 8 %d times", c.Home(), low)
	}
}

// A look below costs half of the throughput while it lasts: it must be short
// and rare.
func TestLooksBelowAreCheap(t *testing.T) {
	p := computing(4, func(n int) float64 { return 250 * float64(min(n, 4)) })
	below := 0
	p.see = func(_ control.Reading, d control.Decision) {
		if d.Limit < 4 {
			below++
		}
	}
	p.run(control.NewSearch(), 4, 60*time.Second)
	if share := float64(below) / 6000; share > 0.03 || below == 0 {
		t.Errorf("%.2f %% of the time below the CPUs, want some, and at most 3", 100*share)
	}
}
