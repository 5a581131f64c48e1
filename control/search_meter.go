package control

import "math"

// A meter takes one measurement: it waits until the units in flight are those
// of the new limit, then gathers a window.
type meter struct {
	units, turns float64
	settling     bool
	change       Reading // when the limit was set
	until, most  float64 // settled no sooner and no later than this, s after the change
	grew         int64   // permits added by the change
	quick        bool    // a brief window will do
	hope         float64 // throughput below which looking on is pointless, 0 if none
	peak         int
	from, to     Reading // of the window
	cut          bool    // hope was lost
}

const (
	minSettle  = 0.02 // two ticks: the change must be in force in a reading
	settleMost = 10   // s

	// Where the collector runs heapBusy times a second, the heap needs heapSettles
	// collections to find its new size after a raise, or heapMost s. Until then units
	// do less: with 4 MB a unit under a GOMEMLIMIT of 96 MB, half for 0.4 s.
	heapBusy    = 20
	heapSettles = 10
	heapMost    = 0.5
)

func (m *meter) begin(r Reading, limit int, units, turns float64, k *work) {
	*m = meter{units: units, turns: turns, change: r, from: r}
	m.quick = units <= rampUnits && r.Tick > 0 && briefTicks*r.Tick < minWindow
	if limit == r.Limit || k.r == 0 {
		return
	}
	m.settling, m.grew = true, int64(limit-r.Limit)
	m.until = min(max(k.r, minSettle), settleMost)
	if m.quick {
		m.until = min(max(k.r, briefSettle), settleMost)
	}
	// At worst the capacity is the same and each added unit makes all wait
	// longer: the residence grows like the limit.
	m.most = max(m.until, min(1.1*k.r*float64(limit)/float64(max(r.Limit, 1)), settleMost))
}

// take accepts a reading and reports whether the measurement is complete.
func (m *meter) take(r Reading, k *work) bool {
	if m.settling {
		if m.settled(r, k) {
			m.settling, m.from = false, r
		}
		return false
	}
	m.to = r
	m.peak = max(m.peak, r.InFlight)
	t, comp := (r.At - m.from.At).Seconds(), float64(r.Completed-m.from.Completed)
	if m.cut = m.tripped(r, k); m.cut {
		return true
	}
	res := k.r
	if timed := r.Timed - m.from.Timed; timed > 0 {
		own := (r.Residence - m.from.Residence) / float64(timed)
		if res = max(res, own); timed >= 8 {
			res = own
		}
	}
	switch {
	case res == 0 && comp == 0:
		return t >= blindWindow
	case t < minWindow && !m.quick:
		return false
	case res == 0 && t >= minWindow:
		return t >= fewWindow || comp >= m.units
	}
	units := m.units
	if cv2, ok := m.dispersion(); ok && cv2 < evenly {
		// Even units come in waves: at least a whole turn of them, but two
		// turns say as much as many units would.
		units = min(max(units, float64(r.Limit)), max(16, 2*float64(r.Limit)))
		if m.units <= rampUnits {
			units = max(8, float64(r.Limit)/2) // a doubling shows in half a turn
		}
	}
	switch {
	case t < minWindow:
		return comp >= min(units, briefUnits) && res > 0 && t >= max(briefWindow, briefTicks*r.Tick, briefTurns*res) && m.bored(k)
	case comp >= units:
		return true
	case t < m.turns*res:
		return false
	case comp >= 1 && (comp >= units/8 || t >= max(fewWindow, 3*m.turns*res)):
		return true
	}
	// Nothing completes: the work hangs or has become much slower, which is a change.
	return t >= max(1, 10*m.turns*res)
}

// tripped reports whether the completions are three standard errors short of what the
// limit must show. To go on would only cost throughput.
func (m *meter) tripped(r Reading, k *work) bool {
	t := (r.At - m.from.At).Seconds()
	if m.hope == 0 || t < max(2*minSettle, 1.5*k.r, m.most) || r.Units != float64(r.Completed) { // weights scatter otherwise
		return false
	}
	comp, want := float64(r.Completed-m.from.Completed), m.hope*t
	return comp+1+3*math.Sqrt(max(comp, 1)*max(k.cv2, 0.1)+want*want*k.vx) < want
}

// settled reports whether the units in flight belong to the new limit: one
// residence time, and longer where a queue is still building up behind it. A
// server of fixed capacity answers added units by queueing them, but until the
// queue stands, the units that complete still show the old, shorter residence.
func (m *meter) settled(r Reading, k *work) bool {
	t := (r.At - m.change.At).Seconds()
	if timed := r.Timed - m.change.Timed; timed > 0 && t >= m.until/2 {
		mean := (r.Residence - m.change.Residence) / float64(timed)
		m.until = max(m.until, min(mean, settleMost))
		m.most = max(m.most, m.until)
	}
	if t < m.until {
		return false
	}
	if m.grew > 0 && k.gc >= heapBusy && r.Collections-m.change.Collections < heapSettles && t < heapMost {
		return false
	}
	slow := r.ResidenceSince > 1.15*k.r*float64(r.TimedSince)
	return m.grew <= 0 || k.r == 0 || t >= m.most || 2*r.TimedSince >= m.grew && !slow
}

