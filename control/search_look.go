package control

import "math"

// A lookKind is a direction in which a better limit may be.
type lookKind uint8

const (
	up    lookKind = iota // a step above
	down                  // a step below
	far                   // twice as much and more, judged as a whole
	below                 // half, where every unit seems to have a CPU to itself
	lookKinds
)

// A look is what is known of one direction, and when to try it again.
type look struct {
	at     float64 // due at this time, s
	gap    float64 // the present pause between tries that found nothing, s
	step   int     // size in sixteenths of an octave, of up and down
	since  float64 // of far: since when units in flight have been saved up for stairs, s
	from   int     // of far: where it was last paid for
	target int     // of far: what a climb has found promising; 0: climb anew
	duel   duel
}

const (
	// firstStep is half an octave: the knee rule is that good.
	firstStep = 8
	// kneeElasticity is the gain of throughput per growth of the limit below which
	// more units are not worth it: knees of the usual kind end within 2 % of their
	// maximum. From 0.08 to 0.13 the mean score is the same.
	kneeElasticity = 0.08
	// eagerElasticity is the same where more units cost nothing: the least that a duel of a
	// minute can show. At 0.01 and 0.04 a curve that rises by 2 to 4 % a doubling is climbed
	// as far.
	eagerElasticity = 0.02
	// farNeed is the log gain for which a look far above is followed, and as much again for
	// each doubling, if they cost something.
	farNeed = 0.015
	// belowNeed is the gain that makes fewer units than CPUs worth having. There a tie is
	// a trap: where a neighbour shares a CPU, half the units may look as good for a while.
	belowNeed = 0.005

	// Longest pauses, s. Upwards it sets how soon a rise of capacity is noticed; downwards a
	// needless try costs throughput. The first is the least one between far looks.
	upMost   = 2.5
	downMost = 16
	payMost  = 64 // for a look that costs much

	// The price of looks, as shares of all: throughput lost, and units in flight added.
	// Steps up are dear only where an edge is near.
	priceLost   = 0.003
	priceUp     = 0.02
	priceExcess = 0.06
	// farFullLeast is the least pause between far looks where the CPUs are full and more in
	// flight seldom helps, s. farFree is how many units in flight the first look may add
	// beyond its share, in units of home, s.
	farFullLeast = 12
	farFree      = 5
	// lingerTurns is how many residences it takes until units that share the CPUs finish as
	// often as they begin.
	lingerTurns = 3
	// farSoon is when the first far look is due, s: by then a climb that has stopped for full
	// CPUs has settled.
	farSoon = 0.5
)

// explore forgets what looks have found; all are due soon.
func (s *Search) explore() {
	now := s.now()
	s.demand = demand{trim: now + trimEvery}
	s.looks = [lookKinds]look{
		up:    {at: now, step: firstStep},
		down:  {at: now, step: firstStep},
		far:   {at: now + farSoon, since: now - farFree/priceExcess},
		below: {at: now + 1},
	}
}

// propose begins a far look if one is due, otherwise the look that has been due for
// longest, from the window a at the limit that stands.
func (s *Search) propose(a window) bool {
	crowded := a.full() && !s.work.doubt && float64(a.n) >= a.cpus
	bound := a.bound >= boundEnough
	can := [lookKinds]bool{
		up:    !crowded,
		down:  bound && a.n > 1 && !a.seated(),
		far:   bound && a.crowd == 0,
		below: bound && a.n > 1 && a.seated(),
	}
	next, due := lookKinds, s.now()
	for k := range lookKinds {
		if at := s.looks[k].at; can[k] && at <= due {
			next, due = k, at
		}
	}
	if can[far] && s.looks[far].at <= s.now() {
		next = far // what it finds settles what the others ask
	}
	return next < lookKinds && begins[next](s, a)
}

// eager reports whether any gain over the window a is wanted. While permits are free the limit
// hardly matters, and would drift.
func (s *Search) eager(a window) bool { return s.read.Eager && a.peak >= a.n }

