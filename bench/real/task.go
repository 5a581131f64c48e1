package main

import (
	"fmt"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// A task is one measurement. It travels to the process that makes it as JSON.
type task struct {
	Workload string  `json:"workload"`
	Fixed    int     `json:"fixed,omitempty"` // 0 is automatic
	Max      int     `json:"max,omitempty"`   // of automatic; 0 is the Limiter's own
	Peer     bool    `json:"peer,omitempty"`  // by golang.org/x/sync/semaphore instead
	Law      string  `json:"law,omitempty"`
	Seconds  float64 `json:"seconds"`
	Verbose  bool    `json:"verbose,omitempty"` // tell decisions on stderr as they are taken

	Spins  int      `json:"spins"`            // rounds of computing that take 1 ms
	Binary string   `json:"binary,omitempty"` // the command sweetspot
	Files  []string `json:"files,omitempty"`  // to hash
}

func (t *task) length() time.Duration { return time.Duration(t.Seconds * float64(time.Second)) }

// gate returns what the units of a task in this process go through.
func (t *task) gate() (gate, error) {
	switch {
	case t.Peer:
		return newPeer(t.Fixed), nil
	case t.Fixed > 0:
		return governed{sweetspot.New(sweetspot.Fixed(t.Fixed))}, nil
	}
	law, err := control.ByName(t.Law)
	if err != nil {
		return nil, err
	}
	options := []sweetspot.LimiterOption{sweetspot.WithController(law)}
	if t.Max > 0 {
		options = append(options, sweetspot.Max(t.Max))
	}
	return governed{sweetspot.New(options...)}, nil
}

// A result is what a measurement found.
type result struct {
	Units     int64    `json:"units"`   // ended by the cut
	Seconds   float64  `json:"seconds"` // until the cut
	Rate      float64  `json:"rate"`    // units per second, the start included
	Limit     float64  `json:"limit"`   // mean
	LastThird float64  `json:"last_third"`
	Changes   []change `json:"changes,omitempty"`
}

// A change is a decision, with its reason in words.
type change struct {
	At     float64 `json:"at"`
	From   int     `json:"from"`
	To     int     `json:"to"`
	Reason string  `json:"reason"`
}

func (c change) String() string {
	return fmt.Sprintf("%8.2f s  %4d → %-4d  %s", c.At, c.From, c.To, c.Reason)
}
