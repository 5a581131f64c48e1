package control

import "math"

// evidence is what pairs of windows at two limits have shown so far. It is
// kept between trials and fades with a half-life of a minute, so that many
// short looks add up to one decision.
type evidence struct {
	a, b       int
	at         float64
	n          float64 // pairs
	sx, sxx    float64 // sums of log ratios of throughput, and of their squares
	su, suu    float64 // the same of CPU use
	vx, vu     float64 // variance of one pair
	cpu, byCPU bool    // both ends live by CPU; mean and err speak of CPU use
	full       bool
	served     bool // CPU use is that of the machine (see search_served.go)
}

const evidenceHalfLife = 60 // seconds

func (e *evidence) drop() { e.n, e.sx, e.sxx, e.su, e.suu = 0, 0, 0, 0, 0 }

// about turns to the pair (a, b): what is known of it fades, all else is dropped.
func (e *evidence) about(a, b int, now float64) {
	if e.a != a || e.b != b {
		*e = evidence{a: a, b: b, at: now}
		return
	}
	f := math.Exp2(-(now - e.at) / evidenceHalfLife)
	e.n, e.sx, e.sxx, e.su, e.suu, e.at = e.n*f, e.sx*f, e.sxx*f, e.su*f, e.suu*f, now
}

func (e *evidence) add(d, v float64, a, b window, k *model) {
	du := logRatio(b.u, a.u)
	e.turn(false)
	if e.n > 0 {
		k.vu += 0.1 * (min(sq(du-e.su/e.n), 6*k.vu) - k.vu)
	}
	e.addX(d, v, a, b, k)
	e.su, e.vu = e.su+du, k.noiseU(a, b)
	e.full = a.full() && b.full()
	if e.full && e.b < e.a {
		e.vu = tickNoise(a, b) // busy is busy: what was learnt of CPU use varying does not apply
	}
	e.cpu = byCPU(a, b)
	e.choose()
}

// addServed is add where the CPU use of the machine may stand for the work done.
func (e *evidence) addServed(d, v float64, a, b window, k *model) {
	du := machineRatio(a, b)
	e.turn(true)
	e.addX(d, v, a, b, k)
	e.su, e.suu, e.vu = e.su+du, e.suu+du*du, max(machineNoise(a, b), k.vm)
	e.cpu, e.full = true, false
	e.choose()
}

// turn drops all when CPU use begins to mean another.
func (e *evidence) turn(served bool) {
	if e.served != served {
		e.drop()
		e.served = served
	}
}

func (e *evidence) addX(d, v float64, a, b window, k *model) {
	if e.n > 0 {
		vx := k.scatter(a, b)
		*vx += 0.1 * (min(sq(d-e.meanX()), 6**vx) - *vx)
	}
	e.n, e.sx, e.sxx, e.vx = e.n+1, e.sx+d, e.sxx+d*d, v
}

// choose lets CPU use decide unless throughput speaks against the larger limit. What the
// machine is busy must not be contradicted either way, for it is not all ours.
func (e *evidence) choose() {
	e.byCPU = false
	if !e.cpu {
		return
	}
	worse := e.su/e.n - e.meanX()
	if e.b < e.a {
		worse = -worse
	}
	e.byCPU = worse < 2*e.errX() && !(e.served && worse < -2*e.errX())
}

func sq(x float64) float64 { return x * x }

func (e *evidence) meanX() float64 { return e.sx / e.n }

// errX is the standard error of meanX: the scatter of the pairs, with the
// variance expected of them counted as three more.
func (e *evidence) errX() float64 { return standardError(e.vx, e.sx, e.sxx, e.n) }

func standardError(v, sum, squares, n float64) float64 {
	scatter := max(0, squares-sum*sum/n)
	return math.Sqrt((3*v + scatter) / (2 + n) / n)
}

// mean returns the log ratio of b's worth over a's.
func (e *evidence) mean() float64 {
	if e.n == 0 {
		return 0
	}
	if e.byCPU {
		return e.su / e.n
	}
	return e.meanX()
}

// err returns the standard error of mean.
func (e *evidence) err() float64 {
	if e.n == 0 {
		return 0
	}
	switch {
	case e.byCPU && e.served:
		return standardError(e.vu, e.su, e.suu, e.n)
	case e.byCPU:
		return math.Sqrt(e.vu / e.n)
	}
	return e.errX()
}
