package main

import (
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
)

// The configurations of Tripwire, by which the author of failsafe-go compares limits:
// jhalterman/tripwire, configs/*.yaml at commit 3f25259c27cc597e003805ae6694ab2588492b23
// (October 2025). Left out are gcl, which is policies-comparison with other limiters,
// circuitbreaker, which is adaptivelimiter with another policy, and what is about
// priorities; of adaptivelimiter-prioritized the load of both its priorities is here.

// A tripwireScenario is a client's requests to a server with threads.
type tripwireScenario struct {
	name     string
	threads  int
	stages   []stage
	timeout  time.Duration // of the client; 0: none
	failsafe failsafeSettings
}

// A stage is requests at equal intervals for a time.
type stage struct {
	length time.Duration
	rate   float64 // per second
	work   []weighted
}

// A weighted time is one that so many of the requests take.
type weighted struct {
	time   time.Duration
	weight int
}

const ms = time.Millisecond

func each(d time.Duration) []weighted { return []weighted{{d, 1}} }

// failsafeSettings are those of the adaptive limiter in a configuration. All have
// limits from 2 to 150 that start at 20, at most 5 times what is in flight, and a recent
// window of one second.
type failsafeSettings struct {
	samples, correlation uint
	queue, most          float64 // of the limit that may wait: from when some are refused, and when all; 0: none
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
		WithRecentWindow(time.Second, time.Second, s.samples).
		WithBaselineWindow(tripwireBaseline).
		WithCorrelationWindow(s.correlation)
	if s.queue > 0 {
		b = b.WithQueueing(s.queue, s.most)
	}
	return b.Build()
}

// overload is a load that is too much for a time.
func overload(d time.Duration, after time.Duration) []stage {
	return []stage{{20 * time.Second, 100, each(50 * ms)}, {d, 100, each(150 * ms)}, {after, 100, each(50 * ms)}}
}

var (
	comparison10 = failsafeSettings{samples: 10, correlation: 10} // of adaptivelimiter-comparison

	// netflixWork is from an article on overload, says Tripwire.
	netflixWork = []weighted{{40 * ms, 70}, {80 * ms, 20}, {200 * ms, 7}, {500 * ms, 3}}
)

// Configurations without an end run for two minutes, and runaway-limits, where things go
// wrong by and by, for five. Where one has no adaptive limiter, failsafe-go's has the
// settings of adaptivelimiter-comparison.
var tripwireScenarios = []tripwireScenario{
	{"adaptivelimiter-staged", 12, overload(2*time.Minute, 30*time.Second), 0, failsafeSettings{10, 50, 2, 3}},
	{"policies-comparison", 12, overload(40*time.Second, 20*time.Second), 0, failsafeSettings{samples: 1, correlation: 20}},
	{"netflix", 8, []stage{{10 * time.Second, 100, netflixWork}, {30 * time.Second, 200, netflixWork}, {10 * time.Second, 100, netflixWork}}, time.Second, comparison10},
	{"runaway-limits", 12, []stage{{5 * time.Minute, 100, each(120 * ms)}}, 0, comparison10},
	{"adaptivelimiter-comparison", 12, []stage{{2 * time.Minute, 100, each(50 * ms)}}, 0, comparison10},
	{"adaptivelimiter-prioritized", 12, []stage{{2 * time.Minute, 200, each(100 * ms)}}, 0, failsafeSettings{10, 50, 2, 6}},
	{"adaptivethrottler", 12, []stage{{2 * time.Minute, 100, each(150 * ms)}}, 5 * time.Second, comparison10},
}
