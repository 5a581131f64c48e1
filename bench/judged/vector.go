package main

import "fmt"

// The scenarios of Vector's adaptive request concurrency, with the bands that its
// tests assert: vectordotdev/vector, tests/data/adaptive-concurrency/*.yaml at commit
// c3445d42d2799eb9afe102b71cba7ae96a80942b (August 2026).
var vectorScenarios = read[vectorScenario]("vector.json")

// A vectorScenario is a sink and what sends to it.
type vectorScenario struct {
	Name     string
	Requests int
	Interval float64 // between requests, s; 0: all at once
	Delay    float64 // s
	Jitter   float64 // of Delay
	Fixed    int     // limit; 0: adaptive
	Slow     slowing
	Rate     int // requests within a second that the sink accepts; 0: any
	Most     int // in flight that it accepts; 0: any
	Drops    bool
	Bands    map[quantity][]band
}

// slowing is how the delay grows with the requests in flight.
type slowing struct {
	Scale float64
	Knee  int     // 0: none
	Exp   float64 // above the knee
}

// A band is what a quantity of a run may be.
type band struct {
	stat     string
	low, top float64
}

// UnmarshalText reads a band such as "max 30 31".
func (b *band) UnmarshalText(text []byte) error {
	_, err := fmt.Sscan(string(text), &b.stat, &b.low, &b.top)
	return err
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