// elasticity is the gain of throughput per growth of the limit from a for which units are worth it.
func (s *Search) elasticity(a window) float64 {
	if s.eager(a) {
		return eagerElasticity
	}
	return kneeElasticity
}

// begins begin a look from a window at the limit that stands.
var begins = [lookKinds]func(*Search, window) bool{up: (*Search).lookUp, down: (*Search).lookDown,
	far: (*Search).lookFar, below: (*Search).lookBelow}

func (s *Search) lookUp(a window) bool {
	step := s.looks[up].step
	if a.bound < boundEnough {
		step = 2 * firstStep // a batch takes whole rounds, and half as many at the double
	}
	b := max(a.n+1, int(math.Round(float64(a.n)*math.Exp2(float64(step)/16))))
	return s.face(up, a, b, rules{need: s.elasticity(a) * math.Log(float64(b)/float64(a.n)), least: 2, most: 4, tie: true})
}

func (s *Search) lookDown(a window) bool {
	b := min(a.n-1, int(math.Round(float64(a.n)*math.Exp2(-float64(s.looks[down].step)/16))))
	need := s.elasticity(a) * min(math.Log(float64(a.n)/float64(max(b, 1))), 0.35)
	return s.face(down, a, b, rules{need: -need, least: 2, most: 4, tie: true})
}

// lookFar climbs far above the limit that stands, to find what small steps miss. If a
// climb has found something promising, a duel makes sure.
func (s *Search) lookFar(a window) bool {
	l := &s.looks[far]
	if b := l.target; b > 0 {
		l.target = 0
		need := farNeed
		if !s.eager(a) {
			need *= 1 + math.Log2(float64(b)/float64(a.n))
		}
		return s.face(far, a, b, rules{need: need, least: 2, most: 8, linger: a.idle < 0.05})
	}
	if s.usual.n < 3 {
		return false
	}
	a.x = math.Exp(s.usual.x) // one window may be odd, and all steps are compared with this one
	s.climb = climb{base: a, start: a.n, prev: a.n, units: holdUnits, far: true, most: s.excess + priceExcess*(s.now()-l.since)}
	if s.eager(a) {
		s.climb.most = math.Inf(1)
	}
	if s.climb.most-s.excess >= farFree { // otherwise one doubling must do
		s.climb.stairs = farStairs
	}
	s.step()
	return true
}

// lookBelow tries half the limit. It usually loses half the throughput while it lasts.
func (s *Search) lookBelow(a window) bool {
	cost := 0.5 * max(2*minSettle, 1.5*s.work.r)
	if cost > 0.02*s.now() {
		s.looks[below].at = 50 * cost
		return false
	}
	return s.face(below, a, a.n/2, rules{need: belowNeed, least: 3, most: 64})
}

// face begins a duel of the limit that stands with b, by the rules given.
func (s *Search) face(k lookKind, a window, b int, r rules) bool {
	l := &s.looks[k]
	b = s.clamp(b)
	if b == a.n || (b > a.n) != (k == up || k == far) {
		s.wait(l, upMost)
		return false
	}
	d := &l.duel
	d.about(a.n, b, s.now())
	d.rules, d.wa, d.excess = r, a, s.excess
	s.active = k
	s.probe(b)
	s.gather(b)
	return true
}

// gather measures one side of the duel under way, no longer than there is hope.
func (s *Search) gather(n int) {
	d := &s.looks[s.active].duel
	s.measure(n, holdUnits, 3, dueling)
	if d.rules.linger { // short units finish first: let the long ones, too
		s.meter.most = min(lingerTurns*s.meter.most, settleMost)
		s.meter.until = s.meter.most
	}
	if n == d.b {
		s.meter.hope = d.wa.x * math.Exp(min(d.rules.need, 0)-0.02)
	}
}

