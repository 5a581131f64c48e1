package main

import (
	"math"
	"math/rand/v2"
	"time"
)

// A node is a server of dialogue's simulation. How long an answer takes is known when
// the request comes, its code when it is given.
type node struct {
	clock  *clock
	phases []serverPhase
	dice   *rand.Rand
	active int
	rate   minuteRate
}

// request serves one request to an endpoint, from 1 on, and calls answer.
func (n *node) request(endpoint int, answer func(code int)) {
	n.active++
	p := n.phase()
	n.clock.after(n.time(p), func() {
		code := n.code(p, endpoint)
		n.active--
		answer(code)
	})
}

func (n *node) phase() *serverPhase {
	for i := len(n.phases) - 1; i > 0; i-- {
		if n.clock.now >= seconds(n.phases[i].From) {
			return &n.phases[i]
		}
	}
	return &n.phases[0]
}

func (n *node) time(p *serverPhase) time.Duration {
	took := seconds(p.Took)
	switch {
	case p.Slows == 0:
		return took
	case n.active > p.Slows:
		return 5 * took
	}
	return took + took*time.Duration(n.active)/time.Duration(p.Slows)
}

func (n *node) code(p *serverPhase, endpoint int) int {
	switch {
	case p.Most > 0 && n.active > p.Most:
		return p.Busy
	case p.Fails == endpoint:
		return 500
	case p.Flake > 0 && n.dice.Float64() <= p.Flake:
		return 500
	case p.Rate > 0:
		if n.rate.of(n.clock.now) >= p.Rate {
			return 429
		}
		n.rate.mark()
	}
	return p.Code
}

// A minuteRate is the one-minute rate of Dropwizard's Meter: a mean with exponential
// weights that moves every five seconds.
type minuteRate struct {
	rate   float64 // per second
	marked int     // since the last move
	moves  time.Duration
}

const rateMoves = 5 * time.Second

func (m *minuteRate) mark() { m.marked++ }

func (m *minuteRate) of(now time.Duration) float64 {
	for ; now/rateMoves > m.moves; m.moves++ {
		now := float64(m.marked) / rateMoves.Seconds()
		if m.marked = 0; m.moves == 0 {
			m.rate = now
			continue
		}
		m.rate += (1 - math.Exp(-5./60)) * (now - m.rate)
	}
	return m.rate
}
