package main

import (
	"math/rand/v2"

	"github.com/sweetspot-go/sweetspot"
)

// A uploader is one client: its tasks upload one file after the other, as many at a
// time as its limiter permits.
type uploader struct {
	clock *clock
	link  *link
	dice  *rand.Rand
	lim   *limiter
	idle  []float64 // latencies of the connections without a request, the newest last
	done  float64   // bytes of the uploads that ended
}

func (u *uploader) start() {
	for range xetTasks {
		u.lim.acquire(u.upload)
	}
}

// upload sends one file: the request reaches the server, which waits before it reads
// the body, and answers once it has all of it.
func (u *uploader) upload(p unit) {
	size := float64(xetLeastSize + u.dice.Int64N(xetMostSize-xetLeastSize+1))
	latency := u.connect()
	wait := xetLeastWait + (xetMostWait-xetLeastWait)*u.dice.Float64()
	u.clock.after(seconds(u.way(latency)+wait), func() {
		u.link.transfer(latency, size, func() {
			u.clock.after(seconds(u.way(latency)+u.way(latency)), func() {
				u.done += size
				if len(u.idle) < xetIdle {
					u.idle = append(u.idle, latency)
				}
				p.end(sweetspot.Done)
				u.lim.acquire(u.upload)
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
