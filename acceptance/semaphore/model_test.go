package semaphore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/sweetspot-go/sweetspot/limit"
)

// A state is that of a semaphore as its documentation tells it. Waiters are named by one
// byte each.
type state struct {
	limit, inFlight int
	completed       int64
	queue           string // those who wait, in the order of their arrival
	served          string // those who have a permit and have not returned yet, sorted
	skipped         string // those who gave up without having waited, sorted
	owed            int    // permits given back for which nobody has been looked for yet
	setting         int    // the limit that a SetLimit is about to put in force, or 0
}

// An event is a step of the model. A call is one step, or two in this order, between its
// begin and its end:
//
//	Acquire    arrive, then granted; or leave if it returns an error
//	Release    free, then serve; mistake, then misuse if it panics
//	SetLimit   announce, then resize
//
// What happens between the two can be seen from outside: a permit that was given back is
// free for a moment while somebody waits, though not for newcomers; Limit tells of a
// limit a moment before it holds; and a Release that will panic lends a permit and counts a
// unit meanwhile.
type event struct {
	kind   string
	waiter byte
	gaveUp bool // arrive, of an Acquire that returned an error
	lent   bool // misuse, after a mistake
	n      int  // a limit, or units completed
}

// step returns what follows s if the event e may happen in it and show result.
func (s state) step(e event, result any) (ok bool, _ state) {
	switch e.kind {
	case "arrive":
		switch free := s.inFlight < s.limit && s.queue == ""; {
		case !free:
			s.queue += string([]byte{e.waiter})
		case e.gaveUp: // it has a permit unless it came with its context done
			s.skipped = with(s.skipped, e.waiter)
		default:
			s.inFlight++
			s.served = with(s.served, e.waiter)
		}
	case "waits": // seen waiting
		return has(s.queue, e.waiter) || has(s.served, e.waiter), s
	case "granted":
		ok := has(s.served, e.waiter)
		s.served = without(s.served, e.waiter)
		return ok, s
	case "leave": // not if it was served: the permit would be lost
		ok := has(s.queue, e.waiter) || has(s.skipped, e.waiter)
		s.queue, s.skipped = without(s.queue, e.waiter), without(s.skipped, e.waiter)
		return ok, s
	case "TryAcquire":
		free := s.inFlight < s.limit && s.queue == ""
		if result == true {
			s.inFlight++
		}
		return result == free, s
	case "free":
		s.inFlight--
		s.completed += int64(e.n)
		s.owed++
	case "serve":
		ok := s.owed > 0 && s.inFlight >= 0
		s.owed--
		return ok, s.serve()
	case "mistake":
		s.inFlight--
		s.completed++
	case "misuse":
		ok := s.inFlight < 0 || !e.lent && s.inFlight == 0
		if e.lent {
			s.inFlight++
			s.completed--
		}
		return ok, s
	case "Renew":
		kept := s.inFlight <= s.limit
		ok := s.inFlight > 0 && result == kept
		s.completed++
		if !kept {
			s.inFlight--
		}
		return ok, s
	case "announce":
		ok := s.setting == 0
		s.setting = e.n
		return ok, s
	case "resize":
		ok := s.setting == e.n
		s.limit, s.setting = e.n, 0
		return ok, s.serve()
	case "Limit":
		shown := s.limit
		if s.setting > 0 {
			shown = s.setting
		}
		return result == shown, s
	case "Counters":
		mistaken := int64(max(0, -s.inFlight)) // as far as it shows
		want := counts{s.limit, max(0, s.inFlight), len(s.queue), s.completed - mistaken}
		return result == want && s.setting == 0, s
	default:
		panic("no such event: " + e.kind)
	}
	return true, s
}

// serve gives the free permits to those who wait, in order.
func (s state) serve() state {
	for s.inFlight < s.limit && s.queue != "" {
		s.inFlight++
		s.served = with(s.served, s.queue[0])
		s.queue = s.queue[1:]
	}
	return s
}

// counts is what of [limit.Counters] does not depend on time or on who had to wait.
type counts struct {
	limit, inFlight, waiting int
	completed                int64
}

func countsOf(c limit.Counters) counts {
	return counts{c.Limit, c.InFlight, c.Waiting, c.Completed}
}

func has(set string, w byte) bool { return strings.IndexByte(set, w) >= 0 }

func with(set string, w byte) string {
	b := append([]byte(set), w)
	slices.Sort(b)
	return string(b)
}

func without(set string, w byte) string {
	return strings.ReplaceAll(set, string([]byte{w}), "")
}

// model is for histories of a semaphore that begins with a limit and permits held.
func model(limit, held int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{limit: limit, inFlight: held} },
		Step: func(s, e, result any) (bool, any) {
			ok, next := s.(state).step(e.(event), result)
			return ok, next
		},
		DescribeOperation: func(e, result any) string { return fmt.Sprintf("%+v: %v", e, result) },
	}
}

// explain returns the history in the order of its calls, for a person to read.
func explain(history []porcupine.Operation) string {
	var b strings.Builder
	for _, op := range history {
		fmt.Fprintf(&b, "\n%4d to %4d  goroutine %d: %+v %v", op.Call, op.Return, op.ClientId, op.Input, op.Output)
	}
	return b.String()
}
