package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

const (
	// garbageShare is the part of the CPU time in which goroutines allocate and collect
	// that is worth a look.
	garbageShare = 0.1
	// garbageLines is how many lines are told of.
	garbageLines = 3
)

// garbage looks for what goroutines allocate anew each time and could keep. What
// they return, or store for others, they have to allocate.
func (x *examination) garbage() []Finding {
	a := x.p.Allocs
	if x.cpu() <= 0 || a == nil || a.All.Amount <= 0 {
		return nil
	}
	allocating := map[dissect.Place]float64{}
	for _, w := range x.p.Profile.Lines {
		allocating[w.Place] += w.Groups[dissect.Allocation] + w.Groups[dissect.Collection]
	}
	var f Finding
	var cost float64
	seen := map[dissect.Place]bool{}
	for _, w := range a.Lines {
		if len(seen) == garbageLines {
			break
		}
		if w.Spawned.Amount < 0.5*w.Own.Amount || x.settled(x.function(w.Place)) {
			continue
		}
		h, ok := x.thrownAway(w.Place)
		c := allocating[w.Place] + x.looseCollection*w.Own.Amount/a.All.Amount
		if !ok || c < worthwhile*x.cpu() {
			continue
		}
		if len(seen) == 0 {
			f = x.finding(checkGarbage, Overhead, w.Place)
		} else {
			f.Other = append(f.Other, w.Place)
		}
		seen[w.Place] = true
		cost += c
		e := fmt.Sprintf("%s: %s; %s and %s allocations %s.", w.Place, h.What, size(w.Own.Amount), humanize.Number(w.Own.Count), x.o.Per.Each())
		if len(h.Why) > 0 {
			e += " It leaves by " + h.Why[len(h.Why)-1] + "."
		}
		f.Evidence = append(f.Evidence, e)
	}
	if len(seen) == 0 || cost < garbageShare*x.cpu() {
		return nil
	}
	ofCPU := f.won(x, min(cost, x.cpu()))
	f.Title = fmt.Sprintf("goroutines allocate again and again in %s what each could keep", short(f.Func))
	f.Evidence = append(f.Evidence, fmt.Sprintf("Allocating it and collecting it again is %s of the CPU time.", percent(ofCPU)))
	f.Remedy = "Make it once for each worker, and reset it: in the body of sweetspot.Workers it is a local variable."
	return []Finding{f}
}

// thrownAway returns what the compiler says of a line that makes something which
// does not outlive the call. A slice of which it knows that need not be on the
// heap, but not how large it is, goes there when the program runs.
func (x *examination) thrownAway(p dissect.Place) (dissect.HeapVariable, bool) {
	var found dissect.HeapVariable
	known := false
	for _, h := range x.o.Heap {
		if h.Place.File != p.File || h.Place.Line != p.Line {
			continue
		}
		if !x.reusable(h) {
			return found, false
		}
		if !known {
			found, known = h, true
		}
	}
	if !known && strings.Contains(x.line(p).text, "make([]") {
		found.What, known = "a slice whose size only the running program knows", true
	}
	return found, known
}

// reusable reports whether a line makes something that does not outlive the call:
// a buffer, or a variable that was moved to the heap. What is returned or stored in
// what others have is a result.
func (x *examination) reusable(h dissect.HeapVariable) bool {
	buffer := strings.HasPrefix(h.What, "make(") || strings.HasPrefix(h.What, "new(") || strings.HasPrefix(h.What, "&") ||
		strings.HasPrefix(h.What, "moved to heap")
	if !buffer || x.line(h.Place).makeChan || x.line(h.Place).spawns {
		return false
	}
	return !slices.ContainsFunc(h.Why, func(why string) bool {
		return strings.Contains(why, "(return)") || strings.Contains(why, "(assign)") && strings.Contains(why, ".") || strings.Contains(why, "(slice-literal-element)")
	})
}
