package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

type verdict struct {
	situation
	number                                        int // the best fixed one
	rate, total, least, jain, cpu, drifts, others []float64
}

// add enters a round: the automatic limit, and the fixed number before and after it.
func (v *verdict) add(before, auto, after sample) {
	rate := (before.total + after.total) / 2
	v.rate = append(v.rate, rate)
	v.total = append(v.total, auto.total/rate)
	share := 0.0 // of one of those that are compared with each other
	for _, m := range []sample{before, after} {
		for _, x := range m.rates {
			share += x / float64(2*len(m.rates))
		}
	}
	v.least = append(v.least, slices.Min(auto.rates)/share)
	v.jain = append(v.jain, jain(auto.rates))
	v.cpu = append(v.cpu, auto.cpu-(before.cpu+after.cpu)/2)
	v.drifts = append(v.drifts, after.total/before.total)
	v.others = append(v.others, auto.others)
}

const head = `| situation | best fixed | units/s | ours | least | Jain | CPUs more | bars | met | drift | others |
|---|--:|--:|--:|--:|--:|--:|---|---|--:|--:|
`

// row returns the verdict as a line of the table.
func (v *verdict) row() string {
	wanted, met := v.bars.judge(stats.Median(v.total), stats.Median(v.least), stats.Median(v.jain), stats.Median(v.cpu))
	least, fair := "", ""
	if v.processes*v.crew.Limiters > 1 || v.processes > 1 {
		least, fair = fmt.Sprintf("%.2f", stats.Median(v.least)), fmt.Sprintf("%.3f", stats.Median(v.jain))
	}
	return fmt.Sprintf("| %s | %s | %s | %.3f | %s | %s | %.2f | %s | %s | %.3f | %.2f |\n", v.about, inWords(v.number), stats.FormatRate(stats.Median(v.rate)),
		stats.Median(v.total), least, fair, stats.Median(v.cpu), wanted, met, stats.Median(v.drifts), stats.Median(v.others))
}

// judge returns the bars in words, and whether they are met: yes, no, or "" if there are none.
func (b bars) judge(total, least, fair, cpu float64) (wanted, met string) {
	var words []string
	ok := true
	for _, x := range []struct {
		name     string
		bar, got float64
	}{{"ours", b.total, total}, {"least", b.least, least}, {"Jain", b.jain, fair}} {
		if x.bar > 0 {
			words = append(words, fmt.Sprintf("%s ≥ %v", x.name, x.bar))
			ok = ok && x.got >= x.bar
		}
	}
	if b.cpu > 0 {
		words = append(words, fmt.Sprintf("CPUs ≤ %v", b.cpu))
		ok = ok && cpu <= b.cpu
	}
	switch {
	case len(words) == 0:
		return "", ""
	case ok:
		met = "yes"
	default:
		met = "no"
	}
	return strings.Join(words, ", "), met
}
