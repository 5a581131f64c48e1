package dissect_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// made returns a recording with made-up figures.
func made(scheduling, preempted float64) *dissect.Recording {
	return &dissect.Recording{
		Profile: &dissect.Profile{
			Samples: 100, Wall: 0.02, Seconds: 0.03,
			Groups: map[dissect.Group]float64{dissect.Own: 1 - scheduling, dissect.Scheduling: scheduling},
			Functions: map[string]dissect.Function{
				"example.org/a/pool.work[...]": {Group: dissect.Own, Share: 1 - scheduling},
				"runtime.futex":                {Group: dissect.Scheduling, Share: scheduling},
				"runtime.rare":                 {Group: dissect.Rest, Share: 0.001},
			},
		},
		Memory: &dissect.Memory{
			Bytes: 64_000, Objects: 1000, Cycles: 2,
			Sites: map[string]float64{"example.org/a/pool.work[...] pool.go:7": 63_000},
		},
		Schedule: &dissect.Schedule{Wall: 0.02, Created: 12, Preempted: preempted, Reasons: map[string]float64{"chan send": 5}},
	}
}

func named(rows []dissect.Row) []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names
}

func TestCompareTellsWhatDiffers(t *testing.T) {
	// The share of scheduling overlaps: 0.12 of b is below 0.13 of a.
	// Preemptions do not.
	shares := [2][]float64{{0.10, 0.11, 0.12, 0.13}, {0.12, 0.14, 0.15, 0.16}}
	counts := [2][]float64{{10, 11, 12, 13}, {24, 14, 25, 26}}
	var sides [2][]*dissect.Recording
	for side := range sides {
		for i := range shares[side] {
			sides[side] = append(sides[side], made(shares[side][i], counts[side][i]))
		}
	}
	c, err := dissect.Compare("12 workers", sides[0], "24 workers", sides[1])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := named(c.Differing()), []string{"running to runnable"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q differ, want %q", got, want)
	}
	for _, r := range c.Differing() {
		if want := (dissect.Spread{Mid: 24.5, Low: 14, High: 26}); r.B != want {
			t.Errorf("it is %v, want %v", r.B, want)
		}
	}
	if got, want := named(c.Functions), []string{"example.org/a/pool.work[...]", "runtime.futex"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the functions are %q, want %q", got, want)
	}

	three, err := dissect.Compare("12 workers", sides[0][:3], "24 workers", sides[1][:3])
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := three.Print(&b); err != nil {
		t.Fatal(err)
	}
	if d := three.Differing(); len(d) != 0 || !strings.Contains(b.String(), "undecided") || strings.Contains(b.String(), "nothing:") {
		t.Errorf("three recordings of each tell that %q differ:\n%s", named(d), b.String())
	}
	b.Reset()
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"12 workers", "24 workers", "pool.work[...]", "runtime.futex (scheduling of goroutines)",
		"running to runnable: 11.5 times with 12 workers, 24.5 with 24 workers: 2.13 times as much",
		"one in 35 seems to differ by chance", "64,000", "pool.work[...] pool.go:7",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}

func TestCompareEqual(t *testing.T) {
	same := []*dissect.Recording{made(0.1, 5), made(0.1, 5), made(0.1, 5), made(0.1, 5)}
	c, err := dissect.Compare("a", same, "b", same)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	if d := c.Differing(); len(d) != 0 || !strings.Contains(b.String(), "nothing") {
		t.Errorf("the same recordings differ in %q:\n%s", named(d), b.String())
	}
}

func TestCompareWantsPairs(t *testing.T) {
	one := []*dissect.Recording{made(0.1, 5)}
	for _, b := range [][]*dissect.Recording{nil, {one[0], one[0]}} {
		if _, err := dissect.Compare("a", one, "b", b); err == nil || !strings.Contains(err.Error(), "as many of both") {
			t.Errorf("%d recordings beside one give the error %v", len(b), err)
		}
	}
	if _, err := dissect.Compare("a", nil, "b", nil); err == nil {
		t.Error("no recordings give no error")
	}
}
