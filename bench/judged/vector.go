package main

import "time"

// The scenarios of Vector's adaptive request concurrency, with the bands that its
// tests assert: vectordotdev/vector, tests/data/adaptive-concurrency/*.yaml at commit
// c3445d42d2799eb9afe102b71cba7ae96a80942b (August 2026).

// A vectorScenario is a sink and what sends to it.
type vectorScenario struct {
	name     string
	requests int
	interval time.Duration // between requests; 0: all at once
	delay    float64       // s
	jitter   float64       // of delay
	fixed    int           // limit; 0: adaptive
	slow     slowing
	rate     int // requests within a second that the sink accepts; 0: any
	most     int // in flight that it accepts; 0: any
	drops    bool
	bands    []band
}

// slowing is how the delay grows with the requests in flight.
type slowing struct {
	scale float64
	knee  int     // 0: none
	exp   float64 // above the knee
}

// A band is what a quantity of a run may be.
type band struct {
	of       quantity
	stat     string
	low, top float64
}

// A quantity is one of those that the tests look at. The sink's are as the sink sees
// them; the others are the client's.
type quantity string

const (
	sinkInFlight quantity = "sink: in flight"
	sinkRate     quantity = "sink: requests in the last second"
	inFlight     quantity = "in flight"
	limitInForce quantity = "limit"
	timeTaken    quantity = "time of a request, s"
	timeAveraged quantity = "its average, s"
)

// steady are the bands of times that do not change.
func steady(d float64) []band {
	return []band{
		{timeTaken, "min", d, d + 0.002}, {timeTaken, "max", d, d + 0.002}, {timeTaken, "mean", d, d + 0.002},
	}
}

