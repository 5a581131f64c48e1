package control

import "math"

const (
	// finest is the upper bound of the first bucket, s. What takes less does not
	// wait for anything.
	finest = 1e-6
	// perOctave buckets each have bounds 19 % apart: finer than any decision on
	// times needs, and a quantile in between is interpolated.
	perOctave = 4
	// octaves reach to 18 minutes.
	octaves = 30
)

// A Histogram counts times in buckets of equal width on a logarithmic scale, four for
// each doubling from 1 µs to 18 minutes. It only grows, so the difference of two copies
// describes the time between them (see [Histogram.Sub]).
//
// The zero value is empty and ready for use. It is not safe for concurrent use.
type Histogram struct {
	Counts [perOctave*octaves + 2]int64 // by bucket; see [Histogram.UpperBound]
	Sum    float64                      // of all times, s
}

// Add counts a time of s seconds; a negative time counts as 0. It costs about 10 ns.
func (h *Histogram) Add(s float64) {
	if s > 0 {
		h.Sum += s
	}
	h.Counts[bucket(s)]++
}

// upper are the bounds, but for the last one.
var upper = func() (b [perOctave*octaves + 1]float64) {
	for i := range b {
		b[i] = finest * math.Exp2(float64(i)/perOctave)
	}
	return b
}()

// bucket returns the first bucket whose upper bound is at least s.
func bucket(s float64) int {
	if !(s > finest) {
		return 0
	}
	i := int(min(math.Ceil(perOctave*math.Log2(s/finest)), float64(len(upper))))
	if i > 0 && s <= upper[i-1] { // the logarithm was rounded up
		i--
	}
	return i
}

// UpperBound returns the longest time that bucket i counts, s; +Inf for the last one.
// It panics unless i is an index of Counts.
func (h *Histogram) UpperBound(i int) float64 {
	if i == len(h.Counts)-1 {
		return math.Inf(1)
	}
	return upper[i]
}

// Count returns the number of times counted.
func (h *Histogram) Count() int64 {
	n := int64(0)
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Sub returns the counts since h was equal to old.
func (h *Histogram) Sub(old *Histogram) Histogram {
	d := *h
	d.Sum -= old.Sum
	for i, c := range old.Counts {
		d.Counts[i] -= c
	}
	return d
}

// Quantile returns the time, s, that the share q of all times does not exceed,
// interpolated within its bucket: q = 0.5 is the median. The error is at most 19 %, and
// far less where times differ. Above 18 minutes it returns 18 minutes. It is NaN if
// nothing was counted. It panics unless q is between 0 and 1.
func (h *Histogram) Quantile(q float64) float64 {
	if !(q >= 0 && q <= 1) {
		panic("control: Quantile: want a share from 0 to 1, such as 0.99")
	}
	left := q * float64(h.Count())
	last := math.NaN()
	for i, c := range h.Counts {
		if c == 0 {
			continue
		}
		low, high := 0.0, h.UpperBound(i)
		if i > 0 {
			low = h.UpperBound(i - 1)
		}
		if math.IsInf(high, 1) {
			high = low
		}
		if left <= float64(c) {
			return low + (high-low)*left/float64(c)
		}
		left -= float64(c)
		last = high
	}
	return last
}
