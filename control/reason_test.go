package control_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

func ExampleKind_String() {
	fmt.Println(control.Grow, control.AppLimited)
	// Output: grow applimited
}

func ExampleReason_String() {
	for _, r := range []control.Reason{
		{Kind: control.Start, To: 8, Gain: math.NaN()},
		{Kind: control.Grow, From: 8, To: 16, Gain: 0.94},
		{Kind: control.Stay, From: 2, To: 4, Gain: 0.003, Error: 0.006, Note: "both CPUs busy"},
		{Kind: control.AppLimited, From: 16, To: 5, Gain: math.NaN()},
	} {
		fmt.Println(r)
	}
	// Output:
	// starts at 8
	// doubled 8→16: +94 % throughput
	// stays at 2: 4 gained 0.3 % ± 0.6 %; both CPUs busy
	// 16→5: fewer units than permits
}

func TestKindNames(t *testing.T) {
	for k, want := range []string{"none", "start", "probe", "grow", "shrink", "stay", "applimited",
		"changed", "overloaded", "vetoed", "manual", "kind(11)"} {
		if got := control.Kind(k).String(); got != want {
			t.Errorf("kind %d is %q, want %q", k, got, want)
		}
	}
	if got, want := control.Manual, control.Kind(10); got != want {
		t.Errorf("the last kind is %d, want %d: the list above is not whole", got, want)
	}
}

func TestReasonInWords(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		reason control.Reason
		want   string
	}{
		{control.Reason{}, ""},
		{control.Reason{Kind: control.None, From: 3, To: 4, Note: "nothing"}, ""},
		{control.Reason{Kind: control.Start, To: 4, Gain: nan, Note: "as many as CPUs"}, "starts at 4: as many as CPUs"},
		{control.Reason{Kind: control.Probe, From: 4, To: 8, Gain: nan}, "tries 8"},
		{control.Reason{Kind: control.Grow, From: 4, To: 5, Gain: 0.031, Error: 0.004}, "4→5: +3.1 % throughput ± 0.4 %"},
		{control.Reason{Kind: control.Grow, From: 4, To: 12, Gain: 1.97}, "4→12: +197 % throughput"},
		{control.Reason{Kind: control.Shrink, From: 8, To: 4, Gain: -0.002, Error: 0.01}, "halved 8→4: -0.2 % throughput ± 1.0 %"},
		{control.Reason{Kind: control.Shrink, From: 8, To: 7, Gain: nan, Note: "own CPU at 100 %"}, "8→7: own CPU at 100 %"},
		{control.Reason{Kind: control.Stay, From: 8, To: 16, Gain: -0.12, Error: 0.02}, "stays at 8: 16 lost 12 % ± 2.0 %"},
		{control.Reason{Kind: control.Stay, From: 8, To: 16, Gain: nan, Note: "too little to tell"}, "stays at 8: too little to tell"},
		{control.Reason{Kind: control.AppLimited, From: 8, To: 3, Gain: nan, Note: "3 at once"}, "8→3: fewer units than permits; 3 at once"},
		{control.Reason{Kind: control.Changed, To: 8, Gain: nan, Note: "the units got longer"}, "searches again from 8: the units got longer"},
		{control.Reason{Kind: control.Overloaded, From: 10, To: 7, Gain: nan, Note: "3 of 20"}, "10→7: the work reported overload; 3 of 20"},
		{control.Reason{Kind: control.Vetoed, From: 20, To: 12, Gain: nan, Note: "memory"}, "held at 12: memory"},
		{control.Reason{Kind: control.Manual, From: 8, To: 3, Gain: nan}, "8→3: set manually"},
		{control.Reason{Kind: control.Manual, From: 8, To: 3, Gain: 0.5, Error: 0.1}, "8→3: set manually"},
		{control.Reason{Kind: 99, To: 3, Gain: nan, Note: "new"}, "kind(99): new"},
	} {
		if got := c.reason.String(); got != c.want {
			t.Errorf("%#v\nreads %q\nwant  %q", c.reason, got, c.want)
		}
	}
}

// A throughput that was zero before has grown without measure.
func TestReasonWithoutAMeasure(t *testing.T) {
	for _, gain := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		r := control.Reason{Kind: control.Grow, From: 4, To: 5, Gain: gain, Error: math.Inf(1)}
		if got, want := r.String(), "4→5"; got != want {
			t.Errorf("gain %v reads %q, want %q", gain, got, want)
		}
	}
}

// What is too small to show has no sign.
func TestReasonWithoutSign(t *testing.T) {
	r := control.Reason{Kind: control.Shrink, From: 8, To: 7, Gain: -0.00001, Error: 0.003}
	if got, want := r.String(), "8→7: +0.0 % throughput ± 0.3 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r = control.Reason{Kind: control.Stay, From: 8, To: 7, Gain: -0.00001, Error: 0.003}
	if got, want := r.String(), "stays at 8: 7 gained 0.0 % ± 0.3 %"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
