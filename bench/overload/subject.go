package main

import (
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

// A subject is a way to limit requests.
type subject struct {
	name, about string
	wrap        func(http.Handler) limited
}

// A limited handler, and its limit.
type limited struct {
	http.Handler
	limit func() int
}

var subjects = []subject{
	{"sweetspot", "httplimit.Server", byLaw(func() control.Controller { return control.NewOverload(control.NewLatency()) })},
	{"vegas", "the same with control.Vegas", byLaw(func() control.Controller { return control.NewVegas(3, 6) })},
	{"gradient2", "the same with control.Gradient2", byLaw(func() control.Controller { return control.NewGradient2(1.5) })},
	{"failsafe", "the adaptive limiter of failsafe-go", byFailsafe(false)},
	{"failsafe-queue", "the same with a queue", byFailsafe(true)},
}

// byLaw is httplimit's Server with a law.
func byLaw(law func() control.Controller) func(http.Handler) limited {
	return func(next http.Handler) limited {
		l := sweetspot.New(sweetspot.Controller(law()))
		s := &httplimit.Server{Limiter: l}
		return limited{s.Wrap(next), l.Limit}
	}
}

// byFailsafe is failsafe-go's adaptive limiter with its defaults, which refuse
// whatever finds no permit, or with a queue as its documentation has it and a wait
// that is bounded as ours is.
func byFailsafe(queue bool) func(http.Handler) limited {
	return func(next http.Handler) limited {
		b := adaptivelimiter.NewBuilder[any]()
		if queue {
			b = b.WithQueueing(2, 3).WithMaxWaitTime(time.Second)
		}
		l := b.Build()
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var p adaptivelimiter.Permit
			var err error
			if queue {
				p, err = l.AcquirePermitWithMaxWait(r.Context(), time.Second)
			} else if p, _ = l.TryAcquirePermit(); p == nil {
				err = adaptivelimiter.ErrExceeded
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			defer func() {
				if r.Context().Err() != nil {
					p.Drop()
				} else {
					p.Record()
				}
			}()
			next.ServeHTTP(w, r)
		})
		return limited{h, l.Limit}
	}
}
