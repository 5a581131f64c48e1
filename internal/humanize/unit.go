package humanize

import (
	"math"
	"strings"
)

// A Unit prints figures for people. Files hold them in one unit, such as
// "ns/run", whatever their size; people want "1.77 ms/run".
type Unit struct {
	Name   string  // such as "ms/run"
	factor float64 // from the unit of the file
}

type size struct {
	name string
	of   float64
}

var (
	times = []size{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}} // in seconds
	bytes = []size{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}
)

// Seconds returns how many seconds the unit of a file is, as in "ns/run", and
// what follows the time, as in "/run". It returns 0 for a unit that is not a time.
func Seconds(unit string) (seconds float64, rest string) {
	head, rest := cutUnit(unit)
	if head == "us" {
		head = "µs"
	}
	for _, t := range times {
		if t.name == head {
			return t.of, rest
		}
	}
	return 0, rest
}

// cutUnit splits "ns/run" and "B of heap" behind what is counted.
func cutUnit(unit string) (head, rest string) {
	if i := strings.IndexAny(unit, "/ "); i > 0 {
		return unit[:i], unit[i:]
	}
	return unit, ""
}

// UnitFor returns the unit that suits values in the given one best.
func UnitFor(unit string, values ...float64) Unit {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if v = math.Abs(v); v != 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	if most == 0 {
		return Unit{unit, 1}
	}
	if in, rest := Seconds(unit); in != 0 {
		s := suiting(times, least*in, most*in)
		return Unit{s.name + rest, in / s.of}
	}
	if head, rest := cutUnit(unit); head == "B" {
		s := suiting(bytes, least, most)
		return Unit{s.name + rest, 1 / s.of}
	}
	return Unit{unit, 1}
}

// suiting returns the largest size that leaves the least value 1 or more, or one
// above if the most would be a long number.
func suiting(sizes []size, least, most float64) size {
	const long = 1e7
	i := 0
	for i+1 < len(sizes) && (least >= sizes[i+1].of || most >= long*sizes[i].of) {
		i++
	}
	return sizes[i]
}

// Of returns a value of the file's unit in this one.
func (u Unit) Of(v float64) float64 { return v * u.factor }

// Number prints a value of the file's unit in this one, as [Number] does.
func (u Unit) Number(v float64) string { return Number(u.Of(v)) }

// Format prints a value with its unit.
func Format(v float64, unit string) string {
	u := UnitFor(unit, v)
	return strings.TrimSpace(u.Number(v) + " " + u.Name)
}
