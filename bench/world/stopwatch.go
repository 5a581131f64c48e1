package main

import (
	"context"
	"slices"
	"sync"
	"time"
)

// A stopwatch times units from the permit to the end, and keeps the times by the second
// of the run in which they end.
type stopwatch struct {
	began time.Time
	mu    sync.Mutex
	took  [][]time.Duration // by second
}

// aSecond is room for what a quick program does in a second.
const aSecond = 1 << 15

// newStopwatch returns one for a run that begins now and takes some whole seconds.
func newStopwatch(length time.Duration) *stopwatch {
	s := &stopwatch{took: make([][]time.Duration, int(length.Seconds()))}
	for i := range s.took {
		s.took[i] = make([]time.Duration, 0, aSecond)
	}
	s.began = time.Now()
	return s
}

func (s *stopwatch) timing(u unit) unit {
	return func(ctx context.Context) error {
		began := time.Now()
		err := u(ctx)
		if end := time.Now(); err == nil {
			s.add(end.Sub(s.began), end.Sub(began))
		}
		return err
	}
}

func (s *stopwatch) add(at, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := int(at / time.Second); i < len(s.took) {
		s.took[i] = append(s.took[i], took)
	}
}

// A course is a run by seconds: how long the units took that ended in each.
type course [][]time.Duration

func (c course) rate() float64 { return float64(len(slices.Concat(c...))) / float64(len(c)) }

func (c course) p99() time.Duration {
	all := slices.Sorted(slices.Values(slices.Concat(c...)))
	if len(all) == 0 {
		return 0
	}
	return all[(len(all)*99-1)/100]
}

// held returns in which share of the seconds at most one unit in 100 took longer than p99,
// and some unit ended at all.
func (c course) held(p99 time.Duration) float64 {
	held := 0
	for _, second := range c {
		late := 0
		for _, took := range second {
			if took > p99 {
				late++
			}
		}
		if len(second) > 0 && 100*late <= len(second) {
			held++
		}
	}
	return float64(held) / float64(len(c))
}
