package control

import "math"

// work is what is known of the work and of how noisily it is measured.
type work struct {
	r      float64 // mean residence in the newest window, s; 0 if unknown
	r0     float64 // least residence of this regime, s; 0 if unknown
	cv2    float64 // dispersion of the residence, smoothed
	gc     float64 // collections of garbage a second, smoothed over half a second
	others float64 // share of the CPUs that other programs use; -1 while unknown
	vx, vu float64 // variance of the log ratio of two windows' throughput and CPU use, beyond chance
	vo     float64 // variance of the difference of what other loops did
	doubt  bool    // more units did more, or fewer less, though the CPUs were full
	last   window  // the newest, at any limit
}

const (
	// leastNoise is the least standard deviation that is assumed of a log ratio.
	leastNoise = 0.01
	// commonNoise is how much all loops of a process rise and fall together from one
	// window to the next.
	commonNoise = 0.02
	// evenDispersion is the variance of ln x times the completions of even windows (see
	// evenly).
	evenDispersion = 0.25
)

func newWork() work {
	v := leastNoise * leastNoise
	return work{cv2: 0.5, vx: 9 * v, vu: v, vo: 100 * v, others: -1}
}

// see takes note of any window.
func (k *work) see(w window) {
	if w.comp >= 1 {
		k.r = w.r
	}
	k.gc += min(1, 2*w.t) * (w.gc - k.gc)
	if w.t >= minWindow {
		k.others = max(0, 1-w.idle-w.u)
	}
	if l := k.last; w.n == l.n && w.at-w.t-l.at < 0.01+0.1*w.t && min(w.t, l.t) >= minWindow {
		d := logRatio(w.x, l.x)
		if w.bound >= boundEnough && l.bound >= boundEnough {
			learn(&k.vx, d, 0.1)
		}
		if w.crowd > 0 && l.crowd > 0 {
			learn(&k.vo, w.other-l.other, 0.1)
		}
	}
	k.last = w
}

// learn moves a variance towards the square of d by a rate. One odd d says little.
func learn(v *float64, d, rate float64) {
	*v = max(*v+rate*(min(d*d, 6**v)-*v), leastNoise*leastNoise)
}

// learn takes note of a window at the standing limit.
func (k *work) learn(w window) {
	if w.comp < 1 {
		return
	}
	// Only a full turn of the units in flight counts: the short ones finish
	// first, and make the residence look short.
	if w.comp >= 0.8*float64(w.n) && (k.r0 == 0 || w.r < k.r0) {
		k.r0 = w.r
	}
	if w.comp >= 8 && (k.r0 == 0 || w.r < 1.3*k.r0) {
		k.cv2 += min(0.2, w.comp/1000) * (min(max(w.cv2, 0.1), 5) - k.cv2)
	}
}

// noise returns the variance of ln(b.x/a.x): by chance, as the number of units explains it, or
// as it was seen.
func (k *work) noise(a, b window) float64 {
	chance := k.dispersion(a)/max(a.comp, 1) + k.dispersion(b)/max(b.comp, 1) + leastNoise*leastNoise
	return max(chance, k.vx*max(1, minWindow/min(a.t, b.t)))
}

// dispersion returns the variance of ln x times the completions it rests on.
func (k *work) dispersion(w window) float64 {
	if w.even {
		return evenDispersion
	}
	return k.cv2
}

// clockNoise is the variance of ln(b.u/a.u), with CPU clocks that advance in steps of 10 ms.
func (k *work) clockNoise(a, b window) float64 {
	tick := 0.01 / (min(a.t, b.t) * a.cpus * max(min(a.u, b.u), 0.01))
	return max(0.3*tick*tick+leastNoise*leastNoise, k.vu)
}

// ratio returns the log of b's worth over a's and its variance: of throughput, and of
// CPU use where that may say how much was done and throughput does not contradict. What
// loops that share a bottleneck lose or gain meanwhile is part of it.
func (k *work) ratio(a, b window, byCPU bool) (d, v float64) {
	d, v = logRatio(b.x, a.x), k.noise(a, b)
	if byCPU && k.byCPU(a, b) {
		if du := logRatio(b.u, a.u); math.Abs(du-d) < 2*math.Sqrt(v) {
			d, v = fuse(d, v, du, k.clockNoise(a, b), math.Log(float64(b.n)/float64(a.n)))
		}
	}
	if b.crowd > 0 {
		d, v = social(d, v, b.other-a.other, k.noiseOther(a, b))
	}
	return d, v
}

// efficiency is the standard deviation of the work done per CPU second, as a log, for each
// e-fold of the limit. From 0.04 up the mean score is the same, and with more the
// limit wanders above the knee.
const efficiency = 0.05

// fuse returns the mean of a log gain of throughput and one of CPU use, each weighed by
// how certain it is, and its variance. What a CPU second is worth may change with the
// limit, by the log ln.
func fuse(d, v, du, vu, ln float64) (float64, float64) {
	vu += efficiency * efficiency * ln * ln
	return (d*vu + du*v) / (v + vu), v * vu / (v + vu)
}

// social adds what others gain to a log gain of ours. As far as their gain is
// uncertain, half of ours counts as taken from them.
func social(d, v, others, vo float64) (float64, float64) {
	half := d / 2
	w := half * half / (half*half + vo)
	return d + w*others - (1-w)*half, v + w*w*vo
}

// noiseOther is the variance of b.other - a.other.
func (k *work) noiseOther(a, b window) float64 {
	common := commonNoise * max(a.crowd, b.crowd)
	return max(k.vo, common*common)
}

// byCPU reports whether CPU use may say how much was done at both limits: this
// process lives by CPU and the collector does not take its share. Full CPUs say that
// more units at a time do no more, until a look far above has shown otherwise.
func (k *work) byCPU(a, b window) bool {
	return a.led() && b.led() && !(k.doubt && a.full() && b.full()) && a.gc < heapBusy && b.gc < heapBusy
}

// logRatio is ln(b/a), bounded: a window without completions must not be -Inf.
func logRatio(b, a float64) float64 {
	const most = 5
	switch {
	case !(a > 0) && !(b > 0):
		return 0
	case !(a > 0):
		return most
	case !(b > 0):
		return -most
	}
	return min(max(math.Log(b/a), -most), most)
}
