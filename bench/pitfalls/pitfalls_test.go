package main

import (
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// All forms of a work do the same.
func TestFormsAgree(t *testing.T) {
	for _, p := range append(pitfalls(), byHand(1)) {
		n := min(p.n, 1000)
		if p.check == "maxprocs" || p.check == "iobound" {
			n = 10
		}
		var want int
		for i, f := range p.make(n) {
			for range 2 { // the second time must find what the first time found
				if got := f.run(); i == 0 {
					want = got
				} else if got != want {
					t.Errorf("%s, %s: got %d, want %d as %s", p.work, f.name, got, want, p.make(n)[0].name)
				}
			}
		}
		if want <= 0 {
			t.Errorf("%s: %d is nothing to tell forms apart by", p.work, want)
		}
	}
}

func Benchmark(b *testing.B) {
	for _, p := range pitfalls() {
		b.Run(p.check+"/"+strings.ReplaceAll(p.work, " ", "-"), func(b *testing.B) {
			for _, f := range p.make(p.n) {
				b.Run(strings.ReplaceAll(f.name, " ", "-"), func(b *testing.B) {
					for b.Loop() {
						f.run()
					}
				})
			}
		})
	}
}

func TestRunSaysWhatIsWrong(t *testing.T) {
	good := options{rounds: 1, sample: time.Millisecond}
	for want, change := range map[string]func(*options){
		"at least one round":    func(o *options) { o.rounds = 0 },
		"samples of 1ms":        func(o *options) { o.sample = 0 },
		"-procs 100000":         func(o *options) { o.procs = 100_000 },
		"want checks out of":    func(o *options) { o.only = "recspawm" },
		"no such work and form": func(o *options) { o.form = "a/b" },
		"nothing limits":        func(o *options) { o.only = "maxprocs" },
	} {
		if want == "nothing limits" && byRuntime() < runtime.NumCPU() {
			continue // something does
		}
		o := good
		change(&o)
		if err := run(io.Discard, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// The table has a line for each form, and the bad one is as fast as itself.
func TestTable(t *testing.T) {
	var out strings.Builder
	if err := run(&out, options{rounds: 2, sample: time.Millisecond, only: "chanarray"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[4], "| chanarray | a list | a channel |") || !strings.HasPrefix(lines[5], "| | | a slice |") {
		t.Errorf("got\n%s\nwant two lines of head, two of the table, and two forms", &out)
	}
}

func TestFormInAProcessOfItsOwn(t *testing.T) {
	var out strings.Builder
	if err := run(&out, options{rounds: 1, sample: time.Millisecond, form: "a list/a slice"}); err != nil {
		t.Fatal(err)
	}
	if bytes, err := strconv.Atoi(strings.TrimSpace(out.String())); err != nil || bytes < 1<<20 {
		t.Errorf("got %q, want the bytes of a Go process", &out)
	}
}

func TestRow(t *testing.T) {
	p := pitfall{check: "c", work: "w", item: "node"}
	m := measured{name: "f", took: []float64{900, 1000, 1100}, ratios: []float64{11, 12, 13}}
	for want, got := range map[string]string{
		"| c | w | f | 1 µs / node |  |":                       row(p, 0, m, 0.1),
		"| c | w | f | 1 µs / node | (others used 1.5 CPUs) |": row(p, 0, m, 1.5),
		"| | | f | 1 µs / node | 12.0 (11.0 to 13.0) |":        row(p, 1, m, 1.5),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
