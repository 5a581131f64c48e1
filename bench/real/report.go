package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/load"
	"github.com/sweetspot-go/sweetspot/bench/internal/score"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// report writes the table and the verdict of a workload.
func (b *bench) report(out io.Writer, w workload) {
	sheet := b.sheets[w.name]
	v := sheet.Judge()
	fmt.Fprintf(out, "\n%s: %s\n", w.name, w.about)
	fmt.Fprintf(out, "%9s  %9s  %s\n", "N", "units/s", "spread")
	for _, n := range sheet.Limits() {
		b.row(out, w, kindFixed, n, fmt.Sprint(n), sheet.Rates(n), "")
	}
	limit := ""
	if len(v.LimitRatios) > 0 {
		limit = fmt.Sprintf("limit in the last third %.1f", v.LimitRatio*float64(v.Enough))
	}
	b.row(out, w, kindAuto, 0, kindAuto, sheet.AutoRates(), limit)
	b.row(out, w, kindPeer, 0, kindPeer, b.peerRates(w), "golang.org/x/sync/semaphore at the best limit of each round")
	if v.Best == 0 || math.IsNaN(v.Ratio) {
		fmt.Fprintln(out, "  no verdict: it takes both the automatic and a fixed limit")
		return
	}
	fmt.Fprintf(out, "  best fixed limit %d: %s/s; least within 2 %% of it: N* = %d\n", v.Best, stats.FormatRate(v.BestRate), v.Enough)
	fmt.Fprintf(out, "  auto / best    %.3f (rounds %s; of the medians %.3f): bar %.2f %s\n",
		v.Ratio, list(v.Ratios, "%.3f"), v.RatioOfMedian, score.RateBar, met(v.RateMet()))
	fmt.Fprintf(out, "                 the best of a round is %s\n", v.Choice)
	fmt.Fprintf(out, "  limit / N*     %.2f (rounds %s): bar %.0f %s\n",
		v.LimitRatio, list(v.LimitRatios, "%.2f"), score.LimitBar, met(v.LimitMet()))
}

// row writes a line of the table: the median of the rates, marked if the
// machine was busy during one of them.
func (b *bench) row(out io.Writer, w workload, kind string, n int, name string, rates []float64, note string) {
	if len(rates) == 0 {
		return
	}
	mark := " "
	for _, s := range b.samples {
		if s.Workload == w.name && s.Kind == kind && (kind != kindFixed || s.N == n) && s.Busy {
			mark = "*"
		}
	}
	l := fmt.Sprintf("%9s  %9s%s %4.1f %%  %s", name, stats.FormatRate(stats.Median(rates)), mark, 100*stats.Spread(rates), note)
	fmt.Fprintln(out, strings.TrimRight(l, " "))
}

func (b *bench) peerRates(w workload) []float64 {
	var xs []float64
	for _, s := range b.samples {
		if s.Workload == w.name && s.Kind == kindPeer && s.Error == "" {
			xs = append(xs, s.Rate)
		}
	}
	return xs
}

// overview writes a line for each workload, and what the mark means if any
// sample has it.
func (b *bench) overview(out io.Writer) {
	fmt.Fprintf(out, "\n%-9s  %5s  %9s  %11s  %s\n", "workload", "N*", "best/s", "auto / best", "limit / N*")
	for _, w := range b.workloads {
		v := b.sheets[w.name].Judge()
		if v.Best == 0 || math.IsNaN(v.Ratio) {
			continue
		}
		fmt.Fprintf(out, "%-9s  %5d  %9s  %.3f %-7s  %.2f %s\n", w.name, v.Enough, stats.FormatRate(v.BestRate),
			v.Ratio, met(v.RateMet()), v.LimitRatio, met(v.LimitMet()))
	}
	marked := 0
	for _, s := range b.samples {
		if s.Busy {
			marked++
		}
	}
	if marked > 0 {
		fmt.Fprintf(out, "* other processes used more than %.1f CPUs during %d of %d samples; -strict repeats such\n", load.BusyAbove, marked, len(b.samples))
	}
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "MISSED"
}

// list formats numbers with blanks between them.
func list(xs []float64, format string) string {
	var words []string
	for _, x := range xs {
		words = append(words, fmt.Sprintf(format, x))
	}
	return strings.Join(words, " ")
}
