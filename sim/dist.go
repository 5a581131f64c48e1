package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Kind names a family of distributions.
type Kind uint8

const (
	Absent      Kind = iota // no such phase of the work
	Constant                // const(A)
	Exponential             // exp(A): mean A
	Lognormal               // ln(A, B): mean A, coefficient of variation B
	Pareto                  // pareto(A, B): mean A, tail exponent B > 1
	Uniform                 // uniform(A, B): between A and B
)

// A Dist is a distribution of times, in seconds. The zero Dist is [Absent]:
// the units do not have that phase.
type Dist struct {
	Kind Kind
	A, B float64 // as the comments at the kinds say
}

// families holds the spelling of each kind and how many arguments it takes.
var families = [...]struct {
	name string
	args int
}{
	Constant:    {"const", 1},
	Exponential: {"exp", 1},
	Lognormal:   {"ln", 2},
	Pareto:      {"pareto", 2},
	Uniform:     {"uniform", 2},
}

const distUsage = "want const(mean), exp(mean), ln(mean, cv), pareto(mean, alpha), uniform(low, high) or none"

// ParseDist reads a distribution as scenario files spell it: const(5ms),
// exp(5ms), ln(5ms, 1), pareto(5ms, 1.5), uniform(1ms, 9ms) or none. Times
// carry a unit, as [time.ParseDuration] reads them.
func ParseDist(s string) (Dist, error) {
	s = strings.TrimSpace(s)
	if s == "none" {
		return Dist{}, nil
	}
	name, rest, ok := strings.Cut(s, "(")
	args, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return Dist{}, fmt.Errorf("distribution %q: %s", s, distUsage)
	}
	for k, f := range families {
		if f.name == "" || f.name != strings.TrimSpace(name) {
			continue
		}
		parts := strings.Split(args, ",")
		if len(parts) != f.args {
			return Dist{}, fmt.Errorf("distribution %q: %s takes %d argument(s), got %d", s, f.name, f.args, len(parts))
		}
		d := Dist{Kind: Kind(k)}
		var err error
		if d.A, err = parseSeconds(parts[0]); err != nil {
			return Dist{}, fmt.Errorf("distribution %q: %w", s, err)
		}
		if len(parts) == 2 {
			if d.Kind == Uniform {
				d.B, err = parseSeconds(parts[1])
			} else if d.B, err = strconv.ParseFloat(strings.TrimSpace(parts[1]), 64); err != nil {
				err = fmt.Errorf("%q is not a number", strings.TrimSpace(parts[1]))
			}
			if err != nil {
				return Dist{}, fmt.Errorf("distribution %q: %w", s, err)
			}
		}
		if err := d.validate(); err != nil {
			return Dist{}, fmt.Errorf("distribution %q: %w", s, err)
		}
		return d, nil
	}
	return Dist{}, fmt.Errorf("distribution %q: %s", s, distUsage)
}

// String spells d as [ParseDist] reads it.
func (d Dist) String() string {
	switch d.Kind {
	case Absent:
		return "none"
	case Constant, Exponential:
		return fmt.Sprintf("%s(%s)", families[d.Kind].name, formatSeconds(d.A))
	case Uniform:
		return fmt.Sprintf("uniform(%s, %s)", formatSeconds(d.A), formatSeconds(d.B))
	case Lognormal, Pareto:
		return fmt.Sprintf("%s(%s, %v)", families[d.Kind].name, formatSeconds(d.A), d.B)
	}
	return fmt.Sprintf("kind(%d)", d.Kind)
}

// Mean returns the mean in seconds; 0 for [Absent].
func (d Dist) Mean() float64 {
	if d.Kind == Uniform {
		return (d.A + d.B) / 2
	}
	return d.A
}

func (d Dist) validate() error {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	switch {
	case d.Kind == Absent:
		return nil
	case d.Kind > Uniform:
		return fmt.Errorf("kind %d does not exist: %s", d.Kind, distUsage)
	case d.Kind == Uniform && !(d.A >= 0 && d.B > d.A && finite(d.B)):
		return fmt.Errorf("uniform wants 0 <= low < high")
	case d.Kind != Uniform && !(d.A > 0 && finite(d.A)):
		return fmt.Errorf("the mean must be above 0")
	case d.Kind == Lognormal && !(d.B > 0 && finite(d.B)):
		return fmt.Errorf("the coefficient of variation must be above 0 (const(mean) has none)")
	case d.Kind == Pareto && !(d.B > 1 && finite(d.B)):
		return fmt.Errorf("the exponent must be above 1, or the mean is infinite")
	}
	return nil
}

// A sampler draws from one Dist. Its constants are worked out once.
type sampler struct {
	kind Kind
	a, b float64
}

func newSampler(d Dist) sampler {
	switch d.Kind {
	case Lognormal:
		s2 := math.Log1p(d.B * d.B)
		return sampler{d.Kind, math.Log(d.A) - s2/2, math.Sqrt(s2)}
	case Pareto:
		return sampler{d.Kind, d.A * (d.B - 1) / d.B, -1 / d.B}
	case Uniform:
		return sampler{d.Kind, d.A, d.B - d.A}
	}
	return sampler{d.Kind, d.A, d.B}
}

// draw returns the next time, in seconds.
func (s *sampler) draw(r *rand.Rand) float64 {
	switch s.kind {
	case Exponential:
		return s.a * r.ExpFloat64()
	case Lognormal:
		return math.Exp(s.a + s.b*r.NormFloat64())
	case Pareto:
		return s.a * math.Pow(1-r.Float64(), s.b)
	case Uniform:
		return s.a + s.b*r.Float64()
	}
	return s.a
}

func parseSeconds(s string) (float64, error) {
	s = strings.TrimSpace(s)
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time with a unit, such as 20us, 1.5ms or 2s", s)
	}
	return d.Seconds(), nil
}

func formatSeconds(s float64) string {
	return time.Duration(math.Round(s * 1e9)).String()
}
