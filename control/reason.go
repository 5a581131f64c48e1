package control

import (
	"fmt"
	"math"
	"strings"
)

// Kind says what sort of decision a [Reason] explains.
type Kind uint8

const (
	None       Kind = iota // nothing was decided
	Start                  // the loop begins here
	Probe                  // the limit is tried: an experiment, not a move
	Grow                   // moved up
	Shrink                 // moved down
	Stay                   // an experiment ended; the old limit stands
	AppLimited             // there is less work than the limit allows
	Changed                // the work or the machine changed; what was known is dropped
	Overloaded             // outcomes said "too much"
	Vetoed                 // memory, threads or files forbid more
	Manual                 // set manually
)

var kindNames = [...]string{"none", "start", "probe", "grow", "shrink", "stay", "applimited", "changed", "overloaded", "vetoed", "manual"}

// String returns the lower-case name of k, as the JSON outputs carry it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", k)
}

// A Reason says why a limit was kept or changed, in numbers for programs and,
// by String, in words for people.
type Reason struct {
	Kind Kind
	From int // the limit that stood
	To   int // the limit decided on or, for Probe and Stay, the limit tried
	// Gain is the relative change of throughput measured at To against From:
	// 0.94 is 94 % more. NaN where nothing was measured.
	Gain  float64
	Error float64 // standard error of Gain; 0 where unknown
	Note  string  // what else weighed in, in words: "both CPUs busy"
}

// String returns the reason in words, such as
//
//	doubled 8→16: +94 % throughput
//	stays at 2: 4 gained 0.3 % ± 0.6 %; both CPUs busy
func (r Reason) String() string {
	var b strings.Builder
	switch r.Kind {
	case None:
		return ""
	case Start:
		fmt.Fprintf(&b, "starts at %d", r.To)
	case Probe:
		fmt.Fprintf(&b, "tries %d", r.To)
	case Grow, Shrink:
		switch {
		case r.To == 2*r.From:
			b.WriteString("doubled ")
		case r.From == 2*r.To:
			b.WriteString("halved ")
		}
		fmt.Fprintf(&b, "%d→%d", r.From, r.To)
	case Stay:
		fmt.Fprintf(&b, "stays at %d", r.From)
	case AppLimited:
		fmt.Fprintf(&b, "%d→%d: fewer units than permits", r.From, r.To)
	case Changed:
		fmt.Fprintf(&b, "searches again from %d", r.To)
	case Overloaded:
		fmt.Fprintf(&b, "%d→%d: the work reported overload", r.From, r.To)
	case Vetoed:
		fmt.Fprintf(&b, "held at %d", r.To)
	case Manual:
		fmt.Fprintf(&b, "%d→%d: set manually", r.From, r.To)
	default:
		b.WriteString(r.Kind.String())
	}
	sep := ": "
	if r.Kind == AppLimited || r.Kind == Overloaded || r.Kind == Manual {
		sep = "; "
	}
	if g := r.gain(); g != "" {
		b.WriteString(sep + g)
		sep = "; "
	}
	if r.Note != "" {
		b.WriteString(sep + r.Note)
	}
	return b.String()
}

// gain returns the measured part of the sentence, or "".
func (r Reason) gain() string {
	if math.IsNaN(r.Gain) || math.IsInf(r.Gain, 0) || r.Kind == Start || r.Kind == Probe || r.Kind == Manual ||
		r.Gain == 0 && r.Error == 0 {
		return ""
	}
	g := r.Gain
	if math.Abs(g) < leastShown {
		g = 0 // "-0.0 %" and "lost 0.0 %" claim a sign that nobody can see
	}
	if r.Kind == Stay {
		verb := "gained"
		if g < 0 {
			verb, g = "lost", -g
		}
		return fmt.Sprintf("%d %s %s%s", r.To, verb, percent(g), plusMinus(r.Error))
	}
	return fmt.Sprintf("%+.*f %% throughput%s", digits(g), 100*g, plusMinus(r.Error))
}

// leastShown is the smallest share that does not round to 0.0 %.
const leastShown = 0.0005

func plusMinus(e float64) string {
	if e <= 0 || math.IsNaN(e) || math.IsInf(e, 0) {
		return ""
	}
	return " ± " + percent(e)
}

func percent(x float64) string { return fmt.Sprintf("%.*f %%", digits(x), 100*x) }

// digits keeps two significant digits where they mean something: 0.3 %, 94 %.
func digits(x float64) int {
	if math.Abs(x) < 0.095 {
		return 1
	}
	return 0
}
