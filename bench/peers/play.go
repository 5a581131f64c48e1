package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// An order tells a fresh process what to measure.
type order struct {
	Group   string  `json:"group"`
	Subject string  `json:"subject"`
	Procs   int     `json:"procs"` // of the whole measurement; the subject has its own
	Quick   bool    `json:"quick"`
	Spins   float64 `json:"spins"`
}

// sampleFlag is the only flag of a process that measures; an order follows.
const sampleFlag = "-sample"

// longest is what a process that measures may take. None takes nearly as long,
// so one that does hangs. It also ends a process whose starter was killed.
const longest = 2 * time.Minute

// play measures what the arguments order, prints the result, and reports
// whether they order anything.
func play(args []string, out io.Writer) (played bool, err error) {
	if len(args) != 2 || args[0] != sampleFlag {
		return false, nil
	}
	time.AfterFunc(longest, func() {
		fmt.Fprintf(os.Stderr, "no end within %v\n", longest)
		os.Exit(1)
	})
	var o order
	if err := json.Unmarshal([]byte(args[1]), &o); err != nil {
		return true, err
	}
	s, err := find(o.Group, o.Subject, o.Procs, o.Quick)
	if err != nil {
		return true, err
	}
	if have := runtime.GOMAXPROCS(0); have != s.procs {
		return true, fmt.Errorf("GOMAXPROCS is %d, but %s wants %d", have, s.id(), s.procs)
	}
	r, err := measure(s.set(environment{spins: o.Spins, procs: s.procs, items: s.items}), s.once)
	if err != nil {
		return true, err
	}
	return true, json.NewEncoder(out).Encode(r)
}