// dueled takes a window of the duel under way.
func (s *Search) dueled(w window) {
	l := &s.looks[s.active]
	d := &l.duel
	next, v := d.take(w, &s.work)
	if w.n != s.want || w.n == d.a && s.usual.changed(w, &s.work) {
		v = abandoned
	}
	switch v {
	case undecided:
		s.gather(next)
	case better:
		s.won(l, w)
	case worse:
		s.lost(l)
	case abandoned:
		s.wait(l, upMost)
		s.measure(d.a, holdUnits, 1.5, confirming)
	}
}

// won moves to where the duel was won.
func (s *Search) won(l *look, w window) {
	d := l.duel
	now := s.now()
	gain, err := d.gain()
	ln := math.Abs(math.Log(float64(d.b) / float64(d.a)))
	s.move(d.b, gain, err, d.note())
	s.usual = detector{}
	for i := range s.looks {
		s.looks[i].duel = duel{}
	}
	switch s.active {
	case far:
		s.restart()
		if d.wa.full() && d.wb.full() {
			s.work.doubt, s.looks[far].at = true, now+farFullLeast
		}
		s.looks[down].at, s.looks[down].step = now+1, 2*firstStep
	case below:
		s.restart()
		s.work.r0 = 0
	default:
		if s.active == up && gain-err > 0.6*ln && !w.full() {
			s.restart()
			s.ramp(d.wb, 0)
			return
		}
		l.at, l.gap = now, 0
		if f := &s.looks[far]; (d.b >= 2*f.from || 2*d.b <= f.from) && !w.full() {
			f.at = min(f.at, now+upMost) // what the last one cost, it cost from elsewhere
		}
		back := &s.looks[up+down-s.active]
		back.at, back.gap = now+2, 2
	}
	s.rest()
}

// lost stays, and tries a smaller step or waits.
func (s *Search) lost(l *look) {
	d := &l.duel
	now := s.now()
	gain, err := d.gain()
	ln := math.Abs(math.Log(float64(d.b) / float64(d.a)))
	s.stay(d.b, gain, err, d.note())
	s.work.doubt = s.work.doubt || s.active == down && d.wa.full() && gain < -worseOff // full CPUs would not have minded
	steep := (math.Abs(gain) > 0.5*ln || s.active == up && gain < -2*err) && err < max(ln, math.Abs(gain))/2 && s.work.r < 0.25 && d.wa.bound >= boundEnough
	switch k := s.active; {
	case k == far || k == below:
		l.since += (s.excess - d.excess) / priceExcess
		l.pay(s, max(0, -gain-err)*d.away)
		if k == far && gain > d.rules.need { // the same again: what is known of it adds up
			l.target, l.at = d.b, now+upMost
		}
	case steep && l.step > 1 && d.o.n == 0 && (d.b < d.a-1 || d.b > d.a+1): // what others do shows by large steps only
		l.step, l.at = l.step/2, now+0.5
	default:
		s.wait(l, [...]float64{up: upMost, down: downMost}[k])
		if k == up {
			l.at += s.price(max(0, -math.Expm1(gain+err))*d.away, priceUp)
		}
	}
	s.rest()
}

// wait doubles the pause of a look, to at most most seconds and at least ten residences.
func (s *Search) wait(l *look, most float64) {
	l.gap = max(min(max(2*l.gap, 0.5), most), 10*s.work.r)
	l.at = s.now() + l.gap
}

// price returns the pause, s, after which what a look has lost is that share of all. Where
// units are long it may be longer than payMost: to look and come back takes some five
// residences, and 200 later that is 2 or 3 %.
func (s *Search) price(lost, share float64) float64 {
	return min(lost/share, max(payMost, 200*s.work.r))
}

// pay sets the pause of a look by the throughput that it has lost, in units of home's
// times s.
func (l *look) pay(s *Search, lost float64) {
	l.gap = max(s.price(lost, priceLost), upMost, 8*s.work.r)
	if s.work.last.full() {
		l.gap = max(l.gap, farFullLeast)
	}
	l.at, l.from = s.now()+l.gap, s.home
}

// note says what else weighed in.
func (d *duel) note() string {
	switch {
	case d.led:
		return "CPU use counts in"
	case d.wa.full():
		return "all CPUs busy"
	}
	return ""
}
