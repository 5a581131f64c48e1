package lab

import (
	"slices"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// A verdict compares an interval with two values that each experiment names: the value
// without any effect, and the smallest effect that would support its claim.

// sees says whether an effect shows that is none at one value, and grows towards
// another. It shows if the whole interval is beyond none. It is absent if the whole
// interval falls short of least, even if it is not quite none. Otherwise the
// interval is too wide to decide.
func (e estimate) sees(none, least float64) figures.Effect {
	low, high := e.low, e.high
	if least < none {
		low, high, none, least = -high, -low, -none, -least
	}
	switch {
	case high <= least:
		return figures.Absent
	case low > none:
		return figures.Shows
	}
	return figures.Untold
}

// above says whether an effect shows: beyond the bar there is one, below it none.
func (e estimate) above(bar float64) figures.Effect { return e.sees(bar, bar) }

// below is the same for an effect that lies below the bar.
func (e estimate) below(bar float64) figures.Effect {
	return estimate{-e.y, -e.high, -e.low}.above(-bar)
}

// beside picks the words for an interval below a value, around it, and above it.
func (e estimate) beside(value float64, below, around, above string) string {
	switch {
	case e.high < value:
		return below
	case e.low > value:
		return above
	}
	return around
}

func says(e figures.Effect, shows, absent, untold string) string {
	switch e {
	case figures.Shows:
		return shows
	case figures.Absent:
		return absent
	}
	return untold
}

// slower is the least factor by which a time counts as longer: 5 % are more than the
// layout of the code changes.
const slower = 1.05

// every says whether all parts of a claim show. One absent part decides it.
func every(parts ...figures.Effect) figures.Effect {
	return settled(parts, figures.Absent, figures.Shows)
}

// either says whether some of several cases show.
func either(cases ...figures.Effect) figures.Effect {
	return settled(cases, figures.Shows, figures.Absent)
}

// settled returns decisive if it is among them, otherwise untold if that is, and otherwise
// rest.
func settled(effects []figures.Effect, decisive, rest figures.Effect) figures.Effect {
	for _, e := range []figures.Effect{decisive, figures.Untold} {
		if slices.Contains(effects, e) {
			return e
		}
	}
	return rest
}

// most says whether more than half of some cases show.
func most(cases ...figures.Effect) figures.Effect {
	shown, absent := 0, 0
	for _, c := range cases {
		switch c {
		case figures.Shows:
			shown++
		case figures.Absent:
			absent++
		}
	}
	switch {
	case 2*shown > len(cases):
		return figures.Shows
	case 2*absent >= len(cases):
		return figures.Absent
	}
	return figures.Untold
}

// whether is the effect of what is known exactly, such as a simulation.
func whether(shows bool) figures.Effect {
	if shows {
		return figures.Shows
	}
	return figures.Absent
}

// interval is that of a point.
func interval(p *figures.Point) estimate { return estimate{p.Y, p.Low, p.High} }
