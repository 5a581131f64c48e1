package dissect

import "math"

// Durations keeps times by size, so that millions take no memory to speak of. A
// median of them is right within 2 %: 32 sizes to a factor of two.
type durations map[int]int

const sizesToDouble = 32

func (d durations) add(seconds float64) {
	at := math.MinInt // of nothing, which a coarse clock makes of very little
	if seconds > 0 {
		at = int(math.Round(math.Log2(seconds) * sizesToDouble))
	}
	d[at]++
}

// median returns the middle one, the lower of two, or 0 if there is none.
func (d durations) median() float64 {
	left := 1
	for _, n := range d {
		left += n
	}
	left /= 2
	for _, at := range sortedKeys(d) {
		if left -= d[at]; left <= 0 {
			return math.Exp2(float64(at) / sizesToDouble) // of nothing 0
		}
	}
	return 0
}
