package control

import "math"

// Sizes of the windows. The log ratio of two throughputs has the standard
// deviation sqrt(2 cv²/units): 100 completions tell a doubling (0.69) from
// nothing by more than 3 of them, 300 in four pairs see 3–4 %.
const (
	rampUnits  = 100
	holdUnits  = 300
	probeUnits = 300
)

const (
	// minWindow keeps the CPU figures meaningful: they advance in steps of 10 ms.
	minWindow = 0.1
	// blindWindow ends a window in which nothing completed.
	blindWindow = 0.25
	// boundEnough is the share of a window during which the limit must have held
	// somebody back for the window to say anything about a higher limit.
	boundEnough = 0.8
)

// A window is what was measured between two readings at one limit.
type window struct {
	n     int     // the limit
	t     float64 // length, s
	x     float64 // throughput, units/s
	comp  float64 // completions
	r     float64 // mean residence, s; 0 if unknown
	cv2   float64 // squared coefficient of variation of the residence
	even  bool    // x is occupancy over mean residence (see evenly)
	busy  float64 // mean in flight
	peak  int     // most in flight at a reading
	bound float64 // share of the time during which the limit held somebody back
	u     float64 // share of the CPUs that this work used
	idle  float64 // share of the CPUs that nobody used
	q     float64 // mean number of units that were ready but had no CPU
	cpus  float64
	gc    float64 // collections of garbage a second
	alloc float64 // bytes allocated a second
	at    float64 // when it ended, s

	pieces pieces
}

// fair is the share of the CPUs below which a full machine is full of others:
// the kernel would give us more if we had more to run.
const fair = 0.3

// full reports whether no CPU is left for us: idle time within the noise of the
// sensor.
func (w window) full() bool { return w.idle < 0.02*max(w.u, 0.2) && w.u > fair }

// cpuLed reports whether this work's own CPU use says how well it does. Below
// 80 % of what is to be had, CPU may as well be burnt by thrashing or spinning.
func (w window) cpuLed() bool { return w.u > 0.8*(w.u+w.idle) && w.u > fair }

// seated reports whether every unit in flight can have a CPU to itself and
// makes use of it, so that fewer units can only mean less work done, unless
// they slow each other down.
func (w window) seated() bool { return w.cpuLed() && float64(w.n) <= w.cpus }

// roof returns the limit that would use up the idle CPU time, by the
// utilisation law: CPU use is proportional to the units in flight.
func (w window) roof() float64 {
	if w.u < 0.02 {
		return math.Inf(1)
	}
	return w.busy * max(w.u+w.idle, fair) / w.u
}

// A meter takes one measurement: it waits until the units in flight are those
// of the new limit, then gathers a window.
type meter struct {
	units, turns float64
	settling     bool
	change       Reading // when the limit was set
	until, most  float64 // settled no sooner and no later than this, s after the change
	look         float64 // next look at what has completed meanwhile
	grew         int64   // permits added by the change
	cycles       int64   // collections that must have passed since the change
	quick        bool    // a brief window will do
	least        float64 // length of a window that is not brief, s
	others       float64 // CPUs that others use, as far as is known
	hope         float64 // throughput that the window must be able to show, 0 if none
	peak         int
	from, to     Reading // of the window
	pieces       pieces
}

func (m *meter) begin(r Reading, limit int, units, turns, others float64, k *model) {
	*m = meter{units: units, turns: turns, others: others, change: r, from: r}
	m.quick = units <= rampUnits && r.hurried()
	m.least = minWindow
	if units > rampUnits && k.last.crowded() {
		m.least = heapWindow
	}
	m.pieces.begin(r)
	if limit == r.Limit {
		return
	}
	m.settling = true
	m.grew = int64(limit - r.Limit)
	m.until = settleBlind
	if k.r > 0 {
		least := minSettle
		if m.quick {
			least = briefSettle
		}
		m.until = min(max(k.r, least), settleMost)
	}
	if m.grew > 0 && k.gc >= heapBusy {
		m.cycles = heapSettles
	}
	m.look = m.until / 2
	// At worst the capacity is the same and each added unit makes all wait
	// longer: the residence grows like the limit.
	m.most = max(m.until, min(1.1*k.r*float64(limit)/float64(max(r.Limit, 1)), settleMost))
}

const (
	minSettle   = 0.02 // two ticks: the change must be in force in a reading
	settleBlind = 0.1  // while no residence is known, s
	settleMost  = 10   // s
)