var vectorScenarios = []vectorScenario{
	{name: "constant-link", requests: 500, delay: 0.1, bands: append([]band{
		{sinkInFlight, "max", 30, 31}, {sinkInFlight, "mean", 15, 16},
		{inFlight, "max", 30, 31}, {inFlight, "mean", 15, 16},
		{limitInForce, "max", 22, 32}, {limitInForce, "mean", 16, 18},
		{timeAveraged, "mean", 0.1, 0.102},
	}, steady(0.1)...)},
	{name: "defers-at-high-concurrency", requests: 500, delay: 0.1, most: 5, bands: []band{
		{sinkInFlight, "max", 5, 18}, {sinkInFlight, "mode", 0, 6}, {sinkInFlight, "mean", 2.2, 5},
		{sinkRate, "max", 52, 63}, {sinkRate, "mean", 20, 44},
		{inFlight, "max", 5, 41}, {inFlight, "mode", 4, 29}, {inFlight, "mean", 3.5, 26},
		{limitInForce, "max", 6, 41}, {limitInForce, "mode", 2, 29}, {limitInForce, "mean", 4, 29},
		{timeTaken, "min", 0.1, 0.102}, {timeTaken, "max", 0.1, 19.7}, {timeTaken, "mean", 0.1, 5.7},
		{timeAveraged, "mean", 0.1, 3.2},
	}},
	{name: "defers-at-high-rate", requests: 1000, delay: 0.1, rate: 100, bands: []band{
		{sinkInFlight, "max", 16, 24}, {sinkInFlight, "mean", 6, 9},
		{sinkRate, "max", 90, 123}, {sinkRate, "mean", 31, 75},
		{inFlight, "max", 16, 24}, {inFlight, "mean", 8, 19},
		{limitInForce, "max", 16, 24}, {limitInForce, "mean", 8, 18.5},
		{timeTaken, "min", 0.1, 0.102}, {timeTaken, "max", 0.1, 1.203}, {timeTaken, "mean", 0.1, 0.85},
		{timeAveraged, "mean", 0.1, 0.3},
	}},
	{name: "drops-at-high-concurrency", requests: 500, delay: 0.1, most: 5, drops: true, bands: []band{
		{sinkInFlight, "max", 4, 5}, {sinkInFlight, "mean", 3, 4}, {sinkInFlight, "mode", 3, 5},
		{sinkRate, "max", 55, 90}, {sinkRate, "mean", 31, 54},
		{inFlight, "max", 13, 85}, {inFlight, "mean", 7, 41}, {inFlight, "mode", 1, 11},
		{limitInForce, "max", 10, 86}, {limitInForce, "mean", 7, 52}, {limitInForce, "mode", 4, 77},
		{timeTaken, "min", 0.1, 0.102}, {timeTaken, "max", 0.1, 11.2}, {timeTaken, "mean", 0.1, 2.4},
		{timeAveraged, "mean", 0.1, 2},
	}},
	{name: "fixed-concurrency-jitter", requests: 500, delay: 0.1, jitter: 0.5, fixed: 10, bands: []band{
		{sinkInFlight, "max", 10, 10}, {sinkInFlight, "mode", 10, 10}, {sinkInFlight, "mean", 8, 10},
		{sinkRate, "max", 65, 84}, {sinkRate, "mean", 55, 66},
		{inFlight, "max", 10, 10}, {inFlight, "mode", 10, 10}, {inFlight, "mean", 8, 10},
		{limitInForce, "min", 10, 10}, {limitInForce, "max", 10, 10}, {limitInForce, "mode", 10, 10},
	}},
	{name: "fixed-concurrency-simple", requests: 500, delay: 0.1, fixed: 10, bands: []band{
		{sinkInFlight, "max", 10, 10}, {sinkInFlight, "mode", 10, 10}, {sinkInFlight, "mean", 8, 10},
		{sinkRate, "max", 90, 90}, {sinkRate, "mean", 80, 85},
		{inFlight, "max", 10, 10}, {inFlight, "mode", 10, 10}, {inFlight, "mean", 8, 10},
		{limitInForce, "min", 10, 10}, {limitInForce, "max", 10, 10}, {limitInForce, "mode", 10, 10},
	}},
	{name: "jittery-link-small", requests: 1000, delay: 0.1, jitter: 0.1, bands: []band{
		{sinkInFlight, "max", 20, 40}, {sinkInFlight, "mean", 8, 20},
		{sinkRate, "max", 165, 350}, {sinkRate, "mean", 70, 150},
		{inFlight, "max", 20, 40}, {inFlight, "mean", 8, 20},
		{limitInForce, "max", 20, 40}, {limitInForce, "mean", 9, 20},
		{timeTaken, "mean", 0.1, 0.13}, {timeAveraged, "mean", 0.1, 0.13},
	}},
	{name: "medium-send", requests: 500, interval: 25 * time.Millisecond, delay: 0.1, bands: []band{
		{sinkInFlight, "max", 8, 8}, {sinkInFlight, "mode", 4, 5}, {sinkInFlight, "mean", 4, 4.5},
		{inFlight, "max", 8, 8}, {inFlight, "mode", 4, 5}, {inFlight, "mean", 4, 4.5},
		{limitInForce, "max", 9, 9},
		{timeTaken, "min", 0.1, 0.102}, {timeTaken, "max", 0.1, 0.102}, {timeAveraged, "max", 0.1, 0.102},
	}},
	{name: "shallow-knee", requests: 1000, delay: 0.1, slow: slowing{knee: 10, exp: 1.1}, bands: []band{
		{sinkInFlight, "max", 12, 12}, {sinkInFlight, "mean", 9, 11}, {sinkInFlight, "mode", 9, 12},
		{sinkRate, "max", 103, 108}, {sinkRate, "mean", 87, 89},
		{limitInForce, "max", 12, 12}, {limitInForce, "mean", 10, 12}, {limitInForce, "mode", 9, 12},
		{inFlight, "max", 12, 12}, {inFlight, "mean", 9, 11}, {inFlight, "mode", 9, 12},
		{timeTaken, "min", 0.1, 0.102}, {timeTaken, "max", 0.1, 0.123}, {timeTaken, "mean", 0.106, 0.12},
		{timeAveraged, "mean", 0.106, 0.12},
	}},
	{name: "slow-link", requests: 200, delay: 0.1, slow: slowing{scale: 1}, bands: []band{
		{sinkInFlight, "max", 2, 7}, {sinkInFlight, "mode", 2, 5}, {sinkInFlight, "mean", 1.5, 5},
		{inFlight, "max", 2, 7}, {inFlight, "mode", 2, 5}, {inFlight, "mean", 1.5, 5},
		{limitInForce, "mode", 2, 5}, {limitInForce, "mean", 1.7, 5},
		{timeTaken, "min", 0.1, 0.102}, {timeTaken, "mean", 0.1, 0.45}, {timeAveraged, "mean", 0.1, 0.45},
	}},
	{name: "slow-send-1", requests: 100, interval: 100 * time.Millisecond, delay: 0.05, bands: []band{
		{sinkInFlight, "max", 1, 1}, {sinkInFlight, "mode", 1, 1}, {sinkInFlight, "mean", 0.5, 0.55},
		{inFlight, "max", 1, 1}, {inFlight, "mode", 1, 1}, {inFlight, "mean", 0.5, 0.55},
		{limitInForce, "mode", 1, 2}, {limitInForce, "mean", 1, 2},
		{timeTaken, "min", 0.05, 0.052}, {timeTaken, "mean", 0.05, 0.052}, {timeAveraged, "mean", 0.05, 0.052},
	}},
	{name: "slow-send-2", requests: 100, interval: 50 * time.Millisecond, delay: 0.05, bands: []band{
		{sinkInFlight, "max", 1, 2}, {sinkInFlight, "mode", 1, 1}, {sinkInFlight, "mean", 1, 1.2},
		{inFlight, "max", 2, 3}, {inFlight, "mode", 1, 1}, {inFlight, "mean", 1, 2},
		{limitInForce, "mode", 2, 3}, {limitInForce, "mean", 2, 2.5},
		{timeTaken, "min", 0.05, 0.052}, {timeTaken, "mean", 0.05, 0.052}, {timeAveraged, "mean", 0.05, 0.052},
	}},
}
