package main

import "time"

// Levels say how long a whole number had each of its values.
type levels struct {
	times []time.Duration // by value
	last  time.Duration
	begun bool
}

// add counts the time since the call before as time at level. The first call only
// starts the clock.
func (v *levels) add(level int, now time.Duration) {
	for len(v.times) <= level {
		v.times = append(v.times, 0)
	}
	if v.begun {
		v.times[level] += now - v.last
	}
	v.begun, v.last = true, now
}

// summary returns the least and the greatest level that there was for some time, the
// one that there was longest, the higher one of two, and the mean over time.
func (v *levels) summary() summary {
	s := summary{min: -1}
	var most, all, sum float64
	for i, d := range v.times {
		if d <= 0 {
			continue
		}
		if s.min < 0 {
			s.min = float64(i)
		}
		s.max = float64(i)
		if t := d.Seconds(); t >= most {
			s.mode, most = float64(i), t
		}
		all += d.Seconds()
		sum += float64(i) * d.Seconds()
	}
	s.mean = sum / all
	return s
}

// A summary is what is judged of a quantity.
type summary struct{ min, max, mode, mean float64 }

// A sampled sums up values, each weighed by the time since the one before it.
type sampled struct {
	summary
	last       time.Duration
	n          int
	sum, weigh float64
}

func (s *sampled) add(x float64, now time.Duration) {
	if s.n++; s.n > 1 {
		w := (now - s.last).Seconds()
		s.sum, s.weigh = s.sum+w*x, s.weigh+w
		if s.n == 2 {
			s.min, s.max = x, x
		}
		s.min, s.max = min(s.min, x), max(s.max, x)
		s.mean = s.sum / s.weigh
	}
	s.last = now
}
