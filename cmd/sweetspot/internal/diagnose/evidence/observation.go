package evidence

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// An Observation is all that was recorded of one benchmark, of one command, or of a
// program by others.
type Observation struct {
	Name    string        `json:"name"`                       // as in "BenchmarkSum/workers=4", without GOMAXPROCS; of a command, its words
	Package string        `json:"package"`                    // its import path
	Module  string        `json:"module"`                     // the directory of its module, whose code is the user's; empty if it is not here
	Scope   dissect.Scope `json:"-"`                          // the code that is the user's
	Seconds float64       `json:"recorded_seconds,omitempty"` // of a recording by others; 0 of what was run here
	Per     Per           `json:"per"`                        // what all figures are for one of

	Points []Point `json:"points"` // one for each GOMAXPROCS, the least first
	// Control is how many times as much CPU time a loop in registers took after each
	// round with the most CPUs busy as with the fewest: what others do to this machine's
	// CPUs. It is empty where there is but one GOMAXPROCS.
	Control []float64 `json:"control,omitempty"`
	// Heap is what the compiler puts on the heap in the user's code where goroutines
	// allocate, by bytes, most first. Of a channel, a map that grows, a string, a slice
	// whose size is not constant it says nothing: their lines are in Allocs alone.
	Heap  []dissect.HeapVariable `json:"heap"`
	Notes []string               `json:"notes,omitempty"` // what a reader must know of the recordings
}

// Per is what figures are for one of.
type Per string

// An operation is what a benchmark repeats; a run is one of a command. A recording of a
// program that goes on has seconds.
const (
	Op     Per = "op"
	Run    Per = "run"
	Second Per = "second"
)

// Each says what figures are for one of.
func (p Per) Each() string {
	switch p {
	case Run:
		return "a run"
	case Second:
		return "a second"
	}
	return "an operation"
}

// A Point is what was recorded at one GOMAXPROCS.
type Point struct {
	Procs int `json:"procs"`

	// Without any instrument, one figure for each round.
	Seconds []float64            `json:"seconds"`
	CPU     []float64            `json:"cpu_seconds"` // of the whole process, user and system; empty where it cannot be told
	Metrics map[string][]float64 `json:"metrics"`     // all else that a benchmark reported, by unit: "B/op", "allocs/op", its own

	// What the instruments saw: nil where none has looked. A trace and a CPU profile are
	// taken at the least and the largest GOMAXPROCS, the others at the largest.
	Activity *dissect.Activity `json:"activity"`
	Profile  *dissect.Weighing `json:"profile"` // of CPU time
	Allocs   *dissect.Weighing `json:"allocs"`  // bytes and objects
	Mutex    *dissect.Weighing `json:"mutex"`   // waiting for locks, at the line that held them
	Block    *dissect.Weighing `json:"block"`   // waiting for channels and locks, at the line that waited

	// Of a program that was running: where its goroutines stood, and those that nobody
	// can wake any more.
	Goroutines *dissect.Weighing `json:"goroutines,omitempty"`
	Leaks      *dissect.Weighing `json:"leaks,omitempty"`
}

// Profiled returns the CPU time of the process in an operation, 0 if nobody knows.
func (p *Point) Profiled() float64 {
	if p.Profile == nil {
		return 0
	}
	return p.Profile.All.Amount
}

// LookedInto reports whether any instrument saw something.
func (p *Point) LookedInto() bool {
	return p.Activity != nil || p.Profile != nil || p.Allocs != nil || p.Mutex != nil || p.Block != nil || p.Goroutines != nil || p.Leaks != nil
}

// Largest returns the point with the largest GOMAXPROCS.
func (o *Observation) Largest() *Point { return &o.Points[len(o.Points)-1] }

// Idle returns the part of the most CPUs that had nothing to do. The trace says it: by
// CPU time it is also what other programs have had of them, but better than nothing.
func (o *Observation) Idle() float64 {
	p := o.Largest()
	switch a := p.Activity; {
	case a != nil && a.Schedule != nil:
		return a.Idle
	case a == nil && o.Per == Second && p.Profiled() > 0:
		return max(1-p.Profiled()/(Median(p.Seconds)*float64(p.Procs)), 0)
	}
	return 0
}

// Count says how often lines were executed, which GOMAXPROCS does not change.
func (o *Observation) Count(c *dissect.Counts) {
	for i := range o.Points {
		if a := o.Points[i].Activity; a != nil {
			a.Count(c)
		}
	}
}

// Note adds to what a reader must know of the recordings.
func (o *Observation) Note(format string, args ...any) {
	o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
}

// AddDirectory adds the directory of a place, if it is in the module and exists here.
func (o *Observation) AddDirectory(dirs []string, p dissect.Place) []string {
	dir := filepath.Dir(p.File)
	rel, err := filepath.Rel(o.Module, dir)
	if o.Module == "" || err != nil || !filepath.IsLocal(rel) || slices.Contains(dirs, dir) {
		return dirs
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return dirs
	}
	return append(dirs, dir)
}
