package sim_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestCorrectedTruth(t *testing.T) {
	rerun.Skip(t)
	for _, text := range []string{
		"cpus 4\nwait exp(100ms)\nservice ln(10ms, 3)\nservers 1",
		"cpus 4\nwait exp(100ms)\nservice const(10ms)\nservers 1",
	} {
		s := parse(t, text)
		const n = 10
		m := sim.Measure(s, 0, n, 2, 5000, 60_000)
		if !closeTo(m.Rate, m.Expected, 0.02) {
			t.Errorf("%s: simulated %v, expected %v", text, m.Rate, m.Expected)
		}
		uncorrected := sim.ProductForm(0.1, 0.01, 1, 0, 4, n)[n-1]
		if x := sim.Throughput(s, 0, n); closeTo(x, uncorrected, 0.03) {
			t.Errorf("%s: %v is the product form's %v", text, x, uncorrected)
		}
	}
}
