package client

import (
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/httplimit"
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
	time.Sleep(about(a.service, a.spread))
	w.Write([]byte("done"))
}

// about returns a lognormal time.
func about(mean time.Duration, spread float64) time.Duration {
	v := math.Log1p(spread * spread)
	return time.Duration(float64(mean) * math.Exp(math.Sqrt(v)*rand.NormFloat64()-v/2))
}

// ownServer returns a handler of so many slots behind httplimit's Server, which looks for
// its limit while the client looks for its own.
func ownServer(slots int, service time.Duration, spread float64) http.Handler {
	free := make(chan struct{}, slots)
	return new(httplimit.Server).Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		free <- struct{}{}
		defer func() { <-free }()
		time.Sleep(about(service, spread))
		w.Write([]byte("done"))
	}))
}
