package control

// A schedule says when which experiment is due, and how far it steps.
type schedule struct {
	peak int
	trim float64

	up, down direction
	far      direction // see search_far.go

	scout      float64 // when the next scouting climb is due
	scoutEvery float64
	scouted    float64 // when the last one ended
	sentinel   float64 // when the next look at twice the limit is due
	sentLoss   float64 // smoothed log ratio that the sentinel found
	strict     float64 // when the next look below one unit a CPU is due
	strictGap  float64
}

// A direction is the state of the fine search up or down.
type direction struct {
	at   float64 // due at this time
	wait float64 // present interval
	step int     // size in sixteenths of an octave
	last float64 // newest result, log ratio
}

func (d *schedule) reset(now float64) {
	far := d.far
	far.at = min(far.at, now+farLeast) // what looks have cost outlives a restart
	*d = schedule{
		trim: now + trimEvery,
		up:   direction{at: now, step: firstStep},
		down: direction{at: now, step: firstStep},
		far:  far,
		// The fine search comes first; it may find that the ramp stopped short.
		scout: now + 4, scoutEvery: 4, scouted: now,
		sentinel: now + 2.5,
		strict:   now + 1, strictGap: 3,
	}
}

// firstStep is half an octave: the knee rule is that good.
const firstStep = 8

// choose returns the experiment that is due, or nil.
func (d *schedule) choose(s *Search, w window, now float64) sequel {
	served := s.served(w)
	free := !w.full() && !w.cpuLed() && !w.crowded() && !served && s.cliff.at(now) > 2*w.n
	if free && now >= d.scout {
		return (*Search).scout
	}
	if w.gc >= heapOften && s.far(w) && now >= s.heaps.at-heapSoon {
		if now >= s.heaps.at {
			return (*Search).tryHeap
		}
		return nil // a comparison with a neighbour would take seconds
	}
	idle := s.watch.idleShare(w)
	canUp := !w.full() && !(w.cpuLed() && idle < 0.03) || float64(w.n) < w.cpus || w.n < 2*s.roomy(w)
	if s.lookFar(w, now) {
		return (*Search).tryFar
	}
	if served {
		canUp = false
	}
	canDown := w.n > 1 && !w.seated() && !s.brink.leads(w.n, now) &&
		(!w.cpuLed() || idle <= 0.007 || w.q > 0.3*float64(w.n) || now >= d.down.at+16)
	if free && now >= d.sentinel && d.up.last > -0.15 && s.clamp(2*w.n) > w.n {
		return (*Search).sentinel
	}
	if canUp && now >= d.up.at && (d.up.at <= d.down.at || !canDown || now < d.down.at) {
		return (*Search).tryUp
	}
	if canDown && now >= d.down.at {
		return (*Search).tryDown
	}
	if w.n > 1 && w.seated() && now >= d.strict {
		return (*Search).tryBelow
	}
	return nil
}
