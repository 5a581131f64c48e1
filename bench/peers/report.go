package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// write writes the report to where the options say.
func (b *bench) write(stdout io.Writer) error {
	var text bytes.Buffer
	b.report(&text)
	if b.out == "" {
		_, err := stdout.Write(text.Bytes())
		return err
	}
	return os.WriteFile(b.out, text.Bytes(), 0o644)
}

func (b *bench) report(w io.Writer) {
	fmt.Fprint(w, "# Benchmarks\n\n")
	fmt.Fprintf(w, "Written by `go run ./peers %s` in `bench/`; do not edit.\n\n", strings.Join(b.args, " "))
	fmt.Fprintf(w, "%s, GOMAXPROCS 1 and %d. %s, %s.\n\n", machine.Describe(), b.procs, b.began.UTC().Format("2 January 2006"), b.circumstances())
	if b.quick {
		fmt.Fprint(w, "**A quick look: small sizes and few rounds. Judge no bar by it.**\n\n")
	}
	fmt.Fprintln(w, method)
	var all findings
	for _, g := range b.groups {
		if all.view = b.view(g); len(all.samples) > 0 {
			fmt.Fprintf(&all.details, "## %s\n\n%s\n\n", g.title, g.about)
			g.report(&all)
		}
	}
	if len(all.bars) > 0 {
		fmt.Fprintf(w, "## Bars\n\n%s\n", barTable(all.bars))
	}
	fmt.Fprint(w, "## Where we lose\n\n")
	for _, x := range all.bars {
		if x.missed() {
			all.lose("%s: %s, want %s", x.work, x.show(x.got), x.want)
		}
	}
	for _, l := range all.losses {
		fmt.Fprintf(w, "- %s.\n", l)
	}
	if len(all.losses) == 0 {
		fmt.Fprint(w, "Nowhere in what was measured here.\n")
	}
	fmt.Fprintf(w, "\n%s", all.details.Bytes())
}

// findings are what groups say of their samples, one group after the other.
type findings struct {
	view                 // of the group at hand
	details bytes.Buffer // tables
	bars    []bar
	losses  []string
}

func (r *findings) table(t program.Table) {
	if len(t.Rows) > 0 {
		fmt.Fprintln(&r.details, t)
	}
}

func (r *findings) lose(format string, args ...any) {
	r.losses = append(r.losses, fmt.Sprintf(format, args...))
}

//go:embed method.md
var method string

// circumstances says how many samples there are, and how quiet the machine was.
func (b *bench) circumstances() string {
	disturbed := 0
	rounds := 0
	for _, s := range b.samples {
		rounds = max(rounds, s.Round)
		if s.Disturbed {
			disturbed++
		}
	}
	s := fmt.Sprintf("%d samples in %d rounds, the median spread (largest - smallest, over the median) of a subject %s", len(b.samples), rounds, percent(b.spread()))
	if len(b.samples) > 0 && disturbed > 0 {
		s += fmt.Sprintf("; other processes disturbed %s of the samples", percent(float64(disturbed)/float64(len(b.samples))))
	}
	return s
}

// spread returns the median over the subjects of the spread of their times.
func (b *bench) spread() float64 {
	var spreads []float64
	for _, g := range b.groups {
		v := b.view(g)
		for _, samples := range v.samples {
			var xs []float64
			for _, s := range samples {
				xs = append(xs, s.NS)
			}
			spreads = append(spreads, stats.Spread(xs))
		}
	}
	return stats.Median(spreads)
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "unknown"
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}
