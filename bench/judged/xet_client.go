package main

import (
	"math/rand/v2"

	"github.com/sweetspot-go/sweetspot"
)

// A uploader is one client: its tasks upload one file after the other, as many at a
// time as its limiter permits. Or they upload parts of files, each with a permit of its
// own: its limiter then hears of bytes while a file is still under way.
type uploader struct {
	clock *clock
	link  *link
	dice  *rand.Rand
	lim   *limiter
	part  float64   // bytes; 0: whole files
	next  *upload   // whose parts are to be sent next
	idle  []float64 // latencies of the connections without a request, the newest last
	done  float64   // bytes of the uploads that ended
}

// An upload is a file, some of whose parts are to be begun, and some to be finished.
type upload struct{ size, unsent, unfinished float64 }

func (u *uploader) start() {
	for range xetTasks {
		u.lim.acquire(u.send)
	}
}

// send sends a file, or its next part: the request reaches the server, which waits before
// it reads the body, and answers once it has all of it.
func (u *uploader) send(p unit) {
	f := u.next
	if f == nil || f.unsent == 0 {
		size := float64(xetLeastSize + u.dice.Int64N(xetMostSize-xetLeastSize+1))
		f = &upload{size, size, size}
		u.next = f
	}
	size := f.unsent
	if u.part > 0 {
		size = min(size, u.part)
	}
	f.unsent -= size
	latency := u.connect()
	wait := xetLeastWait + (xetMostWait-xetLeastWait)*u.dice.Float64()
	u.clock.after(seconds(u.way(latency)+wait), func() {
		u.link.transfer(latency, size, func() {
			u.clock.after(seconds(u.way(latency)+u.way(latency)), func() {
				if f.unfinished -= size; f.unfinished == 0 {
					u.done += f.size
				}
				if len(u.idle) < xetIdle {
					u.idle = append(u.idle, latency)
				}
				p.end(sweetspot.Done)
				u.lim.acquire(u.send)
			})
		})
	})
}

// connect returns the latency of the connection last used, or of a new one.
func (u *uploader) connect() float64 {
	if n := len(u.idle); n > 0 {
		latency := u.idle[n-1]
		u.idle = u.idle[:n-1]
		return latency
	}
	return u.link.latency
}

// way returns how long a chunk takes to the other side, s.
func (u *uploader) way(latency float64) float64 {
	return max(0, latency+xetJitter*(2*u.dice.Float64()-1))
}
