package sim_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

// Units that begin before any has finished end together, as a wave. The law does not take the
// wave for the throughput of that many, which no higher limit could match.
func TestSearchIsNotMisledByTheFirstWave(t *testing.T) {
	s := parse(t, "cpus 2\ncpu ln(10us, 1)\nservice ln(300ms, 0.5)\nservers 1000\n")
	s.Seconds = 10
	for seed := range uint64(4) {
		r, err := sim.Run(s, 1+seed, control.NewSearch())
		if err != nil {
			t.Fatal(err)
		}
		if r.Score < 0.4 {
			t.Errorf("seed %d: %.2f of the best throughput over ten seconds, want at least 0.4", 1+seed, r.Score)
		}
	}
}
