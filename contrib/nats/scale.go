package natslimit

import (
	"math"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot/control"
)

// A Scale decides how many workers a consumer should have, by [control.Demand], from
// what the server counts and what the workers say of themselves (see [Announce]). Ask it
// at even intervals, such as 15 s, and start or end workers accordingly:
//
//	info, err := consumer.Info(ctx)
//	workers, err := natslimit.Workers(ctx, nc, info.Stream, info.Name)
//	d := scale.Next(info, workers)
//
// What one worker does comes from its Limiter. A worker is busy for the share of its
// limit that is in use, and completes so many messages per second of being busy. The
// limit counts as learnt if it was in force under a backlog: without one, a Limiter
// lowers its limit to what there is to do. Until a backlog has shown more, a worker
// counts for the limit it begins with.
//
// A message that was given back counts as a new arrival when it is delivered again.
// While workers hold as many messages as MaxAckPending allows, which a [Fleet] moves,
// more workers could do nothing, and none are added.
//
// How long a new worker takes until it announces itself is measured, from when it was
// wanted. One that does not come within ten minutes is not expected any more.
//
// The zero value is ready. The fields may change between two calls of Next. A Scale
// serves one consumer, one goroutine at a time, and starts nothing.
type Scale struct {
	Min, Max int // bounds of the workers; 1 and no bound if not set
	// Hold is how long a worker is kept after it was last wanted; as long as one takes to
	// start, and at least four times that between two calls of Next, if not set.
	Hold time.Duration

	law     control.Demand
	begun   bool
	first   time.Time
	asked   time.Time // the newest Next
	known   map[string]*known
	orders  []time.Time // when each worker was wanted that has not come, oldest first
	starts  float64     // workers that came
	waited  float64     // for those, from the order on, s
	units   float64     // messages that a worker handles at a time, as learnt
	taken   int64       // messages that ever got a permit
	busy    float64     // integral of workers at work, s
	backlog bool        // there was one at the last Next
}

// A known is a worker that has announced itself, and when it last did.
type known struct {
	last Worker
	seen time.Time
}

const (
	// expectMost is how long a worker that was wanted is expected: a Deployment of
	// Kubernetes has failed if it does not progress for as long.
	expectMost = 10 * time.Minute
	// ignored is by what share more workers may be wanted without any being started.
	ignored = 0.1
	// startMemory is after how many starts the older ones count half.
	startMemory = 100
)

// Active reports whether there is something to do: messages that wait, or that a worker
// has not acknowledged. If not, no worker is needed, whatever Next says.
func Active(info *jetstream.ConsumerInfo) bool {
	return info.NumPending > 0 || info.NumAckPending > 0
}

// Next returns the number of workers that there should be from now on, at least 1. The
// time is that of info. The first call only begins to measure, and returns the workers
// that there are.
func (s *Scale) Next(info *jetstream.ConsumerInfo, workers []Worker) control.ReplicaDecision {
	now := info.TimeStamp
	if !s.begun {
		s.begun, s.first, s.known = true, now, map[string]*known{}
	}
	s.learn(info, workers)
	ready := s.meet(now, workers)
	s.orders = slices.DeleteFunc(s.orders, func(at time.Time) bool { return now.Sub(at) > expectMost })
	r := control.ReplicaReading{
		At: now.Sub(s.first), Ready: ready, Starting: len(s.orders), Min: s.Min, Max: s.most(info, ready),
		Arrived: int64(info.Delivered.Consumer + info.NumPending), Completed: s.taken,
		Queued: int(min(info.NumPending, math.MaxInt32)), Busy: s.busy,
	}
	s.law.Hold = s.Hold
	d := s.law.Next(r)
	if ready == 0 && !Active(info) {
		s.orders = nil // nobody starts a worker for nothing
		return d
	}
	s.order(now, d.Replicas, ready)
	return d
}

// order takes down when the workers were wanted that are not ready.
func (s *Scale) order(now time.Time, all, ready int) {
	s.orders = s.orders[:max(0, min(len(s.orders), all-ready))]
	if more := all - ready - len(s.orders); more > 0 {
		// Kubernetes' autoscaler leaves a difference of a tenth alone: what was wanted
		// before is begun only now.
		if float64(len(s.orders)) <= ignored*float64(ready) {
			s.orders = s.orders[:0]
		}
		s.orders = append(s.orders, slices.Repeat([]time.Time{now}, all-ready-len(s.orders))...)
	}
}

// meet takes in what workers say, and returns how many are ready. One that did not
// answer this time, while others did, is believed to be there once.
func (s *Scale) meet(now time.Time, workers []Worker) (ready int) {
	var before time.Time // of the last answers
	for _, k := range s.known {
		if k.seen.After(before) {
			before = k.seen
		}
	}
	first, since := now.Equal(s.first), now.Sub(s.asked).Seconds()
	s.asked = now
	for _, w := range workers {
		k := s.known[w.Name]
		if k == nil {
			k = &known{}
			if !first && w.Occupancy > since*float64(max(w.Limit, w.InFlight)) {
				k.last = w // it is older: what it has done is not known to belong to this interval
			}
			s.known[w.Name] = k
			if !first {
				s.came(now)
			}
		}
		s.count(k, w)
		if k.last, k.seen = w, now; first {
			k.last.InFlight = 0 // they get their permits in what is measured
		}
	}
	for name, k := range s.known {
		switch {
		case now.Sub(k.seen) > expectMost:
			delete(s.known, name)
		case k.last.Draining:
		case k.seen.Equal(now), len(workers) > 0 && k.seen.Equal(before):
			ready++
		}
	}
	return ready
}

// count adds what a worker has done since the last time. Messages are counted when they
// get their permit, so that jobs of an hour do not look endless before the first one ends.
func (s *Scale) count(k *known, w Worker) {
	if w.Ended < k.last.Ended || w.Occupancy < k.last.Occupancy { // another one of that name
		k.last = Worker{}
	}
	s.taken += max(0, w.Ended-k.last.Ended+int64(w.InFlight-k.last.InFlight))
	if s.units > 0 {
		s.busy += (w.Occupancy - k.last.Occupancy) / s.units
	}
}

// came takes down that a worker is there for the first time.
func (s *Scale) came(now time.Time) {
	if len(s.orders) == 0 {
		return // somebody else has started it
	}
	if s.starts >= startMemory {
		s.starts, s.waited = s.starts/2, s.waited/2
	}
	s.starts++
	s.waited += now.Sub(s.orders[0]).Seconds()
	s.orders = s.orders[1:]
	s.law.Startup = time.Duration(s.waited / s.starts * float64(time.Second))
}

// learn looks how many messages a worker handles at a time.
func (s *Scale) learn(info *jetstream.ConsumerInfo, workers []Worker) {
	before := s.backlog
	s.backlog = info.NumPending > 0
	sum, n := 0.0, 0.0
	for _, w := range workers {
		// A new one has yet to find its limit.
		if w.Limit > 0 && !w.Draining && (s.units == 0 || s.known[w.Name] != nil) {
			sum += float64(w.Limit)
			n++
		}
	}
	switch {
	case n == 0:
	case before && s.backlog:
		s.units = sum / n
	default:
		s.units = max(s.units, sum/n)
	}
}

// most returns the bound of the workers.
func (s *Scale) most(info *jetstream.ConsumerInfo, ready int) int {
	all := info.Config.MaxAckPending
	if all <= 0 || info.NumAckPending < all || s.units == 0 {
		return s.Max
	}
	use := max(ready, int(math.Ceil(float64(all)/s.units)), 1)
	if s.Max > 0 {
		use = min(use, s.Max)
	}
	return use
}
