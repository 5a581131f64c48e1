package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A fleet is the replicas of a service and the requests that they have.
type fleet struct {
	service *Service
	now     float64
	ready   int // replicas that serve and shall stay
	leaving int // replicas that leave when they finish a request
	busy    int // replicas at work, those that leave included

	startAt endings // when replicas begin to serve; unit is the order in which they were asked for
	order   []int32 // those that start, the youngest last: others were let go
	orders  int32

	arrivals arrivals
	work     sampler
	startup  sampler
	draws    struct{ work, startup *rand.Rand }

	requests slab[request]
	queued   queue[int32]
	ends     endings

	stretch        int
	needChanges    float64 // when the need may be another
	peak, peakNeed int
	count          fleetCount
}

// A request came at a time, and its work is so long.
type request struct{ came, length float64 }

type fleetCount struct {
	arrived, completed   int64
	waiting              float64 // integral of the requests queued, s
	busy, capacity, cost float64 // integrals of replicas, s
	response             float64 // sum over the completed requests, s
}

func newFleet(s *Service, seed uint64) *fleet {
	f := &fleet{service: s, ready: s.Replicas, work: newSampler(s.Work), startup: newSampler(s.Startup)}
	stream := func(i uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, i)) }
	f.draws.work, f.draws.startup = stream(2), stream(3)
	f.arrivals = arrivals{service: s, draws: stream(1)}
	f.arrivals.next()
	f.enterNeed()
	f.peak = s.Replicas
	return f
}

// needStep is how finely a sloping load's need is followed, s. The need is
// worked out in the middle of each.
const needStep = 1.0

// enterNeed works out the need of the time that begins now.
func (f *fleet) enterNeed() {
	s := f.service
	for f.stretch+1 < len(s.Load) && s.Load[f.stretch+1].From <= f.now {
		f.stretch++
	}
	f.needChanges = s.end(f.stretch)
	if l := s.Load[f.stretch]; l.Begin != l.End {
		f.needChanges = min(f.needChanges, f.now+needStep)
	}
	f.peakNeed = max(f.peakNeed, s.Need((f.now+f.needChanges)/2))
}

func (f *fleet) starting() int { return len(f.order) }

func (f *fleet) asked() int { return f.ready + f.starting() }

// all returns the replicas that cost something.
func (f *fleet) all() int { return f.asked() + f.leaving }

// setReplicas puts a number of replicas in force.
func (f *fleet) setReplicas(n int) {
	if surplus := min(f.asked()-n, len(f.order)); surplus > 0 {
		f.order = f.order[:len(f.order)-surplus]
	}
	if surplus := f.ready - n; surplus > 0 {
		atOnce := min(surplus, f.ready-(f.busy-f.leaving))
		f.ready -= surplus
		f.leaving += surplus - atOnce
	}
	if back := min(n-f.asked(), f.leaving); back > 0 {
		f.leaving -= back
		f.ready += back
	}
	for f.asked() < n {
		f.startAt.push(ending{f.now + f.startup.draw(f.draws.startup), f.orders})
		f.order = append(f.order, f.orders)
		f.orders++
	}
	f.peak = max(f.peak, f.all())
}

// advance lets time pass, up to an instant.
func (f *fleet) advance(to float64) {
	for {
		at, what := to, 0
		if f.needChanges < at {
			at, what = f.needChanges, 1
		}
		if f.arrivals.at < at {
			at, what = f.arrivals.at, 2
		}
		if len(f.startAt) > 0 && f.startAt[0].key < at {
			at, what = f.startAt[0].key, 3
		}
		if len(f.ends) > 0 && f.ends[0].key < at {
			at, what = f.ends[0].key, 4
		}
		f.pass(at)
		switch what {
		case 0:
			return
		case 1:
			f.enterNeed()
		case 2:
			f.arrive()
		case 3:
			f.begin(f.startAt.pop().unit)
		case 4:
			f.complete(f.ends.pop().unit)
		}
	}
}

func (f *fleet) pass(to float64) {
	dt := to - f.now
	f.now = to
	c := &f.count
	c.waiting += dt * float64(f.queued.n)
	c.busy += dt * float64(f.busy)
	c.capacity += dt * float64(f.ready+f.leaving)
	c.cost += dt * float64(f.all())
}

func (f *fleet) arrive() {
	f.arrivals.next()
	f.count.arrived++
	f.queued.push(f.requests.add(request{f.now, f.work.draw(f.draws.work)}))
	f.serve()
}

// serve gives waiting requests to idle replicas.
func (f *fleet) serve() {
	for f.queued.n > 0 && f.busy < f.ready+f.leaving {
		slot := f.queued.pop()
		f.busy++
		f.ends.push(ending{f.now + f.requests.at[slot].length, slot})
	}
}

// begin lets a replica serve, unless it was let go while it started.
func (f *fleet) begin(order int32) {
	i, starts := slices.BinarySearch(f.order, order)
	if !starts {
		return
	}
	f.order = slices.Delete(f.order, i, i+1)
	f.ready++
	f.serve()
}

func (f *fleet) complete(slot int32) {
	f.count.completed++
	f.count.response += f.now - f.requests.at[slot].came
	f.requests.remove(slot)
	f.busy--
	if f.leaving > 0 {
		f.leaving--
	}
	f.serve()
}

func (f *fleet) reading(at float64) control.ReplicaReading {
	c := &f.count
	return control.ReplicaReading{
		At: time.Duration(math.Round(at * 1e9)), Ready: f.ready, Starting: f.starting(), Max: MaxReplicas,
		Arrived: c.arrived, Completed: c.completed, Queued: f.queued.n,
		Busy: c.busy, Capacity: c.capacity, Response: c.response,
	}
}

// arrivals is a Poisson process whose rate changes over time: the instants at
// which the integral of the rate has grown by an exponential of mean 1.
type arrivals struct {
	service *Service
	draws   *rand.Rand
	stretch int
	at      float64 // the next arrival; +Inf when none comes
}

// next moves to the arrival after the one at a.at.
func (a *arrivals) next() {
	left := a.draws.ExpFloat64()
	for ; a.stretch < len(a.service.Load); a.stretch++ {
		l, end := a.service.Load[a.stretch], a.service.end(a.stretch)
		from := max(a.at, l.From)
		slope := (l.End - l.Begin) / (end - l.From)
		rate := l.Begin + slope*(from-l.From)
		// rate·x + slope·x²/2 = left, in the form that stays exact for
		// slopes near 0.
		if under := rate*rate + 2*slope*left; under >= 0 && rate+math.Sqrt(under) > 0 {
			if x := 2 * left / (rate + math.Sqrt(under)); from+x < end {
				a.at = from + x
				return
			}
		}
		left = max(0, left-(rate+l.End)/2*(end-from))
		a.at = end
	}
	a.at = math.Inf(1)
}
