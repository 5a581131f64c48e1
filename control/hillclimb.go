package control

import (
	"fmt"
	"math"
	"time"
)

// HillClimbing is the law of the .NET thread pool. It always modulates the limit by a
// small square wave, looks for a response of the throughput at the frequency of that
// wave, and climbs if there is one.
//
// Source: J. L. Hellerstein, V. Morrison and E. Eilebrecht, "Applying Control Theory in
// the Real World: Experience with Building a Controller for the .NET Thread Pool", ACM
// SIGMETRICS Performance Evaluation Review 37(3), 2009. It explains why a climber must
// separate signal from noise, and describes the first version. This is the law that
// followed it, in the CLR since version 4, with the defaults published with that
// (PortableThreadPool.HillClimbing, 2026).
//
// The limit is the control setting plus, for two of four samples, the magnitude of the
// wave. A sample takes 10 to 200 ms, drawn anew whenever the limit changes, so that it
// does not synchronise with other periodic work. It takes 10 ms more at a time while
// (limit-1)/completions is 15 % or more, because that many units may be counted on the
// wrong side of its ends. Over the last samples, 8 to 32 of them in whole periods, the
// component of a period p is the Fourier sum
//
//	F(p) = 1/n · Σ x[k]·exp(-2πi·k/p)
//
// by Goertzel's algorithm, here of the throughput and of the limit, each divided by its
// mean: X(4) and N(4). Noise is the larger of |X| at the two frequencies beside that of
// the wave; its exponential mean has a weight of 1 % for each sample. Then
//
//	ratio      = (X(4) - 0.15·N(4)) / N(4)
//	confidence = |N(4)| / (larger of noise and mean noise) / 3, within 0 … 1
//	m          = (real part of ratio, within -1 … 1) · confidence
//	move       = m²·sign(m) · 4/s · (seconds of the sample), at most 20 up
//	magnitude  = 1/2 + 6·setting·(mean noise), rounded down, within 1 … 20
//
// The real part is the response in phase with the wave. The 0.15 is a bias: a limit
// that is a hundredth higher must bring 0.15 % more. So the setting moves by at most 4
// a second. Above 95 % CPU usage, that of the last 0.5 s, it does not rise. At the
// least limit, and after a raise that lost throughput, a sample takes up to ten times
// as long.
//
// While more units are in flight than the limit says, or nothing has ended, no sample
// ends. Two other parts of the thread pool are not part of this law: one more thread if
// its queue stands still for 0.5 s, and more for tasks that report that they block.
//
// Set the fields before the first call of Next.
type HillClimbing struct {
	Metric Metric // whose CPU usage stops a rise; the application's own by default, as published for Unix
	Min    int    // lowest limit decided; the number of CPUs if not set, as published
	Max    int    // highest limit decided; 32,767 if not set, as published
	Seed   uint64 // of the random lengths of samples; give several loops different ones

	samples   sampler
	length    time.Duration // of the sample under way
	drawn     time.Duration // the length last drawn
	completed float64       // of a sample that goes on, as there was too little of it
	seconds   float64       // likewise

	dice    dice
	last    int     // the limit decided last; 0 at first
	setting float64 // the limit without the wave
	echo    echo

	usages sampler
	usage  float64 // of the CPUs, percent
}

// The defaults published with the CLR.
const (
	wavePeriod   = 4             // samples
	wavePeriods  = 8             // of them in the history
	waveMost     = 20            // magnitude, units
	climbBias    = 0.15          // of ratio
	climbSNR     = 3             // signal to noise that is full confidence
	climbRate    = 4             // units per second
	climbMost    = 20            // units a sample, up
	sampleLeast  = 10            // ms
	sampleMost   = 200           // ms
	noiseWeight  = 0.01          // of a sample in the mean noise
	sampleError  = 0.15          // most of the completions that may be miscounted
	climbLonger  = 10            // times as long samples, where more did harm
	climbUsage   = 95            // percent of the CPUs
	climbThreads = math.MaxInt16 // highest limit
	usagePeriod  = 500 * time.Millisecond
	waveHistory  = wavePeriod * wavePeriods
)

