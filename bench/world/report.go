package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

func (v *verdict) curve(out io.Writer) {
	fmt.Fprintf(out, "\n%s: %s\n%9s  %9s  %7s  %s\n", v.Work, v.About, "N", "units/s", "of best", "spread")
	for _, f := range v.Fixed {
		fmt.Fprintf(out, "%9d  %9s  %7.3f  %4.1f %%\n", f.N, stats.FormatRate(f.Rate), f.Rate/v.BestRate, 100*f.Spread)
	}
}

func (b *bench) report(out io.Writer) {
	if len(b.verdicts) == 0 {
		return
	}
	for _, v := range b.verdicts {
		v.curve(out)
	}
	chosen := inRounds
	if slices.ContainsFunc(b.verdicts, func(v verdict) bool { return v.Chosen == inHalves }) {
		chosen = inHalves
	}
	fmt.Fprintf(out, "\n%s; law %s; %d rounds; shares of the best fixed number, %s\n\n", machine.Describe(), b.law, b.rounds, chosen)
	fmt.Fprintf(out, "| work | best | best/s | N* |")
	for _, w := range windows {
		fmt.Fprintf(out, " %.0f–%.0f s |", w.from*b.auto.Seconds(), w.to*b.auto.Seconds())
	}
	fmt.Fprintf(out, " limit | refused | drift | others |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, v := range b.verdicts {
		others := "?"
		if v.Others != nil {
			others = fmt.Sprintf("%.2f", *v.Others)
		}
		fmt.Fprintf(out, "| %s | %d | %s | %d | %.3f | %.3f | %.3f | %.1f | %.2f %% | %.3f | %s |\n", v.Work, v.Best, stats.FormatRate(v.BestRate), v.NStar,
			v.Shares[0], v.Shares[1], v.Shares[2], v.Limit, 100*v.Refused, v.Drift, others)
	}
}
