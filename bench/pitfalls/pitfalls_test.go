package pitfalls

import (
	"flag"
	"runtime"
	"strings"
	"testing"
)

var rightProcs = flag.Int("procs", 0, "GOMAXPROCS that is right for maxprocs; 0: what the runtime chooses")

// All forms of a work do the same.
func TestFormsAgree(t *testing.T) {
	for _, p := range append(pitfalls(), byHand(1)) {
		n := min(p.n, 1000)
		if p.check == "maxprocs" {
			n = 10
		}
		var want int
		for i, f := range p.make(n) {
			for range 2 { // the second time must find what the first time found
				if got := f.run(); i == 0 {
					want = got
				} else if got != want {
					t.Errorf("%s, %s: got %d, want %d as %s", p.work, f.name, got, want, p.make(n)[0].name)
				}
			}
		}
		if want <= 0 {
			t.Errorf("%s: %d is nothing to tell forms apart by", p.work, want)
		}
	}
}

func Benchmark(b *testing.B) {
	works := pitfalls()
	if limited() {
		works = append(works, byHand(*rightProcs))
	}
	for _, p := range works {
		for _, f := range p.make(p.n) {
			name := "check=" + p.check + "/work=" + word(p.work) + "/form=" + word(f.name)
			b.Run(name, func(b *testing.B) { measure(b, p, f) })
		}
	}
}

// word makes one word of several, as names of benchmarks are.
func word(s string) string { return strings.ReplaceAll(s, " ", "-") }

// measure reports the time of an item, or the figure of a form that has one.
func measure(b *testing.B, p pitfall, f form) {
	runtime.GC() // of what the form before has left
	runs, figures := 0, 0.0
	for b.Loop() {
		runs++
		if f.figure != nil {
			figures += f.figure()
		} else {
			f.run()
		}
	}
	switch {
	case f.figure != nil:
		b.ReportMetric(figures/float64(runs), "ns-p99")
	case p.item != "":
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(runs)/float64(p.n), "ns/"+p.item)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys-m.HeapReleased), "B-sys")
}

// limited reports whether this process may use fewer CPUs than the machine has, or is said to.
func limited() bool {
	was := procs()
	runtime.SetDefaultGOMAXPROCS()
	defer runtime.GOMAXPROCS(was)
	return procs() < runtime.NumCPU() || *rightProcs > 0 && *rightProcs < runtime.NumCPU()
}
