package evidence_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A trace says how idle the CPUs were; without one the CPU time of a recording does.
func TestIdle(t *testing.T) {
	used := &dissect.Weighing{All: dissect.Cost{Amount: 1}}
	traced := &dissect.Activity{Schedule: &dissect.Schedule{Idle: 0.3}}
	for name, c := range map[string]struct {
		per  evidence.Per
		p    evidence.Point
		want float64
	}{
		"traced":             {evidence.Op, evidence.Point{Activity: traced, Profile: used}, 0.3},
		"by its CPU time":    {evidence.Second, evidence.Point{Profile: used}, 0.75},
		"of a benchmark":     {evidence.Op, evidence.Point{Profile: used}, 0},
		"without a schedule": {evidence.Second, evidence.Point{Activity: &dissect.Activity{}, Profile: used}, 0},
		"without both":       {evidence.Second, evidence.Point{}, 0},
	} {
		c.p.Procs, c.p.Seconds = 4, []float64{1}
		o := &evidence.Observation{Per: c.per, Points: []evidence.Point{{Procs: 1}, c.p}}
		if got := o.Idle(); got != c.want {
			t.Errorf("%s: %g of the CPUs are idle, want %g", name, got, c.want)
		}
	}
}

// Directories are those of the module that exist here, each once.
func TestAddDirectory(t *testing.T) {
	root := t.TempDir()
	o := &evidence.Observation{Module: root}
	var dirs []string
	for _, file := range []string{filepath.Join(root, "a.go"), filepath.Join(root, "b.go"), filepath.Join(root, "gone", "a.go"), filepath.Join(filepath.Dir(root), "a.go")} {
		dirs = o.AddDirectory(dirs, dissect.Place{File: file})
	}
	if !slices.Equal(dirs, []string{root}) {
		t.Errorf("the directories are %q, want %s alone", dirs, root)
	}
	if dirs := (&evidence.Observation{}).AddDirectory(nil, dissect.Place{File: filepath.Join(root, "a.go")}); dirs != nil {
		t.Errorf("without a module they are %q", dirs)
	}
}

// Samples at the same place are of the same round.
func TestRatioOf(t *testing.T) {
	if got, want := evidence.RatioOf([]float64{2, 9, 8, 7}, []float64{1, 0, 2}), (dissect.Spread{Mid: 3, Low: 2, High: 4}); got != want {
		t.Errorf("the ratio is %+v, want %+v", got, want)
	}
}
