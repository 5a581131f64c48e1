package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// print writes a verdict as a table.
func (v verdict) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n%8s %8s %8s %8s %8s %8s %8s\n", v.name, "load", "goodput", "p50", "p99", "refused", "failed", "limit")
	for _, s := range v.steps {
		fmt.Fprintf(w, "%8.1f %8.3f %8s %8s %8.2f %8d %8.0f\n", s.load, s.goodput, ms(s.p50), ms(s.p99), s.refused, s.failed, s.limit)
	}
	fmt.Fprintf(w, "half of the slots: right after %s; back: %s\n\n", seconds(v.told[0]), seconds(v.told[1]))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", 1000*d.Seconds()) }

func seconds(d time.Duration) string {
	if d < 0 {
		return "never"
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// at returns the step with a load.
func (v verdict) at(load float64) step {
	return v.steps[slices.IndexFunc(v.steps, func(s step) bool { return s.load == load })]
}

// summary writes the medians over the rounds of the figures that the bars are about.
func summary(w io.Writer, all []verdict) {
	fmt.Fprintf(w, "%-16s %12s %12s %14s %12s %10s %10s\n", "medians", "goodput 10x", "10x over 1x", "p99 10x/0.8x", "p99 at 10x", "half", "back")
	var names []string
	for _, v := range all {
		if !slices.Contains(names, v.name) {
			names = append(names, v.name)
		}
	}
	for _, name := range names {
		column := func(f func(verdict) float64) float64 {
			var xs []float64
			for _, v := range all {
				if v.name == name {
					xs = append(xs, f(v))
				}
			}
			return stats.Median(xs)
		}
		fmt.Fprintf(w, "%-16s %12.3f %12.3f %14.2f %12s %10s %10s\n", name,
			column(func(v verdict) float64 { return v.at(10).goodput }),
			column(func(v verdict) float64 { return v.at(10).goodput / v.at(1).goodput }),
			column(func(v verdict) float64 { return v.at(10).p99.Seconds() / v.at(0.8).p99.Seconds() }),
			ms(time.Duration(column(func(v verdict) float64 { return float64(v.at(10).p99) }))),
			seconds(time.Duration(column(func(v verdict) float64 { return float64(v.told[0]) }))),
			seconds(time.Duration(column(func(v verdict) float64 { return float64(v.told[1]) }))))
	}
}
