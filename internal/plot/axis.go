package plot

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

type axis struct {
	log      bool
	min, max float64 // values
	from, to float64 // their places
}

func (a *axis) at(v float64) float64 {
	return a.from + a.share(v)*(a.to-a.from)
}

// share returns how far v is between min and max, from 0 to 1. What lies outside
// is held close by, so that a line to it leaves the picture and needs no huge
// number.
func (a *axis) share(v float64) float64 {
	s := 0.0
	if a.log {
		if v <= 0 {
			return -0.1
		}
		s = math.Log(v/a.min) / math.Log(a.max/a.min)
	} else {
		s = (v - a.min) / (a.max - a.min)
	}
	return min(max(s, -0.1), 1.1)
}

// wide is how many times the least value the greatest is where a linear axis
// would press the small ones together at its foot.
const wide = 20

// valueAxis returns an axis for values with intervals: a logarithmic one if asked
// for, or if they are far apart. Where an interval reaches
// far beyond all values it is cut: one disturbed round would press everything
// else together.
func valueAxis(ps []Point, log bool) axis {
	low, high, least, most := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range ps {
		least, most = min(least, p.Y), max(most, p.Y)
		low, high = min(low, p.Low, p.Y), max(high, p.High, p.Y)
	}
	const beyond = 1.6
	if least > 0 {
		low, high = max(low, least/beyond), min(high, most*beyond)
	}
	switch {
	case len(ps) == 0:
		return axis{min: 0, max: 1}
	case least > 0 && (log || most > wide*least):
		return axis{log: true, min: low / 1.15, max: high * 1.15}
	case low > 0 && low >= 0.6*high && low < 0.995*high:
		// From zero on there would be little to see. Where there is nothing, because
		// all figures are the same, an axis that makes much of it would mislead.
		margin := 0.08 * (high - low)
		return axis{min: low - margin, max: high + margin}
	}
	low, high = min(low, 0), max(high, 0)
	if low == high {
		high = 1
	}
	margin := 0.05 * (high - low)
	if low < 0 {
		low -= margin
	}
	return axis{min: low, max: high + margin}
}

// partsAxis returns a linear axis from 0 on.
func partsAxis(ps []Point) axis {
	most := 0.0
	for _, p := range ps {
		most = max(most, p.Y, p.High)
	}
	return axis{max: 1.05 * cmp.Or(most, 1)}
}

// placeAxis returns an axis for where figures stand.
func placeAxis(xs []float64, log2 bool) axis {
	a := axis{log: log2, min: 1, max: 2}
	if len(xs) > 0 {
		a.min, a.max = slices.Min(xs), slices.Max(xs)
	}
	switch {
	case a.min == a.max && log2:
		a.min, a.max = a.min/2, a.max*2
	case a.min == a.max:
		room := max(1, 1e-6*math.Abs(a.min)) // 1 more is the same number where numbers are large
		a.min, a.max = a.min-room, a.max+room
	}
	return a
}

// ticks returns at most so many values between min and max that are easy to read.
func (a *axis) ticks(most int) []float64 {
	most = max(most, 2)
	if a.log && a.max >= 10*a.min {
		return a.decades(most)
	}
	for _, step := range []float64{1, 2, 5, 10, 20} {
		step *= math.Pow(10, math.Floor(math.Log10((a.max-a.min)/float64(most))))
		first := math.Ceil(a.min/step-1e-9) * step
		if n := int((a.max-first)/step+1e-9) + 1; n <= most {
			ts := make([]float64, n)
			for i := range ts {
				ts[i] = math.Round(first/step+float64(i)) * step
			}
			return ts
		}
	}
	return nil
}

// decades returns ticks of a logarithmic axis: with some in between if there are
// few powers of ten, without some if there are many.
func (a *axis) decades(most int) []float64 {
	var best []float64
	for _, marks := range [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 2, 3, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}} {
		var ts []float64
		for e := math.Floor(math.Log10(a.min)); e <= math.Log10(a.max); e++ {
			for _, m := range marks {
				if v := m * math.Pow(10, e); v >= a.min*(1-1e-9) && v <= a.max*(1+1e-9) {
					ts = append(ts, v)
				}
			}
		}
		if best != nil && len(ts) > most {
			break
		}
		best = ts
	}
	return thinned(best, most)
}

// places returns ticks for an axis of places: where the figures stand if there is
// room, else powers of two or round numbers. each is the room that a tick takes.
func (a *axis) places(xs []float64, each float64) []float64 {
	xs = places(xs)
	fits := func(ts []float64) bool {
		for i := 1; i < len(ts); i++ {
			if a.at(ts[i])-a.at(ts[i-1]) < each {
				return false
			}
		}
		return len(ts) > 0
	}
	if len(xs) <= 10 && fits(xs) {
		return xs
	}
	room := int((a.to - a.from) / each)
	if !a.log {
		return a.ticks(room)
	}
	var ts []float64
	for v := math.Exp2(math.Ceil(math.Log2(a.min) - 1e-9)); v <= a.max*(1+1e-9); v *= 2 {
		ts = append(ts, v)
	}
	return thinned(ts, room)
}

// thinned returns every second of ts, or every third, and so on.
func thinned(ts []float64, most int) []float64 {
	if len(ts) <= most {
		return ts
	}
	every := (len(ts) + most - 1) / max(most, 1)
	var some []float64
	for i := 0; i < len(ts); i += every {
		some = append(some, ts[i])
	}
	return some
}

// short prints a tick without the zeros that say nothing.
func short(v float64) string {
	a := math.Abs(v)
	if a < 1e4 || a >= 1e15 {
		return trimmed(v)
	}
	for _, k := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if a >= k.of && math.Mod(a, k.of/10) == 0 {
			return trimmed(v/k.of) + k.name
		}
	}
	if v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', -1, 32)
	}
	return humanize.Grouped(int64(v))
}

// trimmed prints six digits, as float arithmetic leaves more that are noise. It keeps the
// exponent of numbers that would be long without.
func trimmed(v float64) string {
	s := strconv.FormatFloat(v, 'g', 6, 64)
	if a := math.Abs(v); !strings.Contains(s, "e") || a < 1e-15 || a >= 1e15 {
		return s
	}
	rounded, _ := strconv.ParseFloat(s, 64) // what was just printed
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
