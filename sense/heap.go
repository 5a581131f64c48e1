package sense

import (
	"math"
	"runtime/metrics"
	"time"
)

// A heapGauge reads the Go heap under GOMEMLIMIT. Such a heap always ends up near its
// limit, because the collector lets it; nearness says nothing. Too much work shows in
// two signs that must come together:
//
//   - the live heap, what a collection leaves over, comes near the limit: at 80 %
//     a collection frees a fifth, and marks four bytes for each byte it gains,
//     four times the default's effort;
//   - and the collector really takes the CPU time: a large but quiet cache may
//     fill 95 % of the limit at no cost.
//
// The runtime itself gives up at half of the CPU time (its GC CPU limiter): it
// then lets the heap exceed the limit. Short of that, less work is the cure.
//
// If the live heap alone exceeds the limit, no second sign is needed: the limit
// is broken, and each further unit breaks it more. (Large blocks without
// pointers cost little marking; the time then goes into giving pages back and
// faulting them in again, which no Go metric shows.)
//
// The CPU classes are only refreshed by a collection. That does no harm here:
// without collections nothing is wasted either.
type heapGauge struct {
	samples [11]metrics.Sample

	gc, all float64       // CPU seconds of the collector and of everything at the last verdict
	at      time.Duration // of that verdict
	begun   bool

	live  float64 // part of the limit
	share float64 // of the CPU time
	ok    bool    // there is a limit, and something was collected lately
}

const (
	atLimit = iota
	atTotal
	atReleased
	atObjects
	atUnused
	atFree
	atLive
	atGC
	atGCIdle
	atAll
	atIdle
)

const (
	holdLive  = 0.80 // see heapGauge
	cutLive   = 0.90 // a collection frees a tenth at nine times its gain
	holdShare = 0.33 // of the CPU time: an allocating program at the default GOGC=100 stays well below
	cutShare  = 0.45 // nearly the half at which the runtime's limiter gives up
	// enough is the CPU time between two verdicts, s: over less, a single
	// collection decides the share.
	enough = 0.2
	// quiet ends a verdict that no collection renewed: the earlier work has
	// left, and without collections nothing is wasted.
	quiet = 2 * time.Second
)

func newHeapGauge() *heapGauge {
	h := new(heapGauge)
	for i, name := range [...]string{
		atLimit:    "/gc/gomemlimit:bytes",
		atTotal:    "/memory/classes/total:bytes",
		atReleased: "/memory/classes/heap/released:bytes",
		atObjects:  "/memory/classes/heap/objects:bytes",
		atUnused:   "/memory/classes/heap/unused:bytes",
		atFree:     "/memory/classes/heap/free:bytes",
		atLive:     "/gc/heap/live:bytes",
		atGC:       "/cpu/classes/gc/total:cpu-seconds",
		atGCIdle:   "/cpu/classes/gc/mark/idle:cpu-seconds",
		atAll:      "/cpu/classes/total:cpu-seconds",
		atIdle:     "/cpu/classes/idle:cpu-seconds",
	} {
		h.samples[i].Name = name
	}
	return h
}

func (h *heapGauge) read(now time.Duration) bool {
	metrics.Read(h.samples[:])
	limit := count(h.samples[atLimit])
	if limit == 0 || limit >= math.MaxInt64 {
		h.ok = false
		return true
	}
	// What the collector does with idle CPUs costs nothing.
	gc := amount(h.samples[atGC]) - amount(h.samples[atGCIdle])
	all := amount(h.samples[atAll]) - amount(h.samples[atIdle])
	if !h.begun {
		h.begun, h.at, h.gc, h.all = true, now, gc, all
		return false
	}
	if all-h.all < enough {
		if now-h.at >= quiet {
			h.ok = false
		}
		return !h.ok
	}
	h.live, h.share, h.ok = h.least()/float64(limit), (gc-h.gc)/(all-h.all), true
	h.at, h.gc, h.all = now, gc, all
	return true
}

// least returns the bytes that the runtime would still need right after a
// collection: the live heap and all that is not heap.
func (h *heapGauge) least() float64 {
	other := float64(count(h.samples[atTotal])) - float64(count(h.samples[atReleased])) -
		float64(count(h.samples[atObjects])) - float64(count(h.samples[atUnused])) - float64(count(h.samples[atFree]))
	return max(0, other) + float64(count(h.samples[atLive]))
}

func (*heapGauge) why() string { return "Go heap at GOMEMLIMIT: making room takes the CPU time" }

func (h *heapGauge) look(b *bound, _ time.Duration, peak, inFlight int) {
	switch {
	case !h.ok:
		b.free()
	case h.live >= cutLive && h.share >= cutShare:
		b.cut(peak, inFlight)
	case h.live >= holdLive && h.share >= holdShare, h.live >= 1:
		b.hold(peak)
	case b.held > 0 && h.live >= holdLive && h.share >= holdShare*3/4:
		// Between two verdicts the standing one stays: no flapping.
	default:
		b.free()
	}
}

// amount returns the value of a sample in CPU seconds, or 0 where this runtime
// has no such metric.
func amount(s metrics.Sample) float64 {
	if s.Value.Kind() != metrics.KindFloat64 {
		return 0
	}
	return s.Value.Float64()
}
