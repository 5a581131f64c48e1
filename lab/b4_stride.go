package lab

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// strides are the distances between slots, each twice the one before.
var strides = []int{8, 16, 32, 64, 128, 256}

// b4 shows how wide the memory is that CPUs share.
func b4() *experiment {
	alone := "; with one CPU there is one slot, which nothing shares"
	e := summing("B4", size{32, 200, 10_000, "million numbers"}, alone, func(r *results) verdict {
		atomics, plain := r.cliff("atomic"), r.cliff("plain")
		return verdict{
			words:  atomics.describe("atomic additions") + "; " + plain.describe("plain ones"),
			effect: either(atomics.effect(), plain.effect()),
			notes:  []string{fmt.Sprintf("8 bytes apart atomic additions take %v the time of 256 bytes apart, plain ones %v.", atomics.overall, plain.overall)},
		}
	}, func() []point {
		cpus := runtime.GOMAXPROCS(0)
		return slices.Concat(
			each(strides, func(n int) point { return slotPoint("plain", n, 1, cpus, addTo).at(float64(n)) }),
			each(strides, func(n int) point { return slotPoint("atomic", n, atomicPart, cpus, addAtomicallyTo).at(float64(n)) }))
	})
	e.axis = figures.Axis{Name: "bytes apart", Log2: true}
	return e
}

// A cliff is where figures fall most from one place on the axis to the next.
type cliff struct {
	from, to float64
	fall     estimate // how many times as large the figure at from is
	overall  estimate // the same from the first place to the last
}

// leastFall is the least fall of a cliff, at the lower end of its interval. With
// this many places, a smaller fall at one of them may be noise of the machine.
const leastFall = 1.1

// cliff returns where the figures of a label fall most.
func (r *results) cliff(label string) cliff {
	ps := r.of(label)
	c := cliff{overall: ratio(ps[0], ps[len(ps)-1])}
	for i := range len(ps) - 1 {
		if fall := ratio(ps[i], ps[i+1]); fall.y > c.fall.y {
			c.from, c.to, c.fall = ps[i].X, ps[i+1].X, fall
		}
	}
	return c
}

// steep reports whether they fall like a cliff.
func (c *cliff) steep() bool { return c.fall.low > leastFall }

// effect is absent where not even the first place and the last differ like that.
func (c *cliff) effect() figures.Effect {
	if c.steep() {
		return figures.Shows
	}
	return c.overall.above(leastFall)
}

func (c *cliff) describe(what string) string {
	if !c.steep() {
		return what + " show no cliff"
	}
	return fmt.Sprintf("%s take %v as long %g bytes apart as %g bytes apart", what, c.fall, c.from, c.to)
}
