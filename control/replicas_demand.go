package control

import (
	"cmp"
	"fmt"
	"math"
	"time"
)

// Demand decides the number of replicas from queueing theory. It measures how many
// requests arrive (λ) and how many one busy replica completes (μ), both per second. So
// R = λ/μ replicas would be busy on average without waiting (the offered load). The
// number is the greatest of three, rounded up:
//
//   - R/Utilisation: the replicas are busy for that share of their time. The rest
//     carries what arrives while a new replica starts.
//   - R + Safety·√R, square-root staffing. The number of busy replicas fluctuates by
//     √R, so a small service needs a larger share to spare than a large one: below R =
//     5.4, with 0.7 and 1, this is the greater.
//   - R + B/T. T is the time in which a new replica would start. B is the backlog by
//     then, in replica-seconds, counting the replicas on their way. This works the
//     backlog off in another T, at full utilisation.
//
// The law never takes utilisation for demand. Utilisation cannot exceed 1, so a law
// that multiplies by it takes step after step to find a demand many times the capacity,
// and waits a start-up time at each. Arrivals show the demand at once.
//
// A replica is released when it was not wanted for Hold. By default that is the time in
// which one starts, as learnt, and at least four readings. Keeping an idle replica for
// as long as a new start would take costs at most twice the optimum in hindsight (the
// argument of DelayedOff: A. Gandhi, M. Harchol-Balter, R. Raghunathan, M. Kozuch,
// "AutoScale: Dynamic, Robust Capacity Management for Multi-Tier Data Centers", ACM
// TOCS 30(4), 2012).
//
// If the load is a few busy replicas and one starts within seconds, requests wait
// longer than with a law that keeps its highest number for five minutes, as [HPA] does,
// and the replicas cost a little more than half as much. A longer Hold lies between the
// two.
//
// Sources: 0.7 and R/0.7 as in the autoscaler of Yusuke Miyake, the author of the talk
// that [DynamicTarget] is from (see [Compensated]). Square-root staffing: A. K. Erlang,
// 1924; S. Halfin, W. Whitt, "Heavy-Traffic Limits for Queues with Many Exponential
// Servers", Operations Research 29(3), 1981, who show that with R + β√R servers the
// share of requests that wait depends on β alone when R is large: 22 % for β = 1, 6 %
// for 1.65.
//
// Set the fields before the first call of Next. A large service whose load moves slowly
// compared with the start of a replica needs far fewer replicas: at R = 7,000,
// Utilisation 0.7 is 10,000 of them; 1, which leaves it to the square root, is 7,084.
type Demand struct {
	Utilisation float64       // share of its time that a replica should be busy, over 0 to 1; 0.7 if not set
	Safety      float64       // β, how many √R to spare; 1 if not set
	Startup     time.Duration // how long a replica takes until it serves; learnt if not set
	Hold        time.Duration // how long a replica is kept after it was last wanted; Startup, or four readings, if not set

	begun    bool
	last     ReplicaReading
	arrivals level   // requests per second
	service  level   // completions per second of a busy replica
	started  float64 // replicas that came up
	took     float64 // integral of those while they were starting, s
	starting float64 // integral of the replicas that start now, s
	wanted   recommendations
}

const (
	// defaultUtilisation is the target of the published autoscaler (see
	// Compensated), and at the lower end of what operators set.
	defaultUtilisation = 0.7
	// defaultSafety is one standard deviation of the number of busy replicas.
	defaultSafety = 1.0
	// holdWindows keeps the noise of the estimates from letting replicas go
	// and calling them back where one starts at once.
	holdWindows = 4
	// startMemory is after how many starts the older ones count half.
	startMemory = 100
)

// NewDemand returns the law with a utilisation of 0.7 and a safety of 1. It learns the
// rest.
func NewDemand() *Demand {
	return &Demand{Utilisation: defaultUtilisation, Safety: defaultSafety}
}

