package sim_test

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

// Scores of laws can be compared over the years only if the plant stays what it
// is: this fails when a change of it moves a bit of any result. The law is one
// that does not change.
func TestRunStaysTheSame(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors fuse multiplications with additions, which moves the last bits")
	}
	sum := fnv.New64a()
	for _, name := range []string{"cpu2", "down32", "thrash40", "extload", "step16-128", "open50", "pareto", "balanced", "scanned"} {
		s := scenario(t, name)
		s.Seconds = 31
		s.Phases = s.Phases[:min(len(s.Phases), 2)]
		r, err := sim.Run(s, 5, sweep())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%+v", *r)
	}
	if got := fmt.Sprintf("%x", sum.Sum64()); got != "d5e7ad57c743e957" {
		t.Errorf("the sum of all results is %s", got)
	}
}
