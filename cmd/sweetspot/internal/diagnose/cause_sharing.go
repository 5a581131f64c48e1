package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// sharing looks for lines that write to memory which other CPUs write to. No
// counter tells of it in a virtual machine, so it is told by what is left: a
// function of goroutines that stores, and takes more CPU time for the same work
// with more CPUs.
func (x *examination) sharing() []Finding {
	if x.cpu() <= 0 {
		return nil
	}
	more, compared := x.inflation()
	if x.one != nil && !compared {
		return nil
	}
	return x.settle(x.p.Profile, func(fn string, group []*dissect.Weight) (f Finding, ok bool) {
		at, share, ok := x.hotStore(group)
		if !ok {
			return f, false
		}
		f = x.finding(checkShared, Unknown, at)
		x.join(&f, nil, "falseshare", "shardpad")
		f.Remedy = unshare
		if x.one == nil { // a single number of CPUs cannot tell what it costs: sweetspot vet has to have found it, too
			f.Title = fmt.Sprintf("%s writes to memory beside memory that other goroutines write to", short(fn))
			f.Evidence = []string{
				fmt.Sprintf("It has %s of the CPU time, in goroutines.", percent(share)),
				"A single GOMAXPROCS does not show what CPUs lose by fighting over the cache line: a benchmark of it, with one CPU and with all, does.",
			}
			return f, len(f.Static) > 0
		}
		was := x.self(x.one.Profile, fn) / x.one.Profile.All.Amount
		cost, told := more.of(share, was)
		if told {
			f.Basis = Inflation
			f.won(x, cost)
			f.Title = fmt.Sprintf("%s writes to a cache line that other CPUs write to", short(fn))
			f.Evidence = append(more.words("It has", share, was), "What was added is not in locks, the scheduler or the collector.")
			return f, true
		}
		f.Title = fmt.Sprintf("%s adds up in memory what each goroutine could keep to itself", short(fn))
		f.Evidence = []string{
			fmt.Sprintf("It has %s of the CPU time, in goroutines, and each turn of its loop writes to memory.", percent(share)),
			fmt.Sprintf("It is open whether CPUs fight over the cache line: the process takes %s times as much CPU time with %s as with %d (%s to %s in single rounds).",
				humanize.Number(more.Mid), humanize.Count(x.p.Procs, "CPUs"), x.one.Procs, humanize.Number(more.Low), humanize.Number(more.High)),
		}
		// A sum in memory, in the hottest of all functions, is the same fault where the
		// machine is too busy to show it. What takes less CPU time in each round shows
		// that there is none even so.
		return f, len(f.Static) > 0 || x.line(at).adds && share >= byTheLine && (more.High >= inflatedEver || more.High >= 1 && !x.together())
	})
}

const unshare = "Let each goroutine work on a variable of its own and store the result once: sweetspot.ReduceRange and Reduce do that. Else keep what goroutines write 128 bytes apart."

// hotStore returns the line of a function that stores and takes most, and the share of the
// function, if goroutines spend a good part of the CPU time in it.
func (x *examination) hotStore(lines []*dissect.Weight) (at dissect.Place, share float64, ok bool) {
	var spawned, most float64
	for _, w := range lines {
		share += w.Self.Amount / x.cpu()
		spawned += w.Spawned.Amount / x.cpu()
		if p, ok := x.storing(w); ok && w.Self.Amount > most {
			most, at = w.Self.Amount, p
		}
	}
	return at, share, most > 0 && share >= hotLine && spawned >= share/2
}

// togetherLeast is the part of the CPUs that a process must have had for its
// goroutines to have run at the same time, mostly.
const togetherLeast = 0.75

// together reports whether goroutines have had the CPUs at the same time: if others
// have them, nobody fights over a cache line for as long.
func (x *examination) together() bool {
	return evidence.Median(x.p.CPU) >= togetherLeast*(1-x.o.Idle())*float64(x.p.Procs)*x.wall
}

// storing returns the line that writes to memory where a sample was taken. To which of two
// lines a sample goes depends on how the processor is interrupted: that may be the next
// one at the head of a loop, or the one into which the compiler put a function that writes.
func (x *examination) storing(w *dissect.Weight) (dissect.Place, bool) {
	p := w.Place
	l := x.line(p)
	if l.stores || slices.ContainsFunc(x.p.Profile.Lines, func(in dissect.Weight) bool {
		return slices.Contains(w.Inlined, in.Place.Func) && x.line(in.Place).stores
	}) {
		return p, true
	}
	p.Line++
	return p, strings.HasPrefix(l.text, "for ") && x.line(p).stores
}

// steadied says that a figure is without what the machine itself does.
func (x *examination) steadied() string {
	if x.steady < 1.02 {
		return ""
	}
	return fmt.Sprintf(", after dividing by the %s times that this machine takes even for a loop in registers", humanize.Number(x.steady))
}
