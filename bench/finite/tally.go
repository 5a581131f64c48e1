package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

type sample struct {
	List    string  `json:"list"`
	Way     string  `json:"way"`
	Sweep   bool    `json:"sweep,omitempty"` // before the rounds
	Seconds float64 `json:"seconds"`
	Killed  int     `json:"killed,omitempty"` // for want of memory
}

// samplesFile holds them, one a line.
const samplesFile = "samples.jsonl"

// A tally holds the samples of a list. It adds them to a file, so that a list can be measured
// in parts.
type tally struct {
	list          string
	file          *os.File             // nil: none
	sweep, rounds map[string][]float64 // s
	kills         map[string]int
	both          bool // those of the sweep count as well
}

// newTally returns the tally of a list, with what the file in dir holds of it. Without a dir
// nothing is kept.
func newTally(l list, dir string) (*tally, error) {
	t := &tally{list: l.name, both: l.memory > 0, sweep: map[string][]float64{}, rounds: map[string][]float64{}, kills: map[string]int{}}
	if dir == "" {
		return t, nil
	}
	var err error
	if t.file, err = os.OpenFile(filepath.Join(dir, samplesFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	for in := json.NewDecoder(t.file); ; {
		var s sample
		if err := in.Decode(&s); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.close()
			return nil, fmt.Errorf("%s: want one sample a line: %w", t.file.Name(), err)
		}
		if s.List == t.list {
			t.note(s)
		}
	}
	_, err = t.file.Seek(0, io.SeekEnd)
	return t, err
}

func (t *tally) note(s sample) {
	into := t.rounds
	if s.Sweep {
		into = t.sweep
	}
	into[s.Way] = append(into[s.Way], s.Seconds)
	t.kills[s.Way] += s.Killed
}

func (t *tally) add(s sample) error {
	s.List = t.list
	t.note(s)
	if t.file == nil {
		return nil
	}
	b, err := json.Marshal(s)
	if err == nil {
		_, err = t.file.Write(append(b, '\n'))
	}
	return err
}

func (t *tally) done() int { return len(t.rounds[coldWay]) }

// median returns the time of a way, s.
func (t *tally) median(way string) float64 {
	if t.both {
		return stats.Median(slices.Concat(t.sweep[way], t.rounds[way]))
	}
	return stats.Median(t.rounds[way])
}

func (t *tally) close() {
	if t.file != nil {
		t.file.Close()
	}
}