// take accepts a reading and reports whether the measurement is complete.
func (m *meter) take(r Reading, k *model) bool {
	if m.settling {
		if m.settled(r, k) {
			m.settling = false
			m.from = r
			m.pieces.begin(r)
		}
		return false
	}
	m.to = r
	m.pieces.see(r, k.r, k.cv2)
	m.peak = max(m.peak, r.InFlight)
	t := (r.At - m.from.At).Seconds()
	comp := float64(r.Completed - m.from.Completed)
	if m.hope > 0 && t >= max(2*minSettle, k.r) && hopeless(comp, m.hope*t, k.uneven()) {
		return true
	}
	if t < m.least && !m.quick {
		return false
	}
	res := k.r
	if timed := r.Timed - m.from.Timed; timed > 0 {
		own := (r.Residence - m.from.Residence) / float64(timed)
		if timed >= 8 {
			res = own
		}
		res = max(res, own)
	}
	if res == 0 && t >= minWindow {
		return t >= blindWindow || comp >= m.units
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
		return comp >= min(units, briefUnits) && m.brief(t, res, k)
	case comp >= units:
		return comp >= units*k.patchiness() || t >= patchWindow
	case t < m.turns*res:
		return false
	case comp >= 1 && (comp >= units/8 || t >= max(blindWindow, 3*m.turns*res)):
		return true
	}
	// Nothing completes: the work hangs or has become much slower. The window
	// must end, since the CPU figures may know better.
	return t >= max(1, 10*m.turns*res)
}

// hopeless reports whether comp completions are too few, by three standard
// deviations, where want would be as good as the limit compared with. Looking
// on would only cost throughput.
func hopeless(comp, want, cv2 float64) bool {
	return comp+1+3*math.Sqrt(max(comp, 1)*max(cv2, 0.1)) < want
}

// settled reports whether the units in flight belong to the new limit: one
// residence time, and longer where a queue is still building up behind it. A
// server of fixed capacity answers added units by queueing them, but until the
// queue stands, the units that complete still show the old, shorter residence.
func (m *meter) settled(r Reading, k *model) bool {
	t := (r.At - m.change.At).Seconds()
	if t >= m.look {
		m.look = t + min(max(m.until/8, 0.01), 0.1)
		if timed := r.Timed - m.change.Timed; timed > 0 {
			mean := (r.Residence - m.change.Residence) / float64(timed)
			m.until = max(m.until, min(mean, settleMost))
			m.most = max(m.most, m.until)
		}
	}
	if t < m.until {
		return false
	}
	if r.Collections-m.change.Collections < m.cycles && t < heapMost {
		return false
	}
	if m.grew > 0 && k.r > 0 && t < m.most {
		few := 2*r.TimedSince < m.grew
		slow := r.TimedSince > 0 && r.ResidenceSince/float64(r.TimedSince) > 1.15*k.r
		return !few && !slow
	}
	return true
}

// evenly is the squared coefficient of variation of the residence below which
// units count as equally long. Equal units finish in waves, and counting
// completions then sees 1 or 2 waves in a window; occupancy over mean residence
// (Little's law) has 5 to 200 times less noise. With uneven units the mean
// residence is the noisier one.
const evenly = 0.1

// dispersion returns the squared coefficient of variation of the residence in
// the window so far, if enough units were timed to tell.
func (m *meter) dispersion() (cv2 float64, ok bool) {
	timed := float64(m.to.Timed - m.from.Timed)
	if timed < 8 {
		return 0, false
	}
	res := m.to.Residence - m.from.Residence
	return min(max((m.to.Residence2-m.from.Residence2)*timed/(res*res)-1, 0.01), 5), true
}

// window returns the finished measurement.
func (m *meter) window(k *model) window {
	a, b := m.from, m.to
	t := (b.At - a.At).Seconds()
	w := window{n: b.Limit, t: t, cpus: max(b.CPUs, 1e-3), at: b.At.Seconds(), peak: m.peak}
	w.comp = float64(b.Completed - a.Completed)
	units := b.Units - a.Units
	w.busy = (b.Occupancy - a.Occupancy) / t
	w.bound = (b.Bound - a.Bound) / t
	w.u = max(0, (b.OwnCPU-a.OwnCPU)/(t*w.cpus))
	w.idle = min(1, max(0, 1-(b.MachineCPU-a.MachineCPU)/(t*w.cpus)))
	if t < minWindow {
		w.idle = min(1, max(0, 1-w.u-m.others/w.cpus))
	}
	w.gc = float64(b.Collections-a.Collections) / t
	w.alloc = (b.Allocated - a.Allocated) / t
	w.q = max(0, (b.Runnable-a.Runnable)/t)
	w.x = units / t
	w.cv2 = k.cv2
	if timed := float64(b.Timed - a.Timed); timed > 0 {
		w.r = (b.Residence - a.Residence) / timed
		if cv2, ok := m.dispersion(); ok {
			w.cv2 = cv2
		}
		if w.cv2 < evenly && w.comp < 20*w.busy && units == w.comp {
			w.x, w.even = w.busy/w.r, true
		}
	} else if w.comp > 0 {
		w.r = w.busy * t / w.comp
	}
	// With slots free while the CPUs are full, it is the producer that waits
	// for a CPU: there is work.
	if w.idle < 0.05 && w.q > 0.5 {
		w.bound = 1
	}
	if w.bound >= boundEnough && !w.even && !w.crowded() {
		w.pieces = m.pieces
	}
	// A producer that takes as long to start a unit as a permit takes to come
	// free hardly ever waits, and yet the permits are all out.
	if w.busy > 0.9*float64(w.n) {
		w.bound = 1
	}
	return w
}
