package sense

import (
	"math"
	"runtime/metrics"
	"time"
)

// A heap is the Go heap under GOMEMLIMIT. Such a heap always ends up near its
// limit, for the collector lets it; nearness says nothing. Too much work shows
// in two signs that must come together:
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
// Where what is live exceeds the limit by itself, no second sign is needed: the
// limit is broken, and each further unit breaks it more. (Large blocks without
// pointers cost little marking; the time then goes into giving pages back and
// faulting them in again, which no Go metric shows.)
//
// The CPU classes are only refreshed by a collection. That is no harm here:
// where nothing is collected, nothing is wasted either.
type heap struct {
	samples [11]metrics.Sample
	bound   bound

	gc, all float64       // CPU seconds of the collector and of everything at the last verdict
	at      time.Duration // of that verdict
	begun   bool
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
	holdLive  = 0.80 // see heap
	cutLive   = 0.90 // a collection frees a tenth at nine times its gain
	holdShare = 0.33 // of the CPU time: an allocating program at the default GOGC=100 stays well below
	cutShare  = 0.45 // nearly the half at which the runtime's limiter gives up
	// enough is the CPU time between two verdicts, s: a share of less is one
	// collection's accident.
	enough = 0.2
	// quiet ends a verdict that no collection renewed: the work of before has
	// left, and without collections nothing is wasted.
	quiet = 2 * time.Second
)

// name says which samples are to be read.
func (h *heap) name() {
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
}

func (*heap) why() string { return "Go heap at GOMEMLIMIT: making room takes the CPU time" }

func (h *heap) look(now time.Duration, peak, inFlight int) int {
	metrics.Read(h.samples[:])
	limit := count(h.samples[atLimit])
	if limit == 0 || limit >= math.MaxInt64 {
		h.bound.free()
		return 0
	}
	// What the collector does with idle CPUs costs nobody anything.
	gc := amount(h.samples[atGC]) - amount(h.samples[atGCIdle])
	all := amount(h.samples[atAll]) - amount(h.samples[atIdle])
	if !h.begun {
		h.begun, h.at, h.gc, h.all = true, now, gc, all
		return 0
	}
	if all-h.all < enough {
		if now-h.at >= quiet {
			h.bound.free()
		}
		return h.bound.units
	}
	share := (gc - h.gc) / (all - h.all)
	h.at, h.gc, h.all = now, gc, all
	return h.judge(h.least()/float64(limit), share, peak, inFlight)
}

// least returns the bytes that the runtime would still need right after a
// collection: the live heap and all that is not heap.
func (h *heap) least() float64 {
	other := float64(count(h.samples[atTotal])) - float64(count(h.samples[atReleased])) -
		float64(count(h.samples[atObjects])) - float64(count(h.samples[atUnused])) - float64(count(h.samples[atFree]))
	return max(0, other) + float64(count(h.samples[atLive]))
}

// judge sets the bound from the live part of the limit and the collector's
// share of the CPU time.
func (h *heap) judge(live, share float64, peak, inFlight int) int {
	switch {
	case live >= cutLive && share >= cutShare:
		h.bound.cut(peak, inFlight)
	case live >= holdLive && share >= holdShare, live >= 1:
		h.bound.hold(peak)
	case h.bound.held > 0 && live >= holdLive && share >= holdShare*3/4:
		// Between two verdicts the standing one stays: no flapping.
	default:
		h.bound.free()
	}
	return h.bound.units
}

// amount returns the value of a sample in CPU seconds, or 0 where this runtime
// has no such metric.
func amount(s metrics.Sample) float64 {
	if s.Value.Kind() != metrics.KindFloat64 {
		return 0
	}
	return s.Value.Float64()
}
