package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// table returns the figures in Markdown.
func (b *bench) table() string {
	var out strings.Builder
	out.WriteString("| the tenant | connections | it sends | its twin | others beside it | beside its twin | alone | it / twin | lowest |\n" +
		"|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, t := range b.tenants {
		for _, size := range b.sizes {
			rate := func(p phase, f func(sample) float64) float64 { return stats.Median(b.column(t, size, p, f)) }
			others := func(s sample) float64 { return s.Others }
			sent := func(s sample) float64 { return s.Sent }
			shares := b.column(t, size, withHostile, others)
			for i, harmless := range b.column(t, size, withHarmless, others) {
				shares[i] /= harmless
			}
			fmt.Fprintf(&out, "| `%s` %s | %d | %.0f/s | %.0f/s | %.0f/s | %.0f/s | %.0f/s | **%.2f** | %.2f |\n", t.name, t.about, size,
				rate(withHostile, sent), rate(withHarmless, sent), rate(withHostile, others), rate(withHarmless, others), rate(withNobody, others),
				stats.Median(shares), slices.Min(shares))
		}
	}
	return out.String()
}

// column returns a figure of each round.
func (b *bench) column(t tenant, size int, p phase, figure func(sample) float64) (all []float64) {
	for _, s := range b.samples {
		if s.Tenant == t.name && s.Connections == size && s.Phase == p {
			all = append(all, figure(s))
		}
	}
	return all
}

// disturbed returns how many CPUs other processes used, the median of all samples.
func (b *bench) disturbed() float64 {
	var all []float64
	for _, s := range b.samples {
		all = append(all, s.Disturbed)
	}
	return stats.Median(all)
}