// NewHillClimbing returns the law. It begins at the limit of its first reading.
func NewHillClimbing() *HillClimbing { return &HillClimbing{} }

// Next takes one step when a sample is over; otherwise it keeps the limit. The first
// reading only begins the first sample.
func (h *HillClimbing) Next(r Reading) Decision {
	if from, _, ok := h.usages.next(r, usagePeriod); ok {
		h.usage = h.Metric.Usage(from, r)
	}
	if !h.samples.begun {
		h.draw()
	}
	if h.samples.over(r, h.length) && (r.InFlight > r.Limit || r.Completed <= h.samples.from.Completed) {
		return goOn(r)
	}
	from, wait, ok := h.samples.next(r, h.length)
	if !ok {
		return wait
	}
	if r.Limit != h.last { // the first sample, or the limit was moved by other means
		h.setting += float64(r.Limit - h.last)
		h.last = r.Limit
		h.draw()
	}
	seconds := (r.At - from.At).Seconds() + h.seconds
	completed := float64(r.Completed-from.Completed) + h.completed
	if h.echo.n > 0 && float64(r.Limit-1)/completed >= sampleError {
		h.seconds, h.completed = seconds, completed
		h.length = again
		return goOn(r)
	}
	h.seconds, h.completed = 0, 0
	return h.step(r, completed/seconds, seconds)
}

func (h *HillClimbing) draw() {
	h.drawn = time.Duration(h.dice.between(sampleLeast, sampleMost, h.Seed)) * time.Millisecond
	h.length = h.drawn
}

// step takes a sample and returns what follows from it.
func (h *HillClimbing) step(r Reading, throughput, seconds float64) Decision {
	h.echo.add(throughput, float64(r.Limit))
	ratio, confidence := h.echo.listen()
	h.setting += h.climb(min(1, max(-1, ratio))*confidence, seconds)
	low, high := h.bounds(r)
	wave := float64(int(min(waveMost, max(1, 0.5+2*climbSNR*h.setting*h.echo.noise))))
	h.setting = max(float64(low), min(float64(high)-wave, h.setting))
	to := h.setting
	if h.echo.n%wavePeriod >= wavePeriod/2 {
		to += wave
	}
	limit := max(low, min(high, int(to)))
	if limit != r.Limit {
		h.last = limit
		h.draw()
	}
	h.length = h.drawn
	if ratio < 0 && limit == low {
		ms := 0.5 + climbLonger*min(1, -ratio)*float64(h.drawn/time.Millisecond)
		h.length = max(1, time.Duration(ms)) * time.Millisecond
	}
	d := move(r.Limit, limit, h.length, "")
	if limit != r.Limit {
		d.Reason.Note = fmt.Sprintf("oscillates around %.1f", h.setting)
		if confidence > 0 {
			d.Reason.Note += fmt.Sprintf("; throughput follows with ratio %.2f (confidence %.0f %%)", ratio+climbBias, 100*confidence)
		}
	}
	return d
}

// climb returns by how much to move the setting, from a signal within -1 … 1.
// The square holds small signals down, which are mostly noise.
func (h *HillClimbing) climb(signal, seconds float64) float64 {
	by := min(climbMost, math.Copysign(signal*signal, signal)*climbRate*seconds)
	if by > 0 && h.usage > climbUsage {
		return 0
	}
	return by
}

// bounds returns the lowest and the highest limit to decide.
func (h *HillClimbing) bounds(r Reading) (low, high int) {
	low, high = h.Min, h.Max
	if low < 1 {
		low = int(max(1, min(climbThreads, math.Ceil(r.CPUs))))
	}
	if high < 1 {
		high = climbThreads
	}
	if r.Max > 0 {
		high = min(high, r.Max)
	}
	return min(max(low, r.Min), high), high
}
