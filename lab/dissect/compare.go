package dissect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// A Recording is what was recorded of one kind of work by all instruments.
type Recording struct {
	*Profile
	*Memory
	*Schedule
}

// Open reads a directory that Record has filled with all instruments. It trusts the files in it.
func Open(dir string) (*Recording, error) {
	var r Recording
	for _, i := range Instruments() {
		f, err := readFacts(dir, i)
		if err != nil {
			return nil, err
		}
		switch i {
		case CPU:
			r.Profile, err = openProfile(filepath.Join(dir, "cpu.pprof"), f)
		case Allocs:
			r.Memory, err = openMemory(filepath.Join(dir, "allocs.pprof"), f)
		case Trace:
			r.Schedule, err = openSchedule(filepath.Join(dir, "trace.out"), f)
		}
		if err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// A Comparison sets two kinds of work side by side.
type Comparison struct {
	A      string
	B      string
	Rounds int // recordings of each

	Time      []Row // of a run, of the CPUs, and each group's share of the latter
	Functions []Row // shares of the CPU time, largest first
	Memory    []Row
	Sites     []Row // lines that allocate, largest first
	Scheduler []Row
	Reasons   []Row // for which goroutines blocked, most frequent first

	Escape *Escaping // of the source of the work, nil if none was looked for
	Notes  []string
}

// A Row is one figure of both.
type Row struct {
	Name  string
	Group Group  // of a function
	Unit  string // of a run; % is a share
	A     Spread
	B     Spread
	// Differs is set if every recording of one is above every recording of the
	// other, and there are enough to say so.
	Differs bool
}

// A Spread is the median of figures, such as those of the recordings, with the least and the most.
type Spread struct {
	Mid  float64 `json:"mid"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

const (
	// most rows of functions, sites and reasons
	most = 10
	// enough recordings of each to say that they differ: with three, one row in ten
	// would by chance.
	enough = 4
	// least is the share of the CPU time or of the memory, in per cent, from which
	// on a row tells anything.
	least = 0.5
)

// Compare sets recordings of one kind of work beside as many of another. The
// first of both belong to one round, and so on.
func Compare(nameA string, a []*Recording, nameB string, b []*Recording) (*Comparison, error) {
	if len(a) == 0 || len(a) != len(b) {
		return nil, fmt.Errorf("there are %d recordings of %s and %d of %s, want as many of both, and one at least", len(a), nameA, len(b), nameB)
	}
	c := &Comparison{A: nameA, B: nameB, Rounds: len(a)}
	times := map[string]float64{"ms": 1e3, "%": 100} // what is in seconds, or a share of 1
	row := func(name, unit string, of func(*Recording) float64) Row {
		figures := func(rs []*Recording) (all []float64) {
			for _, r := range rs {
				all = append(all, of(r)*cmp.Or(times[unit], 1))
			}
			return all
		}
		one := Row{Name: name, Unit: unit, A: SpreadOf(figures(a)), B: SpreadOf(figures(b))}
		one.Differs = len(a) >= enough && (one.A.High < one.B.Low || one.B.High < one.A.Low)
		return one
	}

	c.Time = append(c.Time,
		row("time of a run", "ms", func(r *Recording) float64 { return r.Profile.Wall }),
		row("CPU time", "ms", func(r *Recording) float64 { return r.Seconds }))
	for _, g := range Groups() {
		c.Time = append(c.Time, row(string(g), "%", func(r *Recording) float64 { return r.Groups[g] }))
	}
	both := slices.Concat(a, b)
	for _, name := range names(both, func(r *Recording) map[string]Function { return r.Functions }) {
		one := row(name, "%", func(r *Recording) float64 { return r.Functions[name].Share })
		one.Group = groupIn(both, name)
		c.Functions = append(c.Functions, one)
	}
	c.Functions = top(c.Functions, least)

	c.Memory = []Row{
		row("bytes", "B", func(r *Recording) float64 { return r.Bytes }),
		row("objects", "objects", func(r *Recording) float64 { return r.Objects }),
		row("collections", "cycles", func(r *Recording) float64 { return r.Cycles }),
	}
	for _, name := range names(both, func(r *Recording) map[string]float64 { return r.Sites }) {
		c.Sites = append(c.Sites, row(name, "B", func(r *Recording) float64 { return r.Sites[name] }))
	}
	c.Sites = top(c.Sites, max(c.Memory[0].A.Mid, c.Memory[0].B.Mid)*least/100)

	c.Scheduler = schedulerRows(row)
	for _, name := range names(both, func(r *Recording) map[string]float64 { return r.Reasons }) {
		c.Reasons = append(c.Reasons, row(name, "times", func(r *Recording) float64 { return r.Reasons[name] }))
	}
	c.Reasons = top(c.Reasons, 0)

	c.note(a, b)
	return c, nil
}

func schedulerRows(row func(name, unit string, of func(*Recording) float64) Row) []Row {
	return []Row{
		row("time of a run, traced", "ms", func(r *Recording) float64 { return r.Schedule.Wall }),
		row("Ps run the work", "%", func(r *Recording) float64 { return r.OnWork }),
		row("Ps run the runtime's goroutines", "%", func(r *Recording) float64 { return r.OnRuntime }),
		row("Ps switch, or look for work", "%", func(r *Recording) float64 { return r.Between }),
		row("Ps idle", "%", func(r *Recording) float64 { return r.Idle }),
		row("goroutines created", "goroutines", func(r *Recording) float64 { return r.Created }),
		row("runnable to running", "times", func(r *Recording) float64 { return r.Started }),
		row("running to runnable", "times", func(r *Recording) float64 { return r.Preempted }),
		row("running to waiting", "times", func(r *Recording) float64 { return r.Blocked }),
		row("running to a system call", "times", func(r *Recording) float64 { return r.Calls }),
		row("goroutines running, sum", "ms", func(r *Recording) float64 { return r.Running }),
		row("goroutines runnable, sum", "ms", func(r *Recording) float64 { return r.Runnable }),
		row("goroutines waiting, sum", "ms", func(r *Recording) float64 { return r.Waiting }),
		row("goroutines in system calls, sum", "ms", func(r *Recording) float64 { return r.Syscall }),
		row("collector marking", "ms", func(r *Recording) float64 { return r.Marking }),
		row("goroutines in assists of the collector, sum", "ms", func(r *Recording) float64 { return r.Assists }),
		row("world stopped", "ms", func(r *Recording) float64 { return r.Stopped }),
	}
}

// note says what a reader must know about the recordings.
func (c *Comparison) note(a, b []*Recording) {
	for _, side := range []struct {
		name string
		rs   []*Recording
	}{{c.A, a}, {c.B, b}} {
		samples, cut := 0, 0
		for _, r := range side.rs {
			samples += r.Samples
			if r.Cut {
				cut++
			}
		}
		c.Notes = append(c.Notes, fmt.Sprintf("%s: %d samples of the CPU in all", side.name, samples))
		if cut > 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s: %d of %d traces were ended after %d MB, before their run: the scheduler's figures are of its beginning", side.name, cut, len(side.rs), traceMost>>20))
		}
	}
	if c.Rounds < enough {
		c.Notes = append(c.Notes, fmt.Sprintf("with fewer than %d recordings of each nothing is said to differ", enough))
		return
	}
	c.Notes = append(c.Notes, fmt.Sprintf("of rows that are the same in truth, one in %.0f seems to differ by chance; there are %d rows", oneIn(c.Rounds), len(c.rows())))
}

// oneIn returns in how many rows one has all of one side above all of the other
// by chance: two orders of 2n recordings are like that.
func oneIn(n int) float64 {
	orders := 1.0
	for i := range n {
		orders *= float64(n+i+1) / float64(i+1)
	}
	return orders / 2
}

func (c *Comparison) rows() []Row {
	return slices.Concat(c.Time, c.Functions, c.Memory, c.Sites, c.Scheduler, c.Reasons)
}

// Differing returns the rows that differ.
func (c *Comparison) Differing() []Row {
	return slices.DeleteFunc(c.rows(), func(r Row) bool { return !r.Differs })
}

// SpreadOf returns that of figures, zero of none.
func SpreadOf(all []float64) Spread {
	n := len(all)
	if n == 0 {
		return Spread{}
	}
	s := slices.Sorted(slices.Values(all))
	return Spread{Mid: (s[(n-1)/2] + s[n/2]) / 2, Low: s[0], High: s[n-1]}
}

func names[V any](rs []*Recording, of func(*Recording) map[string]V) []string {
	all := map[string]bool{}
	for _, r := range rs {
		for name := range of(r) {
			all[name] = true
		}
	}
	return sortedKeys(all)
}

// groupIn returns the group that a function has where its share is largest.
func groupIn(rs []*Recording, name string) Group {
	var best Function
	for _, r := range rs {
		if f := r.Functions[name]; f.Share > best.Share {
			best = f
		}
	}
	return best.Group
}

// top returns the largest rows, and none below a figure.
func top(rows []Row, from float64) []Row {
	size := func(r Row) float64 { return max(r.A.Mid, r.B.Mid) }
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(size(b), size(a)) })
	rows = slices.DeleteFunc(rows, func(r Row) bool { return size(r) < from || size(r) == 0 })
	return rows[:min(len(rows), most)]
}
