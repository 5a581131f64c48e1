package control_test

import (
	"math"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// TestBriefWindows: windows of the ramp are brief where the CPU figures are fine
// and say that the CPUs are bored, enough units finish, and the limit holds
// somebody back. Nothing else is.
func TestBriefWindows(t *testing.T) {
	type work struct {
		units     float64
		tick      float64
		own       float64 // CPUs used, of 4
		others    float64 // CPUs used by others
		rate      float64
		residence float64
		cv2       float64
		unbound   bool
		low, high time.Duration
	}
	usual := work{units: control.RampUnits, tick: 0.004, own: 0.4, rate: 10_000, residence: 0.001, cv2: 1,
		low: 10 * time.Millisecond, high: 20 * time.Millisecond}
	ms := time.Millisecond
	for name, change := range map[string]func(*work){
		"brief":            func(*work) {},
		"finest":           func(w *work) { w.tick = 1e-9 },
		"slow timer":       func(w *work) { w.tick, w.low, w.high = 0.01, 25*ms, 40*ms },
		"by residence":     func(w *work) { w.residence, w.low, w.high = 0.03, 45*ms, 60*ms },
		"by count":         func(w *work) { w.rate, w.low, w.high = 400, 40*ms, 50*ms },
		"even units":       func(w *work) { w.rate, w.cv2, w.low, w.high = 250, 0, 32*ms, 60*ms },
		"unknown tick":     func(w *work) { w.tick, w.low, w.high = 0, 100*ms, 110*ms },
		"coarse tick":      func(w *work) { w.tick, w.low, w.high = 0.04, 100*ms, 110*ms },
		"busy":             func(w *work) { w.own, w.low, w.high = 3.9, 100*ms, 110*ms },
		"half busy":        func(w *work) { w.own, w.low, w.high = 2.1, 100*ms, 110*ms },
		"less":             func(w *work) { w.own = 1.9 },
		"full of others":   func(w *work) { w.own, w.others, w.low, w.high = 1.8, 2, 100*ms, 110*ms },
		"others, too":      func(w *work) { w.own, w.others = 1, 2 },
		"unbound":          func(w *work) { w.unbound, w.low, w.high = true, 100*ms, 110*ms },
		"few completions":  func(w *work) { w.rate, w.low, w.high = 100, 130*ms, 260*ms },
		"a trial":          func(w *work) { w.units, w.low, w.high = control.HoldUnits, 100*ms, 110*ms },
		"long units":       func(w *work) { w.residence, w.rate, w.low, w.high = 0.1, 2000, 100*ms, 110*ms },
		"nothing finishes": func(w *work) { w.rate, w.low, w.high = 0, 250*ms, 10*time.Second },
	} {
		w := usual
		change(&w)
		f := &flow{limit: 10, rate: w.rate, residence: w.residence, cv2: w.cv2}
		f.r.Limit, f.r.Tick = f.limit, w.tick
		m := control.NewMeter(f.r, f.limit, w.units, 1.5, w.residence)
		m.Beside(w.others)
		from := f.r.At
		for {
			r := f.next()
			r.Tick = w.tick
			f.r.OwnCPU += w.own * 0.01
			f.r.MachineCPU += (w.own + w.others) * 0.01
			r.OwnCPU, r.MachineCPU = f.r.OwnCPU, f.r.MachineCPU
			if w.unbound {
				r.Bound = 0
				f.r.Occupancy -= 5 * 0.01
				r.Occupancy = f.r.Occupancy
			}
			if m.Take(r) || f.r.At > time.Minute {
				break
			}
		}
		if took := f.r.At - from; took < w.low || took > w.high {
			t.Errorf("%s: took %v, want %v to %v", name, took, w.low, w.high)
		}
	}
}

// TestBriefRamp: where work waits and the sensor is fine the ramp is several
// times quicker, and lands at the same knee.
func TestBriefRamp(t *testing.T) {
	climb := func(tick float64, cpu float64) (took time.Duration, landed int, soon bool) {
		p := &fluid{cpus: 4, cpu: cpu, rate: server(256, 2*time.Millisecond),
			edit: func(r *control.Reading) { r.Tick = tick },
			see: func(r control.Reading, d control.Decision) {
				soon = soon || d.Soon
				if took == 0 && d.Limit >= 256 {
					took = r.At
				}
			}}
		s := control.NewSearch()
		p.run(s, 4, 6*time.Second)
		return took, s.Home(), soon
	}
	coarse, a, hurried := climb(0, 1e-6)
	if hurried {
		t.Error("wants readings sooner although the CPU figures are coarse")
	}
	fine, b, hurried := climb(0.004, 1e-6)
	if !hurried {
		t.Error("does not want readings sooner")
	}
	if fine > coarse/2 || fine == 0 {
		t.Errorf("took %v to 256, and %v with a fine sensor", coarse, fine)
	}
	for _, n := range []int{a, b} {
		if n < 230 || n > 512 {
			t.Errorf("landed at %d, want 256", n)
		}
	}
}

// TestBriefWindowsBringNoBadNews: a step whose brief window looks like a
// loss, as in a collection of garbage, is looked at for longer.
func TestBriefWindowsBringNoBadNews(t *testing.T) {
	const residence = 5 * time.Millisecond
	stalls, last := 0, 0
	var set time.Duration // when the limit was
	p := &fluid{cpus: 4, cpu: 1e-6, rate: server(1024, residence),
		edit: func(r *control.Reading) {
			r.Tick = 0.004
			if r.Limit != last {
				last, set = r.Limit, r.At-fluidTick
			}
			if at := r.At - set; (r.Limit == 128 || r.Limit == 256) && at == 2*fluidTick {
				// Most of what ended in this tick is only seen in the next.
				late := int64(0.8 * float64(r.Limit) * float64(fluidTick) / float64(residence))
				r.Completed -= late
				r.Timed -= late
				r.Units -= float64(late)
				r.Residence -= float64(late) * residence.Seconds()
				r.Residence2 -= float64(late) * residence.Seconds() * residence.Seconds() * (1 + fluidCV2)
				stalls++
			}
		}}
	s := control.NewSearch()
	p.run(s, 4, 1500*time.Millisecond)
	if n := s.Home(); n < 900 || stalls == 0 {
		t.Errorf("at %d after %d stalls, want 1024", n, stalls)
	}
}

// TestBriefWindowsAreSure: a gain must stand out of the noise of units as uneven
// as they look, in either window.
func TestBriefWindowsAreSure(t *testing.T) {
	a := control.Window{N: 2, X: 100, Comp: 16, CV2: 0.5, T: 0.05}
	c := control.Window{N: 4, X: 200, Comp: 32, CV2: 0.5, T: 0.05}
	for i, test := range []struct {
		x, cvA, cvC float64
		sure        bool
	}{
		{200, 0.5, 0.5, true},
		{200, 0.1, 0.1, true},
		{150, 0.5, 0.5, false}, // a standard error is 0.22
		{200, 3, 0.5, false},
		{200, 0.5, 3, false},
		{50, 0.5, 0.5, false},
	} {
		a, c := a, c
		c.X, a.CV2, c.CV2 = test.x, test.cvA, test.cvC
		if got := control.NewModel().Sure(a, c); got != test.sure {
			t.Errorf("case %d: sure %t, want %t", i, got, test.sure)
		}
	}
}

// TestOthers: what others use is the mean of a tenth of a second or two, and
// nothing before that is known.
func TestOthers(t *testing.T) {
	var o control.Others
	r := control.Reading{At: 3 * time.Second, OwnCPU: 7, MachineCPU: 50}
	used := r.MachineCPU
	for i := range 300 {
		rate := 1.5
		if i >= 150 {
			rate = 0
		}
		got := o.See(r)
		switch {
		case i < 20 && got != 0:
			t.Fatalf("%v after %d ms", got, 5*i)
		case i > 22 && i < 150 && math.Abs(got-1.5) > 0.11, i > 191 && got > 0.11:
			t.Fatalf("%v after %d ms, want %v", got, 5*i, rate)
		}
		r.At += 5 * time.Millisecond
		r.OwnCPU += 0.001
		used += 0.001 + rate*0.005
		r.MachineCPU = math.Floor(used*100) / 100 // its clock goes in ticks
	}
}
