package main

import (
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/limit"
)

// A plant is the server's work: slots that sleep, taken in first-come order.
type plant struct {
	slots *limit.Semaphore
	mean  time.Duration
	cv    float64 // of a lognormal; 0: always the mean

	mu   sync.Mutex
	dice *rand.Rand
}

func newPlant(slots int, mean time.Duration, cv float64) *plant {
	return &plant{slots: limit.New(slots), mean: mean, cv: cv, dice: rand.New(rand.NewPCG(1, 2))}
}

// draw returns how long the next request takes.
func (p *plant) draw() time.Duration {
	if p.cv == 0 {
		return p.mean
	}
	p.mu.Lock()
	z := p.dice.NormFloat64()
	p.mu.Unlock()
	s2 := math.Log1p(p.cv * p.cv)
	return time.Duration(float64(p.mean) * math.Exp(math.Sqrt(s2)*z-s2/2))
}

// usual returns what 99 in 100 requests take without a load.
func (p *plant) usual() time.Duration {
	drawn := make([]time.Duration, 20_000)
	for i := range drawn {
		drawn[i] = p.draw()
	}
	slices.Sort(drawn)
	return drawn[len(drawn)/100*99]
}

func (p *plant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.slots.Acquire(r.Context()) != nil {
		return // the client has gone
	}
	defer p.slots.Release()
	time.Sleep(p.draw())
	w.WriteHeader(http.StatusNoContent)
}
