package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// recorder keeps the limit and remembers each reading.
type recorder struct{ seen []control.Reading }

func (c *recorder) Next(r control.Reading) control.Decision {
	c.seen = append(c.seen, r)
	return control.Decision{Limit: 16, After: 100 * time.Millisecond}
}

// scatter returns the mean and the coefficient of variation of the throughputs
// between readings.
func scatter(seen []control.Reading) (mean, cv float64) {
	var sum, sum2, n float64
	for i := 1; i < len(seen); i++ {
		x := float64(seen[i].Completed-seen[i-1].Completed) / (seen[i].At - seen[i-1].At).Seconds()
		sum, sum2, n = sum+x, sum2+x*x, n+1
	}
	mean = sum / n
	return mean, math.Sqrt(sum2/n-mean*mean) / mean
}

// Units that follow each other are alike: the throughput is what it is without
// that, but it goes up and down.
func TestPatches(t *testing.T) {
	rerun.Serial(t)
	const work = "cpus 4\ncpu ln(2ms, 1)\nservice ln(2ms, 1)\nservers 4\n"
	run := func(text string) (mean, cv float64) {
		c := &recorder{}
		s := parse(t, text)
		s.Seconds = 200
		if _, err := sim.Run(s, 3, c); err != nil {
			t.Fatal(err)
		}
		return scatter(c.seen[1:])
	}
	mean, cv := run(work)
	for _, c := range []struct {
		patches string
		cv      float64
	}{
		// 0.1 s hold some 160 units. The integral of such a process has the variance
		// 2(x-1+exp(-x))/x² of the size's own, x being the length in patches.
		{"patches 0.5 100\n", math.Sqrt(2 * (1.6 - 1 + math.Exp(-1.6)) / (1.6 * 1.6) * (math.Exp(0.25) - 1))},
		{"patches 0.5 10\n", math.Sqrt(2 * (16 - 1) / (16.0 * 16) * (math.Exp(0.25) - 1))},
		{"patches 0.2 10000\n", math.Sqrt(math.Exp(0.04) - 1)},
	} {
		m, got := run(work + c.patches)
		if !closeTo(m, mean, 0.1) {
			t.Errorf("%s%v units/s, want %v as without", c.patches, m, mean)
		}
		if want := math.Sqrt(c.cv*c.cv + cv*cv); !closeTo(got, want, 0.35) {
			t.Errorf("%sthe throughput varies by %.3f, want %.3f", c.patches, got, want)
		}
	}
}

// What others compute for the work counts as theirs.
func TestTheirs(t *testing.T) {
	for _, theirs := range []float64{0, 0.7, 1} {
		s := parse(t, "cpus 4\ncpu ln(1ms, 1)\nload 1")
		s.Theirs = theirs
		c := &recorder{}
		if _, err := sim.Run(s, 1, c); err != nil {
			t.Fatal(err)
		}
		r := c.seen[len(c.seen)-1]
		at := r.At.Seconds()
		if !closeTo(r.MachineCPU, 4*at, 0.01) || math.Abs(r.OwnCPU-3*(1-theirs)*at) > 0.1 {
			t.Errorf("theirs %v: after %v s own %v, machine %v; want %v and %v", theirs, at, r.OwnCPU, r.MachineCPU, 3*(1-theirs)*at, 4*at)
		}
	}
}