// Next decides from the time since the last reading. Until the first request is
// completed the demand is unknown, and the number stays. It panics if Utilisation is
// above 1 or a field is negative.
func (d *Demand) Next(r ReplicaReading) ReplicaDecision {
	d.mustBeSane()
	last := d.last
	d.last = r
	if !d.begun {
		d.begun = true
		return r.begin()
	}
	if !r.follows(last) {
		return r.scale(r.Replicas(), "")
	}
	seconds := (r.At - last.At).Seconds()
	d.arrivals.add(float64(r.Arrived-last.Arrived), seconds)
	d.service.add(float64(r.Completed-last.Completed), r.Busy-last.Busy)
	d.learnStart(last, r, seconds)
	if d.service.rate() == 0 {
		return r.scale(r.Replicas(), "")
	}

	startup := d.startup()
	load := d.arrivals.rate() / d.service.rate()
	steady := max(load/cmp.Or(d.Utilisation, defaultUtilisation), load+cmp.Or(d.Safety, defaultSafety)*math.Sqrt(load))
	clearing := max(startup, seconds)
	backlog := d.backlog(r, load, startup)
	// A hair off, or a load of exactly 7 would be 10.000000000000002 replicas.
	want := int(math.Ceil(min(max(steady, load+backlog/clearing), math.MaxInt32) - 1e-9))

	note := fmt.Sprintf("%.4g/s arrive; a replica serves %.4g/s", d.arrivals.rate(), d.service.rate())
	if load+backlog/clearing > steady {
		note += fmt.Sprintf("; %.3g replica-seconds of backlog", backlog)
	}
	hold := d.Hold
	if hold <= 0 {
		hold = time.Duration(max(startup, holdWindows*seconds) * float64(time.Second))
	}
	if _, kept := d.wanted.bounds(r.At, want, hold); kept > want {
		want = kept
		note += fmt.Sprintf("; more were needed within the last %v", hold.Round(time.Second/10))
	}
	return r.scale(want, note)
}

// backlog returns the work that will wait when a replica that is ordered now
// begins to serve, in replica-seconds. Those on their way come up one after
// the other in that time, hence the half.
func (d *Demand) backlog(r ReplicaReading, load, startup float64) float64 {
	serving := float64(r.Ready) + float64(r.Starting)/2
	return max(0, float64(r.Queued)/d.service.rate()+(load-serving)*startup)
}

// learnStart takes one window into account for the time that a replica takes
// to start. By Little's law it is the replicas starting, over time, divided by
// those that came up. Those that were cancelled or that replace others never do:
// their part of that time leaves with them.
func (d *Demand) learnStart(last, r ReplicaReading, seconds float64) {
	d.starting += seconds * float64(last.Starting+r.Starting) / 2
	up := float64(max(0, r.Ready-last.Ready))
	left := max(float64(last.Starting-r.Starting), up) // more, if others began meanwhile
	if all := float64(r.Starting) + left; all > 0 {
		d.took += d.starting * up / all
		d.starting -= d.starting * left / all
	}
	d.started += up
	if d.started > startMemory {
		d.started /= 2
		d.took /= 2
	}
}

// startup returns how long a replica takes to start, s.
func (d *Demand) startup() float64 {
	switch {
	case d.Startup > 0:
		return d.Startup.Seconds()
	case d.started > 0:
		return d.took / d.started
	}
	// None came up yet: as long as those on their way have been there.
	if n := d.last.Starting; n > 0 {
		return d.starting / float64(n)
	}
	return 0
}

func (d *Demand) mustBeSane() {
	switch {
	case !(d.Utilisation >= 0 && d.Utilisation <= 1):
		panic(fmt.Sprintf("control: Demand.Utilisation is %v: want a number above 0 and at most 1, or 0 for the default", d.Utilisation))
	case !(d.Safety >= 0 && d.Safety <= 1000):
		panic(fmt.Sprintf("control: Demand.Safety is %v: want 0, for the default, to 1000", d.Safety))
	case d.Startup < 0 || d.Hold < 0:
		panic(fmt.Sprintf("control: Demand.Startup is %v and Hold %v: want 0 or more", d.Startup, d.Hold))
	}
}
