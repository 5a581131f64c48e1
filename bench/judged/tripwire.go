package main

import (
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
)

// The configurations of Tripwire, by which the author of failsafe-go compares limits:
// jhalterman/tripwire, configs/*.yaml at commit 3f25259c27cc597e003805ae6694ab2588492b23
// (October 2025). Left out are gcl, which is policies-comparison with other limiters,
// circuitbreaker, which is adaptivelimiter with another policy, and what is about
// priorities; of adaptivelimiter-prioritized the load of both its priorities is here. The
// work of netflix is from an article on overload, says Tripwire.
//
// Configurations without an end run for two minutes, and runaway-limits, where things go
// wrong by and by, for five. Where one has no adaptive limiter, failsafe-go's has the
// settings of adaptivelimiter-comparison.
var tripwireScenarios = read[tripwireScenario]("tripwire.json")

// A tripwireScenario is a client's requests to a server with threads.
type tripwireScenario struct {
	Name     string
	Threads  int
	Stages   []stage
	Timeout  float64 // of the client, s; 0: none
	Failsafe failsafeSettings
}

// A stage is requests at equal intervals for a time.
type stage struct {
	Length float64 // s
	Rate   float64 // per second
	Work   []weighted
}

// A weighted time is one that so many of the requests take.
type weighted struct {
	Time   float64 // s
	Weight int
}

// failsafeSettings are those of the adaptive limiter in a configuration. All have
// limits from 2 to 150 that start at 20, at most 5 times what is in flight, and a recent
// window of one second.
type failsafeSettings struct {
	Samples, Correlation uint
	Queue, Most          float64 // of the limit that may wait: from when some are refused, and when all; 0: none
}

const (
	tripwireMinLimit   = 2
	tripwireMaxLimit   = 150
	tripwireFirstLimit = 20
	tripwireFactor     = 5
	tripwireBaseline   = 60
)

func (s failsafeSettings) build() adaptivelimiter.AdaptiveLimiter[any] {
	b := adaptivelimiter.NewBuilder[any]().
		WithLimits(tripwireMinLimit, tripwireMaxLimit, tripwireFirstLimit).
		WithMaxLimitFactor(tripwireFactor).
		WithRecentWindow(time.Second, time.Second, s.Samples).
		WithBaselineWindow(tripwireBaseline).
		WithCorrelationWindow(s.Correlation)
	if s.Queue > 0 {
		b = b.WithQueueing(s.Queue, s.Most)
	}
	return b.Build()
}
