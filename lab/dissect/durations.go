package dissect

import "math"

// Durations keeps times by size, so that millions take no memory to speak of. A
// median of them is right within 2 %: 32 sizes to a factor of two.
type durations struct {
	counts map[int]int
	n      int
}

const sizesToDouble = 32

func (d *durations) add(seconds float64) {
	if d.counts == nil {
		d.counts = map[int]int{}
	}
	at := math.MinInt // of nothing, which a coarse clock makes of very little
	if seconds > 0 {
		at = int(math.Round(math.Log2(seconds) * sizesToDouble))
	}
	d.counts[at]++
	d.n++
}

// median returns the middle one, the lower of two, or 0 if there is none.
func (d *durations) median() float64 {
	left := (d.n + 1) / 2
	for _, at := range sortedKeys(d.counts) {
		if left -= d.counts[at]; left <= 0 {
			if at == math.MinInt {
				return 0
			}
			return math.Exp2(float64(at) / sizesToDouble)
		}
	}
	return 0
}
