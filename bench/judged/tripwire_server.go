package main

import "time"

// A threaded is Tripwire's server: each of its threads works on a request for a
// hundredth of its time and then takes the next in turn, so all that are there get the
// same share.
type threaded struct {
	clock   *clock
	threads float64
	active  int
	each    float64 // s of work done on each request since the beginning
	last    time.Duration
	ends    heap[*work]
	turn    int // of alarms: only the newest one counts
}

// A work is a request at the server.
type work struct {
	at   float64 // of threaded.each, when it is done
	gone bool    // the client has given up
	done func()
}

func (w *work) Before(v *work) bool { return w.at < v.at }

// serve works on a request and calls done at the end.
func (s *threaded) serve(d time.Duration, done func()) *work {
	s.advance()
	w := &work{at: s.each + d.Seconds(), done: done}
	s.ends.push(w)
	s.active++
	s.update()
	return w
}

// drop ends the work on a request that nobody waits for any more.
func (s *threaded) drop(w *work) {
	s.advance()
	w.gone = true
	s.active--
	s.update()
}

// rate returns how much each request advances in a second, s.
func (s *threaded) rate() float64 { return min(1, s.threads/float64(max(1, s.active))) }

func (s *threaded) advance() {
	s.each += s.rate() * (s.clock.now - s.last).Seconds()
	s.last = s.clock.now
}

func (s *threaded) update() {
	for len(s.ends) > 0 && s.ends[0].gone {
		s.ends.pop()
	}
	s.turn++
	if len(s.ends) == 0 {
		return
	}
	turn := s.turn
	// A nanosecond more, so that rounding does not end it just before the event. So who
	// comes just then finds it there, as at a real server, which is never early.
	s.clock.after(seconds((s.ends[0].at-s.each)/s.rate())+1, func() {
		if turn == s.turn {
			s.finish()
		}
	})
}

func (s *threaded) finish() {
	s.advance()
	var over []func()
	for len(s.ends) > 0 && (s.ends[0].gone || s.ends[0].at <= s.each) {
		if w := s.ends.pop(); !w.gone {
			s.active--
			over = append(over, w.done)
		}
	}
	s.update()
	for _, done := range over {
		done()
	}
}
