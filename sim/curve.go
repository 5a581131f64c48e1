package sim

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Curve says by which factor everything gets slower when n units are in
// flight. It is made of one or more formulas of n, each valid up to an n. The
// zero Curve is 1 everywhere.
type Curve struct {
	text   string
	pieces []piece
}

type piece struct {
	upTo  int // the last n the formula holds for; 0: no end
	value formula
}

// ParseCurve reads a curve: a formula of n, or several formulas separated by
// semicolons of which all but the last say how far they hold:
//
//	1 + n*(n-1)/576
//	1 up to 8; pow(n/8, 1.05)
//
// A formula is made of numbers, n, + - * /, parentheses and the functions
// min(a, b), max(a, b), pow(a, b), ln(a), exp(a), sqrt(a). The curve must be finite and
// above 0 for every n from 1 to [MaxLimit].
func ParseCurve(s string) (Curve, error) {
	c := Curve{text: strings.Join(strings.Fields(s), " ")}
	parts := strings.Split(c.text, ";")
	last := 0
	for i, part := range parts {
		expr, bound, bounded := strings.Cut(part, "up to")
		p := piece{}
		if final := i == len(parts)-1; final == bounded {
			return Curve{}, fmt.Errorf("curve %q: every formula but the last needs `up to N`, and the last must not have it", c.text)
		}
		if bounded {
			n, err := strconv.Atoi(strings.TrimSpace(bound))
			if err != nil || n <= last {
				return Curve{}, fmt.Errorf("curve %q: `up to %s`: want a whole number above %d", c.text, strings.TrimSpace(bound), last)
			}
			p.upTo, last = n, n
		}
		f, err := parseFormula(expr)
		if err != nil {
			return Curve{}, fmt.Errorf("curve %q: %w", c.text, err)
		}
		p.value = f
		c.pieces = append(c.pieces, p)
	}
	if last >= MaxLimit {
		return Curve{}, fmt.Errorf("curve %q: `up to %d` is past the highest limit, %d", c.text, last, MaxLimit)
	}
	// Every n up to 1024, then steps of 1/1024, and both sides of each seam.
	for n := 1; n <= MaxLimit; n += 1 + n/1024 {
		if err := c.check(n); err != nil {
			return Curve{}, err
		}
	}
	for _, p := range c.pieces {
		if err := cmp.Or(c.check(max(p.upTo, 1)), c.check(p.upTo+1)); err != nil {
			return Curve{}, err
		}
	}
	return c, c.check(MaxLimit)
}

// check returns an error when the factor makes no sense at n.
func (c Curve) check(n int) error {
	if y := c.At(n); !(y > 0) || math.IsInf(y, 0) {
		return fmt.Errorf("curve %q: it is %v at n = %d; it must be a number above 0", c.text, y, n)
	}
	return nil
}

// At returns the factor with n units in flight. Below 1 unit nothing runs and
// nothing is slow: it returns At(1).
func (c Curve) At(n int) float64 {
	n = max(n, 1)
	for _, p := range c.pieces {
		if p.upTo == 0 || n <= p.upTo {
			return p.value(float64(n))
		}
	}
	return 1
}

// String spells c as [ParseCurve] reads it; "1" for the zero Curve.
func (c Curve) String() string {
	if c.text == "" {
		return "1"
	}
	return c.text
}

// slowness is a curve that is worked out once for each n.
type slowness struct {
	curve Curve
	at    []float64
}

func (s *slowness) of(n int) float64 {
	for len(s.at) <= n {
		s.at = append(s.at, 0)
	}
	if s.at[n] == 0 {
		s.at[n] = s.curve.At(n)
	}
	return s.at[n]
}
