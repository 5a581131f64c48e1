package lab

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// shareSamples lets points that name the same measurement take their samples from
// the first of them, if they do the same amount of work. It returns those to be
// measured, in as many rounds as any of them shows.
func shareSamples(all []*subject) []*subject {
	var measured []*subject
	for _, s := range all {
		if s.p.from != "" {
			i := slices.IndexFunc(measured, func(m *subject) bool { return m.p.from == s.p.from && m.n == s.n && m.p.cpus == s.p.cpus })
			if i >= 0 {
				s.from = measured[i]
				s.from.turns = max(s.from.turns, s.rounds)
				continue
			}
		}
		s.turns = s.rounds
		measured = append(measured, s)
	}
	return measured
}

// fallTo is the part of the best figure below which a sweep has fallen. Half of it would
// be too high: with blocks of 409,600 B, 4 at a time have 0.5 of one, and 64 have twice as
// much as one. Disturbances take less than that, too.
const fallTo = 1. / 3

// fallen reports whether the sweep of s has fallen, by the samples so far.
func fallen(s *subject, subjects []*subject) bool {
	if s.p.sweep == "" {
		return false
	}
	best := 0.0
	for _, o := range subjects {
		if o.p.sweep != s.p.sweep || o.e != s.e || len(o.samples) == 0 {
			continue
		}
		y := o.samples[0]
		if s.e.better != higher {
			y = 1 / y
		}
		if best = max(best, y); y < fallTo*best {
			return true
		}
	}
	return false
}

// figures returns the samples of s: as measured, or the extra figures of its run,
// divided by those of the point that it is per.
func (s *subject) figures(all []*subject) ([]float64, error) {
	values, err := s.values()
	if err != nil || s.p.per == "" {
		return values, err
	}
	i := slices.IndexFunc(all, func(o *subject) bool { return o.e == s.e && o.p.from == s.p.per && o.p.extra == "" })
	if i < 0 {
		return nil, fmt.Errorf("%s, which it is compared with, was not measured", s.p.per)
	}
	base := all[i].measured()
	if base.err != nil {
		return nil, base.err
	}
	return ratios(&figures.Point{Samples: values}, &figures.Point{Samples: base.samples}), nil
}

func (s *subject) values() ([]float64, error) {
	m := s.measured()
	n := min(s.rounds, len(m.samples))
	if s.p.extra == "" {
		return m.samples[:n], nil
	}
	var values []float64
	for _, a := range m.asides[:n] {
		v, ok := a.Extra[s.p.extra]
		if !ok {
			return nil, fmt.Errorf("its run shows no %s", s.p.extra)
		}
		values = append(values, v)
	}
	return values, nil
}