// evenly is the squared coefficient of variation of the residence below which
// units count as equally long. Equal units finish in waves, and counting
// completions then sees 1 or 2 waves in a window; occupancy over mean residence
// (Little's law) has 5 to 200 times less noise. With uneven units the mean
// residence is the noisier one.
const evenly = 0.1

// dispersion returns the squared coefficient of variation of the residence in
// the window so far, if enough units were timed to tell. Where a clock is too coarse
// to time them at all they count as unknown.
func (m *meter) dispersion() (cv2 float64, ok bool) {
	timed := float64(m.to.Timed - m.from.Timed)
	res := m.to.Residence - m.from.Residence
	if timed < 8 || !(res > 0) {
		return 0, false
	}
	return min(max((m.to.Residence2-m.from.Residence2)*timed/(res*res)-1, 0.01), 5), true
}

// window returns the finished measurement.
func (m *meter) window(k *work) window {
	a, b := m.from, m.to
	t := (b.At - a.At).Seconds()
	w := window{n: b.Limit, t: t, cpus: max(b.CPUs, 1e-3), at: b.At.Seconds(), peak: m.peak}
	w.comp = float64(b.Completed - a.Completed)
	units := b.Units - a.Units
	w.weight = max(units, 1e-9) / max(w.comp, 1)
	w.busy, w.bound = (b.Occupancy-a.Occupancy)/t, (b.Bound-a.Bound)/t
	w.u = max(0, (b.OwnCPU-a.OwnCPU)/(t*w.cpus))
	w.idle = min(1, max(0, 1-(b.MachineCPU-a.MachineCPU)/(t*w.cpus)))
	ready := (b.Runnable-a.Runnable)/t > 0.5
	if t < minWindow && k.others >= 0 {
		w.idle = min(1, max(0, 1-w.u-k.others))
	} else if t < minWindow && ready { // the figures of other processes lag
		w.idle = 0
	}
	others := b.Others.Minus(a.Others)
	w.crowd, w.other = others.Time/t, (others.Work-others.Time)/t
	w.gc = float64(b.Collections-a.Collections) / t
	w.x = units / t
	w.cv2 = k.cv2
	if timed := float64(b.Timed - a.Timed); timed > 0 {
		w.r = (b.Residence - a.Residence) / timed
		if cv2, ok := m.dispersion(); ok {
			w.cv2 = cv2
		}
		if !m.cut && w.cv2 < evenly && w.comp < 20*w.busy && units == w.comp && w.r > 0 && w.comp > 9*float64(b.Ignored-a.Ignored) {
			// As many of the units in flight will fail as have; counting is off by a wave at most.
			x := w.busy * w.comp / (w.comp + float64(b.Ignored-a.Ignored)) / w.r
			w.x, w.even = min(max(x, (w.comp-w.busy)/t), (w.comp+w.busy)/t), true
		}
	} else if w.comp > 0 {
		w.r = w.busy * t / w.comp
	}
	// If permits are free while the CPUs are full, the producer waits for a CPU, so
	// more work is to come. A producer that takes as long to start a unit as a
	// permit takes to come free hardly ever waits, and yet the permits are all out.
	if w.idle < 0.05 && ready || w.busy > 0.9*float64(w.n) {
		w.bound = 1
	}
	return w
}

// Brief windows let a climb double every few residence times where work waits. The
// CPU figures make other windows long. If a sensor says how fine its figures are,
// and the CPUs are mostly idle by them, throughput decides alone, and it is known
// as soon as enough units have finished.
//
// Only good news may be brief: a step that did not clearly gain is measured for
// as long as any other, because one garbage collection or a hiccup of the host
// fills much of a brief window.
const (
	// briefWindow is the least length of a brief window, s: a timer that is a
	// millisecond late does not show in it.
	briefWindow = 0.01
	// briefUnits need to finish in a brief window: a doubling then stands out by
	// three standard errors if units are as even as most.
	briefUnits = 16
	// briefTicks is the least length in ticks of the process's CPU clock, so
	// that busy CPUs cannot look idle.
	briefTicks = 2.5
	// briefTurns is the least length in residence times: of units that began
	// together, some have ended and some have not.
	briefTurns = 1.5
	// briefBusy is the share of the CPUs that this process may use: so far from full,
	// CPU figures do not decide, even if they are a tick behind.
	briefBusy = 0.5
	// briefSettle is the least wait after a change, s: until the next reading.
	briefSettle = 0.003
)

// bored reports whether the window so far is one in which throughput may decide alone:
// units were held back by the limit and not by the CPUs.
func (m *meter) bored(k *work) bool {
	w, most := m.window(k), briefBusy
	if k.others < 0 { // how much of the rest is idle is not known yet, and below this it does not matter
		most = fair
	}
	return w.u < most && !w.led() && w.bound >= boundEnough
}
