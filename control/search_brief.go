package control

import (
	"math"
	"time"
)

// Brief windows let a climb double every few residence times where work waits.
// What makes other windows long is the CPU figures. Where a sensor says how fine
// its figures are, and they say that the CPUs are mostly bored, the throughput
// alone decides, and that is known as soon as enough units have finished.
//
// Only good news may be brief: a step that did not clearly gain is looked at for
// as long as any other, since a collection of garbage or a hiccup of the host
// fills much of a brief window.

const (
	// briefWindow is the least length of a brief window, s: a timer that is a
	// millisecond late does not show in it.
	briefWindow = 0.01
	// briefUnits need to finish in a brief window: a doubling then stands out by
	// three standard errors if units are as even as most, and looks unsure,
	// which makes the window longer, if they are not.
	briefUnits = 16
	// briefTicks is the least length in ticks of the process's CPU clock, so
	// that busy CPUs cannot look bored.
	briefTicks = 2.5
	// briefTurns is the least length in residence times: of units that began
	// together, some have ended and some have not.
	briefTurns = 1.5
	// briefBusy is the share of the CPUs that this work may use: so far from full,
	// CPU figures do not decide, even if they are a tick behind.
	briefBusy = 0.5
	// briefSettle is the least wait after a change, s: until the next reading.
	briefSettle = 0.003
	// briefSure is the gain, in standard errors, that a brief window must show.
	briefSure = 2
)

// brief reports whether the window from m.from to m.to, still shorter than
// minWindow, says enough: units that take res have completed in the number
// asked for, held back by the limit and not by the CPUs.
func (m *meter) brief(t, res float64, k *model) bool {
	if res == 0 || t < max(briefWindow, briefTicks*m.to.Tick, briefTurns*res) {
		return false
	}
	w := m.window(k)
	return w.u < briefBusy && !w.cpuLed() && w.bound >= boundEnough
}

// sure reports whether c gains so much over a that brief windows will do, with
// the variance of their log ratio and the units no more even than they looked.
func (k *model) sure(a, c window, d, v float64) bool {
	v *= max(1, max(a.cv2, c.cv2)/k.cv2)
	return d > briefSure*math.Sqrt(v)
}

// hurried reports whether r is precise enough for brief windows.
func (r *Reading) hurried() bool { return r.Tick > 0 && briefTicks*r.Tick < minWindow }

// lengthen goes on with the window just taken until it is as long as any.
func (s *Search) lengthen(next sequel) {
	s.meter.quick = false
	s.next = next
}

// others is how many CPUs other programs keep busy. What they use is only known
// in ticks of 10 ms a CPU, so brief windows take it from the last tenth of a
// second or two. Before so much is known there are none.
type others struct {
	old, mid stretch
	rate     float64 // CPUs
}

// A stretch is the CPU time used by others at an instant.
type stretch struct {
	at  time.Duration
	cpu float64
}

func (o *others) see(r Reading) {
	now := stretch{r.At, r.MachineCPU - r.OwnCPU}
	if o.old == (stretch{}) {
		o.old, o.mid = now, now
	}
	t := (now.at - o.old.at).Seconds()
	if t < minWindow {
		return
	}
	o.rate = max(0, now.cpu-o.old.cpu) / t
	if (now.at - o.mid.at).Seconds() >= minWindow {
		o.old, o.mid = o.mid, now
	}
}
