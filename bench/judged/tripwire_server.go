package main

import "time"

// A threaded is Tripwire's server: each of its threads works on a request for a
// hundredth of its time and then takes the next in turn, so all that are there get the
// same share.
type threaded struct {
	fluid // of seconds of work
	all   class
}

func newThreaded(c *clock, threads int) *threaded {
	s := &threaded{fluid: fluid{clock: c, rate: float64(threads)}, all: class{most: 1}}
	s.classes = []*class{&s.all}
	return s
}

// serve works on a request and calls done at the end.
func (s *threaded) serve(d time.Duration, done func()) *use {
	return s.begin(&s.all, d.Seconds(), done)
}
