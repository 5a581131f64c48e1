// Package meter reads the named Limiters of the process for those who export
// metrics: one row for each name, and one table of the metrics in it.
package meter

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// MaxNames is how many names have a row of their own; what comes later is summed
// up as [Other]. A program has some dozens of Limiters at most, but names that are
// made of data would be without end, and systems of metrics fail by that.
const MaxNames = 100

// Other is the name of the Limiters beyond [MaxNames].
const Other = "other"

// A Row is what the Limiters of a name say: now, the sum of those that live; as
// totals, those of all there were.
type Row struct {
	Name                             string
	Limit, InFlight, Waiting, Manual int64
	Totals
}

// Totals only grow.
type Totals struct {
	Done, Ignored, Overloaded int64
	Active                    float64 // s
	Waits                     control.Histogram
	Decisions                 [control.Manual + 1]int64
}

func (t *Totals) add(o *Totals) {
	t.Done += o.Done
	t.Ignored += o.Ignored
	t.Overloaded += o.Overloaded
	t.Active += o.Active
	t.Waits.Sum += o.Waits.Sum
	for i, n := range o.Waits.Counts {
		t.Waits.Counts[i] += n
	}
	for i, n := range o.Decisions {
		t.Decisions[i] += n
	}
}

// A Meter reads Limiters. It remembers the totals of those that are gone, as a
// total that falls would look like a program that began anew. The zero value is
// ready for use by any number of goroutines.
type Meter struct {
	mu    sync.Mutex
	known map[weak.Pointer[sweetspot.Limiter]]*known
	gone  map[string]*Totals // also names all rows
}

type known struct {
	name string
	Totals
}

// Read returns the rows in the order of their names. It costs some 3 µs for each
// Limiter. What a Limiter did between the last Read and its end is not seen.
func (m *Meter) Read() []Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone == nil {
		m.gone = make(map[string]*Totals)
	}
	rows := make(map[string]*Row)
	row := func(name string) *Row {
		if rows[name] == nil {
			rows[name] = &Row{Name: name}
		}
		return rows[name]
	}
	live := make(map[weak.Pointer[sweetspot.Limiter]]*known)
	for _, l := range sweetspot.Limiters() {
		key := weak.Make(l)
		k := m.known[key]
		if k == nil {
			k = &known{name: m.rowOf(l.Name())}
		}
		live[key] = k
		row(k.name).read(l, &k.Totals)
	}
	for key, k := range m.known {
		if live[key] == nil {
			m.gone[k.name].add(&k.Totals)
		}
	}
	m.known = live
	out := make([]Row, 0, len(m.gone))
	for _, name := range slices.Sorted(maps.Keys(m.gone)) {
		r := row(name)
		r.add(m.gone[name])
		out = append(out, *r)
	}
	return out
}

// rowOf returns the name of the row for Limiters called name.
func (m *Meter) rowOf(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD") // or it would spoil all metrics
	if _, ok := m.gone[name]; !ok && len(m.gone) >= MaxNames {
		name = Other
	}
	if m.gone[name] == nil {
		m.gone[name] = new(Totals)
	}
	return name
}

// read adds l to the row, and leaves its totals in t.
func (r *Row) read(l *sweetspot.Limiter, t *Totals) {
	s := l.Stats()
	r.Limit += int64(s.Limit)
	r.InFlight += int64(s.InFlight)
	r.Waiting += int64(s.Waiting)
	if s.Manual {
		r.Manual++
	}
	*t = Totals{
		Done: s.Completed, Ignored: s.Ignored, Overloaded: s.Overloads,
		Active: s.Active.Seconds(), Waits: l.Waits(),
	}
	for kind, n := range l.DecisionCounts() {
		t.Decisions[kind] = n
	}
	r.add(t)
}
