package control

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A named law, as ByName knows it. The argument is NaN where none was given.
type named struct {
	name string
	form string // the name with its argument, as it is asked for
	new  func(arg float64) (Controller, error)
}

// Arguments of laws that may be named without one. The first two are those of
// the talk, which recommends gains from 0.1 to 0.3 and that change rate.
const (
	namedGain       = 0.1
	namedChangeRate = 0.3
	namedUsage      = 90  // percent: nearly all, with room for the error of a window
	namedDecrease   = 0.9 // this and the following are as published
	namedAlpha      = 3
	namedBeta       = 6
	namedTolerance  = 1.5
)

// allNamed lists the laws that have a name.
var allNamed = []named{
	{"search", "search", plain(func() Controller { return NewOverload(NewSearch()) })},
	{"dynamictarget", "dynamictarget[:GAIN]", func(x float64) (Controller, error) {
		if x = argOr(x, namedGain); !(x > 0 && x <= maxGain) {
			return nil, fmt.Errorf("want a gain above 0 and at most %d", maxGain)
		}
		return NewDynamicTarget(x, namedChangeRate), nil
	}},
	{"step", "step[:PERCENT]", func(x float64) (Controller, error) {
		if x = argOr(x, namedUsage); !(x > 0 && x <= 100) {
			return nil, fmt.Errorf("want a target in percent, above 0 and at most 100")
		}
		return NewStep(x), nil
	}},
	{"fixedtarget", "fixedtarget[:PERCENT]", func(x float64) (Controller, error) {
		if x = argOr(x, namedUsage); !(x > 0 && x <= 100) {
			return nil, fmt.Errorf("want a target in percent, above 0 and at most 100")
		}
		return NewFixedTarget(x), nil
	}},
	{"aimd", "aimd[:SLOW]", func(x float64) (Controller, error) {
		a := NewAIMD(namedDecrease)
		if a.Slow = argOr(x, 0); a.Slow != 0 && !(a.Slow > 1) {
			return nil, fmt.Errorf("want a factor above 1, such as 2: a window is slow at that many times the shortest time in flight")
		}
		return a, nil
	}},
	{"vegas", "vegas", plain(func() Controller { return NewVegas(namedAlpha, namedBeta) })},
	{"gradient2", "gradient2[:TOLERANCE]", func(x float64) (Controller, error) {
		if x = argOr(x, namedTolerance); !(x >= 1) {
			return nil, fmt.Errorf("want a tolerance of at least 1")
		}
		return NewGradient2(x), nil
	}},
	{"hillclimbing", "hillclimbing", plain(func() Controller { return NewHillClimbing() })},
	{"fixed", "fixed:N", func(x float64) (Controller, error) {
		if !(x >= 1 && x <= math.MaxInt32) || x != math.Trunc(x) {
			return nil, fmt.Errorf("want a whole number of at least 1, such as fixed:8")
		}
		return NewFixed(int(x)), nil
	}},
}

// ByName returns a new controller of the law with that name: search, dynamictarget,
// step, fixedtarget, aimd, vegas, gradient2, hillclimbing or fixed. search is the
// default of a Limiter: [Search] in [Overload]. A number after a colon is its argument;
// only fixed needs one:
//
//	dynamictarget:GAIN     3 gains of 0.1 if not given; the change rate is 0.3
//	step:PERCENT           the CPU usage to reach; 90
//	fixedtarget:PERCENT    the CPU usage to hold; 90
//	aimd:SLOW              [AIMD.Slow]; never
//	gradient2:TOLERANCE    1.5
//	fixed:N                the number
//
// The error lists the laws, or says what is wrong with the argument. The name is meant
// for flags and configuration files.
func ByName(name string) (Controller, error) {
	kind, text, has := strings.Cut(name, ":")
	for _, law := range allNamed {
		if law.name != kind {
			continue
		}
		arg := math.NaN()
		if has {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("law %q: want a number after the colon", name)
			}
			arg = x
		}
		c, err := law.new(arg)
		if err != nil {
			return nil, fmt.Errorf("law %q: %w", name, err)
		}
		return c, nil
	}
	return nil, fmt.Errorf("unknown law %q: want one of %s", name, strings.Join(Names(), ", "))
}

// Names returns the names that [ByName] knows, the default first, with the
// arguments they take: "search", "step[:PERCENT]" and so on.
func Names() []string {
	names := make([]string, len(allNamed))
	for i, law := range allNamed {
		names[i] = law.form
	}
	return names
}

// plain makes laws that take no argument.
func plain(law func() Controller) func(float64) (Controller, error) {
	return func(arg float64) (Controller, error) {
		if !math.IsNaN(arg) {
			return nil, fmt.Errorf("takes no argument")
		}
		return law(), nil
	}
}

func argOr(arg, otherwise float64) float64 {
	if math.IsNaN(arg) {
		return otherwise
	}
	return arg
}
