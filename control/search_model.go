package control

import "math"

// A model is what is known of the work.
type model struct {
	r   float64 // mean residence in the newest window, s; 0 if unknown
	r0  float64 // least residence of this regime, s; 0 if unknown
	cv2 float64 // dispersion of the residence, smoothed
	// even is the dispersion of even windows, learnt from windows in a row: units
	// that queue for one server share most of their residence, so that neither
	// their number nor their evenness says how much a window is worth.
	even    float64
	gc      float64 // collections of garbage a second, smoothed over half a second
	rows    float64 // windows that vm rests on
	last    window  // the newest, at any limit
	vx      float64 // noise of a paired log ratio of throughputs beyond dispersion: variance
	vu      float64 // the same of CPU use
	vm      float64 // the same of the CPU use of the whole machine
	patches patches
	burst   float64 // the same as vx where work is crowded (see search_heap.go); 0 if unknown
}

func newModel() model {
	return model{cv2: 0.5, even: 0.25, vx: 0.01 * 0.01, vu: 0.01 * 0.01, vm: 0.01 * 0.01}
}

func (k *model) residence() float64 { return k.r }

// see takes note of any window.
func (k *model) see(w window) {
	if w.comp >= 1 {
		k.r = w.r
	}
	k.gc += min(1, 2*w.t) * (w.gc - k.gc)
	if l := k.last; w.even && l.even && w.n == l.n && w.at-w.t-l.at < 0.01+0.1*w.t {
		d := logRatio(w.x, l.x)
		k.even += 0.2 * (min(d*d/(1/w.comp+1/l.comp), 1) - k.even)
	}
	k.seeBursts(w)
	if l := k.last; w.inRow(l) {
		w.pieces.compare(l.x, w.x, l.comp, w.comp, k.cv2)
		k.seeMachine(l, w)
	}
	k.patches.learn(w.pieces)
	k.last = w
}

// learn takes note of a window at the standing limit.
func (k *model) learn(w window) {
	if w.comp < 1 {
		return
	}
	// A full turn of the units in flight, else the short ones that finish first
	// make the residence look short.
	if w.comp >= 0.8*float64(w.n) && (k.r0 == 0 || w.r < k.r0) {
		k.r0 = w.r
	}
	if w.comp >= 8 && (k.r0 == 0 || w.r < 1.3*k.r0) {
		k.cv2 += min(0.2, w.comp/1000) * (min(max(w.cv2, 0.1), 5) - k.cv2)
	}
}

// forget drops the least residence: the work or the machine changed.
func (k *model) forget() { k.r0 = 0 }

// noiseX returns the variance of ln(c.x/a.x) that chance alone explains.
func (k *model) noiseX(a, c window) float64 {
	v := k.dispersion(a)/max(a.comp, 1) + k.dispersion(c)/max(c.comp, 1) + 0.01*0.01
	return max(v, *k.scatter(a, c))
}

// dispersion returns the variance of ln x times the completions it rests on.
func (k *model) dispersion(w window) float64 {
	if w.even {
		return k.even
	}
	return min(k.uneven(), max(k.cv2, patchMost*w.comp))
}

// uneven returns the dispersion of counts of units that are not even.
func (k *model) uneven() float64 {
	if k.patchy() {
		return k.patches.index()
	}
	return k.cv2
}

// patchy reports whether units that follow each other are alike.
func (k *model) patchy() bool { return k.patches.index() > patchy*k.cv2 }

// patchiness returns by how much more units a window needs for that.
func (k *model) patchiness() float64 { return k.uneven() / k.cv2 }

// noiseU returns the same for ln(c.u/a.u).
func (k *model) noiseU(a, c window) float64 { return max(tickNoise(a, c), k.vu) }

// machineNoise is the noise of the log ratio of what the machine was busy.
func machineNoise(a, c window) float64 {
	a.u, c.u = 1-a.idle, 1-c.idle
	return tickNoise(a, c)
}

// tickNoise is the noise of ln(c.u/a.u) that CPU clocks have which advance in
// steps of 10 ms, and 1 % for the rest.
func tickNoise(a, c window) float64 {
	tick := 0.01 / (min(a.t, c.t) * a.cpus * max(min(a.u, c.u), 0.01))
	return 0.3*tick*tick + 0.01*0.01
}

// ratio returns the log of c's worth over a's and its variance: of throughput,
// or of CPU use where both windows live by CPU alone and throughput does not
// contradict. CPU use is the less noisy of the two by far; but where the collector
// takes its share of it, it does not say how much of it was work.
func (k *model) ratio(a, c window) (d, v float64) {
	d, v = logRatio(c.x, a.x), k.noiseX(a, c)
	if byCPU(a, c) {
		du := logRatio(c.u, a.u)
		worse := du - d // by how much throughput speaks against the larger limit
		if c.n < a.n {
			worse = -worse
		}
		if worse <= 3*math.Sqrt(v) {
			return du, k.noiseU(a, c)
		}
	}
	return d, v
}

// byCPU reports whether CPU use may stand for the work done at both limits.
func byCPU(a, c window) bool {
	return a.cpuLed() && c.cpuLed() && !a.collecting() && !c.collecting()
}

// logRatio is ln(c/a), bounded: a window without completions must not be -Inf.
func logRatio(c, a float64) float64 {
	const most = 5
	switch {
	case a <= 0 && c <= 0:
		return 0
	case a <= 0:
		return most
	case c <= 0:
		return -most
	}
	return min(max(math.Log(c/a), -most), most)
}
