package control

import (
	"math"
	"math/cmplx"
)

// An echo compares the wave of a limit with that of the throughput. It is the
// ear of [HillClimbing].
type echo struct {
	throughputs [waveHistory]float64 // rings
	limits      [waveHistory]float64
	n           int     // samples taken
	noise       float64 // exponential mean, relative to the throughput; 0 at first
}

// add takes a sample.
func (e *echo) add(throughput, limit float64) {
	e.throughputs[e.n%waveHistory], e.limits[e.n%waveHistory] = throughput, limit
	e.n++
}

// listen returns the relative change of the throughput, beyond the bias, over
// that of the limit, and how sure that is, within 0 … 1. Both are 0 while the
// history is too short. The newest samples count, in whole periods, or the wave
// would fall between two frequencies. The very first sample never counts.
func (e *echo) listen() (ratio, confidence float64) {
	n := min(e.n-1, waveHistory) / wavePeriod * wavePeriod
	if n <= wavePeriod {
		return 0, 0
	}
	throughput, limit := e.mean(&e.throughputs, n), e.mean(&e.limits, n)
	if !(throughput > 0 && limit > 0) {
		return 0, 0
	}
	waves := float64(n) / wavePeriod
	answer := e.component(&e.throughputs, n, wavePeriod) / complex(throughput, 0)
	call := e.component(&e.limits, n, wavePeriod) / complex(limit, 0)
	noise := max(
		cmplx.Abs(e.component(&e.throughputs, n, float64(n)/(waves+1))),
		cmplx.Abs(e.component(&e.throughputs, n, float64(n)/(waves-1)))) / throughput
	if e.noise == 0 {
		e.noise = noise
	} else {
		e.noise += noiseWeight * (noise - e.noise)
	}
	loud := cmplx.Abs(call)
	if loud > 0 {
		ratio = real((answer - climbBias*call) / call)
	}
	confidence = 1
	if most := max(noise, e.noise); most > 0 {
		confidence = min(1, loud/most/climbSNR)
	}
	return ratio, confidence
}

// mean returns the mean of the newest n samples.
func (e *echo) mean(samples *[waveHistory]float64, n int) float64 {
	sum := 0.0
	for i := e.n - n; i < e.n; i++ {
		sum += samples[i%waveHistory]
	}
	return sum / float64(n)
}

// component returns the part of the newest n samples that has a period, by the
// recurrence of G. Goertzel, "An algorithm for the evaluation of finite
// trigonometric series", American Mathematical Monthly 65, 1958. Its phase
// counts from the newest sample.
func (e *echo) component(samples *[waveHistory]float64, n int, period float64) complex128 {
	sin, cos := math.Sincos(2 * math.Pi / period)
	var s1, s2 float64 // the newest two of the recurrence
	for i := e.n - n; i < e.n; i++ {
		s1, s2 = samples[i%waveHistory]+2*cos*s1-s2, s1
	}
	return complex(s1-s2*cos, s2*sin) / complex(float64(n), 0)
}
