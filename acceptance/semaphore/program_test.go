package semaphore

import (
	"context"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/sweetspot-go/sweetspot/limit"
)

// A program is what some goroutines do with a semaphore, separated by spaces. Each letter
// is a call:
//
//	h   nothing; the goroutine holds a permit from the beginning
//	a   Acquire
//	c   Acquire with the context that x cancels
//	i   AcquireIn with that context, in a place of the goroutine's own
//	x   cancels the context; later calls have a new one
//	t   TryAcquire
//	r   Release      k   Cancel      n   Renew
//	m   Release, though the goroutine may hold nothing
//	1…9 SetLimit
//	l   Limit        q   Counters
//
// One who holds a permit passes over a, c, i and t, and one who holds none over r, k and n.
type program struct {
	limit int
	text  string
}

// permits is what a program is run with.
type permits interface {
	Acquire(ctx context.Context) error
	AcquireIn(ctx context.Context, w *limit.Waiter) error
	TryAcquire() bool
	Release()
	Cancel()
	Renew() bool
	SetLimit(n int)
	Limit() int
	counts() counts
}

// A surrounding is what differs between real threads and a controlled schedule.
type surrounding interface {
	begin(c call) int64                       // the time
	end(c call, last event, result any) int64 // the time
	between(g int, place uint64)              // two calls of a goroutine; place says which, and what it holds
	context() context.Context                 // the one that cancel ends
	cancel()                                  // and makes a new one
}

// A call is one letter of a program, of one goroutine.
type call struct {
	g, i  int
	began int64
}

// waiter is the name of the goroutine while it waits in this call.
func (c call) waiter() byte { return byte(c.g<<5 | c.i) }

// An execution is one run of a program.
type execution struct {
	program
	permits
	surrounding
	goroutines []string
	ops        [][]porcupine.Operation // of each goroutine
}

// holder is the letter of one who holds a permit from the beginning.
const holder = "h"

func newExecution(p program, s permits, in surrounding) *execution {
	e := &execution{program: p, permits: s, surrounding: in, goroutines: strings.Fields(p.text)}
	e.ops = make([][]porcupine.Operation, len(e.goroutines))
	for range e.held() {
		e.TryAcquire()
	}
	return e
}

// held returns how many permits are out at the beginning.
func (e *execution) held() int { return strings.Count(e.text, holder) }

// run is what goroutine g does.
func (e *execution) run(g int) {
	var place limit.Waiter
	text, holds := strings.CutPrefix(e.goroutines[g], holder)
	for i, letter := range text {
		if holds && strings.ContainsRune("acit", letter) || !holds && strings.ContainsRune("rkn", letter) {
			continue
		}
		if i > 0 {
			place := uint64(i) << 1
			if holds {
				place++
			}
			e.between(g, place)
		}
		if letter == 'x' {
			e.cancel()
			continue
		}
		c := call{g: g, i: i}
		c.began = e.begin(c)
		switch letter {
		case 'a':
			holds = e.acquired(c, e.Acquire(context.Background()))
		case 'c':
			holds = e.acquired(c, e.Acquire(e.context()))
		case 'i':
			holds = e.acquired(c, e.AcquireIn(e.context(), &place))
		case 't':
			holds = e.TryAcquire()
			e.record(c, holds, event{kind: "TryAcquire"})
		case 'r', 'm':
			holds = !e.gaveBack(c, 1, e.Release) && holds
		case 'k':
			holds = !e.gaveBack(c, 0, e.Cancel)
		case 'n':
			if refused(func() { holds = e.Renew() }) {
				e.record(c, nil, event{kind: "misuse"})
				continue
			}
			e.record(c, holds, event{kind: "Renew"})
		case 'l':
			e.record(c, e.Limit(), event{kind: "Limit"})
		case 'q':
			e.record(c, e.counts(), event{kind: "Counters"})
		default:
			n := int(letter - '0')
			e.SetLimit(n)
			e.record(c, nil, event{kind: "announce", n: n}, event{kind: "resize", n: n})
		}
	}
}

// acquired records an Acquire that returned err, and reports whether a permit is held.
func (e *execution) acquired(c call, err error) bool {
	last := event{kind: "granted", waiter: c.waiter()}
	if err != nil {
		last.kind = "leave"
	}
	e.record(c, nil, event{kind: "arrive", waiter: c.waiter(), gaveUp: err != nil}, last)
	return err == nil
}

// gaveBack gives a permit back by f, records that, and reports whether it was accepted.
func (e *execution) gaveBack(c call, completed int, f func()) bool {
	switch isRefused := refused(f); {
	case isRefused && completed > 0:
		e.record(c, nil, event{kind: "mistake"}, event{kind: "misuse", lent: true})
		return false
	case isRefused:
		e.record(c, nil, event{kind: "misuse"})
		return false
	}
	e.record(c, nil, event{kind: "free", n: completed}, event{kind: "serve"})
	return true
}

// record takes note of a call that has just ended.
func (e *execution) record(c call, result any, events ...event) {
	end := e.end(c, events[len(events)-1], result)
	for _, ev := range events {
		e.ops[c.g] = append(e.ops[c.g], porcupine.Operation{ClientId: c.g, Input: ev, Output: result, Call: c.began, Return: end})
	}
}

// history returns what was recorded, and the counters at the end.
func (e *execution) history() []porcupine.Operation {
	all := slices.Concat(e.ops...)
	last := int64(0)
	for _, op := range all {
		last = max(last, op.Return)
	}
	return append(all, porcupine.Operation{Input: event{kind: "Counters"}, Output: e.counts(), Call: last + 1, Return: last + 2})
}

// allowed reports whether the model allows the history.
func (e *execution) allowed(history []porcupine.Operation) bool {
	return porcupine.CheckOperations(model(e.limit, e.held()), history)
}

// refused reports whether f panics with the words of limit for a permit that is not out.
func refused(f func()) (refused bool) {
	defer func() {
		if v := recover(); v != nil {
			if text, ok := v.(string); !ok || !strings.HasSuffix(text, "without Acquire") {
				panic(v)
			}
			refused = true
		}
	}()
	f()
	return false
}
