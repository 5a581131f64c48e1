package main

import (
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// A document is what -json writes.
type document struct {
	Version  int       `json:"version"`
	Date     time.Time `json:"date"`
	Machine  string    `json:"machine"`
	Law      string    `json:"law"`
	Auto     float64   `json:"auto"`  // s
	Fixed    float64   `json:"fixed"` // s, before and after
	Rounds   int       `json:"rounds"`
	Verdicts []verdict `json:"verdicts"`
	Samples  []sample  `json:"samples"`
}

func (b *bench) writeJSON(file string) error {
	return program.WriteJSON(file, document{
		Version: 1, Date: time.Now().UTC(), Machine: machine.Describe(), Law: b.law,
		Auto: b.auto.Seconds(), Fixed: b.fixed.Seconds(), Rounds: b.rounds, Verdicts: b.verdicts, Samples: b.samples,
	})
}
