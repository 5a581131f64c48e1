package lab_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
)

// A point tells how much work it does where that is not what the experiment says.
func TestSizesOfPoints(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	tied := fmt.Sprintf("tied to threads/%d", all)
	for _, c := range []struct {
		id, scale string
		n         int
		point     string
		want      string
	}{
		{"A1", quick, 120, "Map, empty units/0", "3,000 empty units"},
		{"A1", quick, 120, "Map, real units/0", ""},
		{"A6", "article", 3000, "empty units/1000", "3,000 empty units"},
		{"A6", quick, 100, "counting units/1", ""},
		{"A7", quick, 80, "each once/0", "2 runs of 80 units"},
		{"A7", quick, 80, "3 times 3, averages/0", "18 runs of 80 units"},
		{"A7", quick, 80, "the point/0", ""},
		{"B2", quick, 32, "shared slice, atomic/0", "4 million numbers"},
		{"B2", "article", 10_000, "shared slice, atomic/0", "1,250 million numbers"},
		{"B2", quick, 1, "shared slice, atomic/0", "125,000 numbers"},
		{"B2", quick, 32, "shared slice/0", ""},
		{"B4", quick, 32, "atomic/64", "4 million numbers"},
		{"C1", quick, 100_000, tied, "1,000 ints"},
		{"C1", quick, 10, tied, "1 int"},
		{"C3", quick, 30_000, tied, "300 requests"},
		{"C5", quick, 80_000, "p99 at 3,000/s, unbuffered/8", "320 requests"},
		{"C5", quick, 80_000, "unbuffered/8", ""},
		{"D4", full, 349_525, "tree, serial/0", ""},
		{"D4", full, 349_525, "seen, serial/0", "21,845 nodes"},
		{"D4", full, 349_525, "CPU, goroutine per node/100", "1,165 nodes"},
		{"D4", full, 349_525, "wait, Walk/0", "341 nodes"},
		{"D4", quick, 5, "wait, Walk/0", "1 node"},
	} {
		if got, ok := lab.SizesOf(c.id, c.scale, c.n)[c.point]; got != c.want || !ok {
			t.Errorf("%s at %s, %d: %s is of %q, %t, want %q", c.id, c.scale, c.n, c.point, got, ok, c.want)
		}
	}
}

// What diagnose prints is of the points that it looks into.
func TestSizesOfTwo(t *testing.T) {
	if got, want := lab.SizesOfTwo("B2", quick, "serial/0", "shared slice, atomic/0"), "32 million numbers (shared slice, atomic: 4 million numbers)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := lab.SizesOfTwo("D4", quick, "CPU, serial/10", "tree, serial/0"), "87,381 nodes (CPU, serial, µs of CPU a node 10: 2,912 nodes)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
