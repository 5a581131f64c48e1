package main

import (
	"context"
	"net/http/httptest"
	"slices"
	"time"
)

// loads are the steps, in parts of the capacity.
var loads = []float64{0.5, 0.8, 1, 2, 5, 10}

// A step is what a load brought.
type step struct {
	load     float64 // over the capacity
	goodput  float64 // over the capacity
	p50, p99 time.Duration
	refused  float64 // share
	failed   int     // neither answered nor refused
	limit    float64 // median
}

// A verdict is how a subject did.
type verdict struct {
	name  string
	steps []step
	// told are the times until the limit is right after half of the slots are gone
	// and after they are back; negative: not in this time.
	told [2]time.Duration
}

// judge measures a subject.
func judge(ctx context.Context, s subject, o options, seed uint64) verdict {
	p := newPlant(o.slots, o.mean, o.cv)
	h := s.wrap(p)
	server := httptest.NewServer(h)
	defer server.Close()
	l := newLoad(server.URL)
	defer l.client.CloseIdleConnections()

	v := verdict{name: s.name}
	good := 3 * p.usual()
	l.send(ctx, 0.8*o.capacity(), 2*o.step, seed)
	for i, load := range loads {
		limits := watch(h.limit)
		all := l.send(ctx, load*o.capacity(), o.step, seed+uint64(i)+1)
		v.steps = append(v.steps, newStep(load, all, limits(), good, o))
	}
	for i, slots := range [...]int{max(1, o.slots/2), o.slots} {
		p.slots.SetLimit(slots)
		limits := watch(h.limit)
		all := l.send(ctx, 5*o.capacity(), 2*o.step, seed+uint64(len(loads)+i)+1)
		v.told[i] = told(all, limits(), good, slots, o)
	}
	return v
}

// A look is the limit at a time.
type look struct {
	at    time.Duration
	limit int
}

// watch looks at a limit every 20 ms until the function that it returns is called.
func watch(limit func() int) func() []look {
	stop, looks := make(chan struct{}), make(chan []look)
	began := time.Now()
	go func() {
		var all []look
		for t := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-t.C:
				all = append(all, look{time.Since(began), limit()})
			case <-stop:
				t.Stop()
				looks <- all
				return
			}
		}
	}()
	return func() []look { close(stop); return <-looks }
}

func newStep(load float64, all []response, limits []look, good time.Duration, o options) step {
	s := step{load: load, limit: medianLimit(limits)}
	var took []time.Duration
	inTime, refused := 0, 0
	for _, r := range all {
		switch {
		case r.status == 0:
			s.failed++
		case r.status >= 400:
			refused++
		default:
			took = append(took, r.took)
			// What was left over at the end of the step is not what the server can
			// do in its length.
			if r.took <= good && r.at+r.took <= o.step {
				inTime++
			}
		}
	}
	slices.Sort(took)
	s.p50, s.p99 = quantile(took, 0.5), quantile(took, 0.99)
	s.goodput = float64(inTime) / o.step.Seconds() / o.capacity()
	s.refused = float64(refused) / float64(max(1, len(all)))
	return s
}

// quantile returns the least of sorted times that the part q does not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func medianLimit(looks []look) float64 {
	var ns []int
	for _, l := range looks {
		ns = append(ns, l.limit)
	}
	if len(ns) == 0 {
		return 0
	}
	slices.Sort(ns)
	return float64(ns[len(ns)/2])
}

const (
	tooFew, tooMany = 0.8, 1.5 // limits over slots that are right
	enoughGood      = 0.8      // of what the slots can do, in a second of some hundred requests
	span            = time.Second
)

// told returns the beginning of the first second in which the limit is right and
// the goodput is what the slots can do; -1 if there is none.
func told(all []response, limits []look, good time.Duration, slots int, o options) time.Duration {
	can := float64(slots) / o.mean.Seconds() * span.Seconds()
	for from := time.Duration(0); from+span <= 2*o.step; from += 100 * time.Millisecond {
		var within []look
		for _, l := range limits {
			if l.at >= from && l.at < from+span {
				within = append(within, l)
			}
		}
		n := 0
		for _, r := range all {
			// By the end of a response, for its rate is that of the slots.
			if end := r.at + r.took; end >= from && end < from+span && r.status > 0 && r.status < 400 && r.took <= good {
				n++
			}
		}
		m := medianLimit(within)
		if m >= tooFew*float64(slots) && m <= tooMany*float64(slots) && float64(n) >= enoughGood*can {
			return from
		}
	}
	return -1
}
