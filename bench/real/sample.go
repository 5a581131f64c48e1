package main

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A sample is one measurement with its circumstances.
type sample struct {
	Workload string `json:"workload"`
	Round    int    `json:"round"` // from 1
	Kind     string `json:"kind"`  // auto, fixed or peer
	N        int    `json:"n,omitempty"`
	result
	Others   *float64 `json:"others"`   // CPUs that other processes used; null if unknown
	Busy     bool     `json:"busy"`     // they used more than load.BusyAbove
	Attempts int      `json:"attempts"` // more than 1: repeated since the machine was busy
	Error    string   `json:"error,omitempty"`
}

const (
	kindAuto  = "auto"
	kindFixed = "fixed"
	kindPeer  = "peer"
)

func (s *sample) column() string {
	switch s.Kind {
	case kindFixed:
		return fmt.Sprintf("fixed %d", s.N)
	case kindPeer:
		return fmt.Sprintf("peer %d", s.N)
	}
	return s.Kind
}

// mark returns what follows the rate of a sample whose machine was busy.
func (s *sample) mark() string {
	if s.Busy {
		return "*"
	}
	return ""
}

// betterThan reports whether s, a repetition of t, was disturbed less.
func (s *sample) betterThan(t sample) bool {
	switch {
	case s.Error != "" || t.Error != "":
		return s.Error == ""
	case s.Others == nil || t.Others == nil:
		return s.Others != nil
	}
	return *s.Others < *t.Others
}

// line returns the sample for the log.
func (s *sample) line() string {
	if s.Error != "" {
		return fmt.Sprintf("%-9s %-9s failed: %s", s.Workload, s.column(), s.Error)
	}
	others := "?"
	if s.Others != nil {
		others = fmt.Sprintf("%.2f", *s.Others)
	}
	l := fmt.Sprintf("%-9s %-9s %9s/s%-1s  others %s CPUs", s.Workload, s.column(), stats.FormatRate(s.Rate), s.mark(), others)
	if s.Kind == kindAuto {
		l += fmt.Sprintf("; limit %.1f, last third %.1f", s.Limit, s.LastThird)
	}
	if s.Attempts > 1 {
		l += fmt.Sprintf("; attempt %d", s.Attempts)
	}
	return l
}
