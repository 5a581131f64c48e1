package main

import (
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// An api answers after a while, and refuses what is over its capacity at once.
type api struct {
	capacity   atomic.Int64
	service    time.Duration // mean time of an answer
	spread     float64       // coefficient of variation of that, lognormal; 0: all the same
	retryAfter int           // s; 0: refusals do not say

	inFlight atomic.Int64
}

func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer a.inFlight.Add(-1)
	if a.inFlight.Add(1) > a.capacity.Load() {
		if a.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(a.retryAfter))
		}
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	time.Sleep(a.time())
	w.Write([]byte("done"))
}

func (a *api) time() time.Duration {
	v := math.Log1p(a.spread * a.spread)
	return time.Duration(float64(a.service) * math.Exp(math.Sqrt(v)*rand.NormFloat64()-v/2))
}
