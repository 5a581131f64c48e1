package lab_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// An effect shows if all of its interval is beyond none, and is absent if all of it
// falls short of the least that bears the claim out, whichever way it goes.
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		low, high, none, least float64
		want                   figures.Effect
	}{
		{2, 3, 1, 1.05, figures.Shows},
		{1.01, 1.5, 1, 1.05, figures.Shows},
		{0.9, 1.5, 1, 1.05, figures.Untold},
		{1.01, 1.04, 1, 1.05, figures.Absent}, // there, but too little to matter
		{0.5, 0.9, 1, 1.05, figures.Absent},   // the contrary
		{0.5, 0.9, 1, 0.95, figures.Shows},
		{0.9, 1.01, 1, 0.95, figures.Untold},
		{0.96, 1.2, 1, 0.95, figures.Absent},
		{3, 4, 2, 2, figures.Shows},
		{1, 2, 2, 2, figures.Absent},
		{1, 3, 2, 2, figures.Untold},
	} {
		if got := lab.Sees(c.low, c.high, c.none, c.least); got != c.want {
			t.Errorf("%g to %g, none at %g, least %g: %v, want %v", c.low, c.high, c.none, c.least, got, c.want)
		}
	}
}

func TestEffectsOfSeveral(t *testing.T) {
	const yes, no, unclear = figures.Shows, figures.Absent, figures.Untold
	for _, c := range []struct {
		parts               []figures.Effect
		every, either, most figures.Effect
	}{
		{[]figures.Effect{yes, yes}, yes, yes, yes},
		{[]figures.Effect{yes, unclear}, unclear, yes, unclear},
		{[]figures.Effect{unclear, no}, no, unclear, no},
		{[]figures.Effect{yes, no}, no, yes, no},
		{[]figures.Effect{no, no}, no, no, no},
		{[]figures.Effect{yes, yes, no}, no, yes, yes},
		{[]figures.Effect{yes, unclear, unclear}, unclear, yes, unclear},
	} {
		every, either, most := lab.Several(c.parts)
		if every != c.every || either != c.either || most != c.most {
			t.Errorf("%v: every %v, either %v, most %v, want %v, %v, %v", c.parts, every, either, most, c.every, c.either, c.most)
		}
	}
}
