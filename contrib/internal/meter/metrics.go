package meter

import (
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
)

// Label is the label that every metric has: the name of the Limiter.
const Label = "limiter"

// A Metric is one of the numbers of a [Row], or several with a label.
type Metric struct {
	Name    string // in the manner of OpenTelemetry
	Unit    string // UCUM, as OpenTelemetry has it
	Help    string
	Counter bool   // only grows; else it goes up and down, and adds up over Limiters
	Label   string // beyond [Label]; "" if there is none
	Values  func(*Row) []Value
}

// A Value is a number of a metric.
type Value struct {
	Label string
	V     float64
}

// Prometheus returns the name in the manner of Prometheus, by the rules that the
// exporters of OpenTelemetry follow: the same dashboard reads both.
func (m *Metric) Prometheus() string {
	name := PrometheusName(m.Name, m.Unit)
	if m.Counter {
		name += "_total"
	}
	return name
}

// PrometheusName returns a name with its unit, if that has a name.
func PrometheusName(name, unit string) string {
	name = strings.ReplaceAll(name, ".", "_")
	if unit == "s" {
		name += "_seconds"
	}
	return name
}

// Metrics are all metrics but [WaitTime].
var Metrics = []Metric{
	{
		Name: "sweetspot.limit", Unit: "{unit}",
		Help:   "Units of work that may be in flight.",
		Values: one(func(r *Row) int64 { return r.Limit }),
	}, {
		Name: "sweetspot.in_flight", Unit: "{unit}",
		Help:   "Units of work that are in flight.",
		Values: one(func(r *Row) int64 { return r.InFlight }),
	}, {
		Name: "sweetspot.waiting", Unit: "{unit}",
		Help:   "Units of work that wait for a permit.",
		Values: one(func(r *Row) int64 { return r.Waiting }),
	}, {
		Name: "sweetspot.manual", Unit: "{limiter}",
		Help:   "1 while the limit is set manually, 0 while the law decides.",
		Values: one(func(r *Row) int64 { return r.Manual }),
	}, {
		Name: "sweetspot.units", Unit: "{unit}", Counter: true, Label: "outcome",
		Help: "Units of work that ended, by their outcome.",
		Values: func(r *Row) []Value {
			return []Value{{"done", float64(r.Done)}, {"ignored", float64(r.Ignored)}, {"overloaded", float64(r.Overloaded)}}
		},
	}, {
		Name: "sweetspot.decisions", Unit: "{decision}", Counter: true, Label: "reason",
		Help: "Decisions on the limit, by their reason, including decisions to stay.",
		Values: func(r *Row) []Value {
			// All of them from the beginning: of a series that begins with 1, the
			// increase from 0 is not seen.
			var vs []Value
			for k := control.Start; k <= control.Manual; k++ {
				vs = append(vs, Value{k.String(), float64(r.Decisions[k])})
			}
			return vs
		},
	}, {
		Name: "sweetspot.active_time", Unit: "s", Counter: true,
		Help:   "Time with work in flight.",
		Values: func(r *Row) []Value { return []Value{{V: r.Active}} },
	},
}

func one(f func(*Row) int64) func(*Row) []Value {
	return func(r *Row) []Value { return []Value{{V: float64(f(r))}} }
}

// WaitTime is the histogram of how long those waited for a permit who had to.
var WaitTime = struct{ Name, Unit, Help string }{
	"sweetspot.wait_time", "s", "How long units waited for a permit, of those that had to wait.",
}

const (
	// Every fourth bound of the Histogram, that is, each twice the one before:
	// shorter waits than the first are none that anybody would look for, and
	// longer ones than the last are all too long.
	boundFirst = 6 * 4  // 64 µs
	boundLast  = 26 * 4 // 67 s
	boundStep  = 4
)

// Bounds returns the upper bounds of the buckets of [WaitTime], s, without +Inf.
func Bounds() []float64 {
	var h control.Histogram
	var bounds []float64
	for i := boundFirst; i <= boundLast; i += boundStep {
		bounds = append(bounds, h.UpperBound(i))
	}
	return bounds
}

// Buckets returns how many waits fall into each bucket of [Bounds], and those above.
func (t *Totals) Buckets() []uint64 {
	counts := make([]uint64, (boundLast-boundFirst)/boundStep+2)
	for i, n := range t.Waits.Counts {
		b := min(max(0, (i-boundFirst+boundStep-1)/boundStep), len(counts)-1)
		counts[b] += uint64(n)
	}
	return counts
}
