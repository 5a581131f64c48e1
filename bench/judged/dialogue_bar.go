package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// A dialogueBar is what is published of a scenario.
type dialogueBar struct {
	sc            *dialogueScenario
	best          published
	unlimited     published // in this runner
	success, mean float64   // what is alike, percent and a ratio
}

func newDialogueBar(sc *dialogueScenario, unlimited published) *dialogueBar {
	b := &dialogueBar{sc, slices.MinFunc(sc.published(), published.compare), unlimited, sameSuccess, sameMean}
	ratio := unlimited.Mean / sc.Unlimited.Mean
	if d, r := math.Abs(unlimited.Success-sc.Unlimited.Success), max(ratio, 1/ratio); d <= runnerSuccess && r <= runnerMean {
		b.success, b.mean = max(b.success, d), max(b.mean, r)
	}
	return b
}

func (sc *dialogueScenario) published() []published {
	return []published{sc.RoundRobin, sc.Pin, sc.Unlimited}
}

// met says whether p is as good as the best published: in both success and time, or better in success.
func (b *dialogueBar) met(p published) bool {
	return p.Success > b.best.Success+b.success || p.Success >= b.best.Success-b.success && p.Mean <= b.best.Mean*b.mean
}

// mark is what is put before a result.
func (b *dialogueBar) mark(p published) string {
	switch {
	case b.met(p):
		return met
	case slices.ContainsFunc(b.sc.published(), func(q published) bool { return q.Success >= p.Success && q.Mean <= p.Mean }):
		return ""
	}
	return "○ "
}

// sameSuccess and sameMean are what is alike: the spread between seeds.
const (
	sameSuccess = 0.5  // percent
	sameMean    = 1.02 //
)

// Where clients without a limit fare otherwise in this runner than published, by chance or by
// rounding, results may be off by as much. What differs by more than runnerSuccess
// or runnerMean is another client, and excuses nothing.
const (
	runnerSuccess = 1.0  // percent
	runnerMean    = 1.04 //
)

// compare says which of two is better: the one with more success and, where that is
// alike, with the shorter mean.
func (p published) compare(q published) int {
	if d := q.Success - p.Success; d > sameSuccess || d < -sameSuccess {
		return cmp.Compare(d, 0)
	}
	return cmp.Compare(p.Mean, q.Mean)
}

func (p published) String() string {
	return fmt.Sprintf("%.1f %% %s", p.Success, time.Duration(math.Round(p.Mean*1e9)).Round(roundTo(p.Mean)))
}

// roundTo leaves three or four digits of a time of s seconds.
func roundTo(s float64) time.Duration {
	d := time.Duration(1)
	for float64(d)*1e4 < s*1e9 {
		d *= 10
	}
	return max(d, 1)
}
