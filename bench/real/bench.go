package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/sweetspot-go/sweetspot/bench/internal/load"
	"github.com/sweetspot-go/sweetspot/bench/internal/score"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A bench measures workloads round by round.
type bench struct {
	options
	log io.Writer

	spins  int
	binary string
	files  []string

	samples []sample
	sheets  map[string]*score.Sheet
	failed  bool
}

func newBench(o *options, log io.Writer) *bench {
	return &bench{options: *o, log: log, sheets: make(map[string]*score.Sheet)}
}

// prepare makes what the workloads need in dir. A workload whose command this
// machine does not have is left out.
func (b *bench) prepare(ctx context.Context, dir string) error {
	kept, commands := b.workloads[:0], false
	for _, w := range b.workloads {
		if w.commands != "" {
			if _, err := exec.LookPath(w.commands); err != nil {
				fmt.Fprintf(b.log, "%s is left out: %v\n", w.name, err)
				continue
			}
			commands = true
		}
		if w.most > 0 && b.fixed > 0 && b.limits[len(b.limits)-1] > w.most {
			fmt.Fprintf(b.log, "%s is not measured above %d: %s\n", w.name, w.most, w.why)
		}
		kept = append(kept, w)
		b.sheets[w.name] = new(score.Sheet)
	}
	b.workloads = kept
	var err error
	if commands {
		if b.binary = b.options.binary; b.binary == "" {
			if b.binary, err = build(ctx, dir); err != nil {
				return err
			}
		}
		if b.binary, err = exec.LookPath(b.binary); err != nil {
			return err
		}
	}
	if b.has("sha") {
		if b.files, err = files(ctx, dir); err != nil {
			return fmt.Errorf("cannot make the files to hash: %w", err)
		}
	}
	b.spins = calibrate()
	return nil
}

func (b *bench) has(name string) bool { return b.sheets[name] != nil }

// run measures everything. finished is called when a workload has had its last
// round. If ctx is cancelled, it returns the cause; what was measured stays.
func (b *bench) run(ctx context.Context, finished func(workload)) error {
	for round := range b.rounds {
		fmt.Fprintf(b.log, "round %d of %d\n", round+1, b.rounds)
		for _, w := range b.workloads {
			if err := b.round(ctx, w, round); err != nil {
				return err
			}
			if round == b.rounds-1 {
				finished(w)
			}
		}
	}
	return nil
}

// round measures one workload at all limits once.
func (b *bench) round(ctx context.Context, w workload, round int) error {
	limits := append([]int{0}, b.limitsOf(w)...) // 0 is the automatic one
	for _, i := range stats.Order(len(limits), round, b.rounds) {
		s := sample{Workload: w.name, Round: round + 1, Kind: kindFixed, N: limits[i]}
		if s.N == 0 {
			s.Kind = kindAuto
		}
		if err := b.take(ctx, w, s); err != nil {
			return err
		}
	}
	if n, _ := b.sheets[w.name].BestOf(round); b.peer && w.commands == "" && n > 0 {
		return b.take(ctx, w, sample{Workload: w.name, Round: round + 1, Kind: kindPeer, N: n})
	}
	return nil
}

// With -strict, a sample is taken up to attempts times, until the machine is
// not busy, and a repetition waits for that.
const attempts = 3

// take takes a sample and enters it; of several attempts the one that others
// disturbed least. Only the end of ctx is an error; a measurement that fails is
// noted in its sample.
func (b *bench) take(ctx context.Context, w workload, s sample) error {
	var best sample
	for s.Attempts = 1; ; s.Attempts++ {
		b.measure(ctx, w, &s)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fmt.Fprintln(b.log, s.line())
		if s.Attempts == 1 || s.betterThan(best) {
			best = s
		}
		if !b.strict || !s.Busy || s.Attempts == attempts {
			break
		}
		load.AwaitQuiet(ctx)
	}
	b.enter(best)
	return nil
}

// enter enters a sample. One that failed has no rate.
func (b *bench) enter(s sample) {
	b.samples = append(b.samples, s)
	sheet := b.sheets[s.Workload]
	switch {
	case s.Error != "":
		b.failed = true
	case s.Kind == kindAuto:
		sheet.Auto(s.Round-1, s.Rate, s.LastThird)
	case s.Kind == kindFixed:
		sheet.Fixed(s.Round-1, s.N, s.Rate)
	}
}

// measure fills s.
func (b *bench) measure(ctx context.Context, w workload, s *sample) {
	t := task{
		Workload: w.name, Fixed: s.N, Peer: s.Kind == kindPeer, Law: b.law, Seconds: b.options.fixed.Seconds(),
		Spins: b.spins, Binary: b.binary, Verbose: b.verbose,
	}
	if s.Kind == kindAuto {
		t.Seconds = b.auto.Seconds()
		if limits := b.limitsOf(w); b.fixed > 0 && len(limits) > 0 {
			// Beyond the sweep nothing is known of the best fixed limit.
			t.Max = limits[len(limits)-1]
		}
	}
	if w.name == "sha" {
		t.Files = b.files
	}
	messages := io.Discard
	if b.verbose {
		messages = os.Stderr
	}
	before := load.Now()
	res, err := launch(ctx, w, t, messages)
	s.result, s.Error = res, ""
	if err != nil {
		s.Error = err.Error()
	}
	s.Others, s.Busy = nil, false
	if cpus, known := load.Now().OthersSince(before); known {
		s.Others, s.Busy = &cpus, cpus > load.BusyAbove
	}
}
