package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// All forms of a program give the same result, again and again.
func TestFormsAgree(t *testing.T) {
	for _, p := range problems() {
		for _, n := range []int{rowLength, 1000, 40_000} {
			s := p.solve(n)
			for i := range s {
				for range 2 {
					s[i].run()
					if err := s[i].check(); err != nil {
						t.Errorf("%s, n = %d, %s: %v", p.name, n, formNames[i], err)
					}
				}
			}
		}
	}
}

func TestAnotherResultIsWrong(t *testing.T) {
	s := compare(equal, func(form int) int { return [forms]int{1, 1, 2}[form] })
	_, err := measure(t.Context(), s, options{rounds: 1})
	if !errors.Is(err, errWrong) || !strings.Contains(err.Error(), "ours") {
		t.Errorf("got %v, want %v of ours", err, errWrong)
	}
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure(ctx, mcss().solve(10), options{rounds: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// The serial forms, to which the others are compared, are right.
func TestSerial(t *testing.T) {
	numbers := []float64{-1, 2, -1, 3, -5, 3}
	if got := (stretch{}).over(numbers).best; got != 4 {
		t.Errorf("mcss: %v, want 4", got)
	}
	if got, want := primesUpTo(serial, 30), []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29}; !slices.Equal(got, want) {
		t.Errorf("primes: %v, want %v", got, want)
	}
	s := newSorting([]int{5, 3, 9, 3, 1})
	if s.serial(); !slices.Equal(s.numbers, []int{1, 3, 3, 5, 9}) {
		t.Errorf("msort: %v", s.numbers)
	}
	got := text("a bc  d")
	if at := (filter{got.countEdges, got.fillEdges}).in(serial, 0, len(got)+1); !slices.Equal(at, []int{0, 1, 2, 4, 6, 7}) {
		t.Errorf("tokens: %v", at)
	}
	if got := dot([]entry{{1, 2}, {0, 3}}, []float64{10, 100}); got != 230 {
		t.Errorf("sparse-mxv: %v, want 230", got)
	}
	points := []pair{{0, 1}, {1, 3}, {2, 5}}
	mean := pair{}.total(points).per(len(points))
	if got := mean.line(pair{}.moments(points, mean)); got != (pair{1, 2}) {
		t.Errorf("linefit: %v, want 1 and 2", got)
	}
}

// A sort of any length is right when its merges go down to the last numbers.
func TestMerge(t *testing.T) {
	for n := range 50 {
		a, b := make([]int, n/3), make([]int, n-n/3)
		for i := range a {
			a[i] = i / 2
		}
		for i := range b {
			b[i] = i / 3
		}
		want := slices.Sorted(slices.Values(slices.Concat(a, b)))
		got := make([]int, n)
		mergeAll(merging{a, b, got})
		if !slices.Equal(got, want) {
			t.Errorf("%v and %v: %v", a, b, got)
		}
	}
}

func mergeAll(m merging) {
	if len(m.out) <= 2 {
		m.serial()
		return
	}
	first, last := m.halves()
	mergeAll(first)
	mergeAll(last)
}

func TestSplit(t *testing.T) {
	var want []int
	for n := range 20 {
		got := splitReduce(3, 0, n, func(lo, hi int) []int {
			if hi-lo > 3 {
				t.Errorf("%d to %d is more than the grain", lo, hi)
			}
			part := []int{}
			for i := lo; i < hi; i++ {
				part = append(part, i)
			}
			return part
		}, func(a, b []int) []int { return append(a, b...) })
		if !slices.Equal(got, want) {
			t.Fatalf("%v: want the numbers up to %d in order", got, n)
		}
		want = append(want, n)
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]options{
		"":                  {rounds: 11, sample: 200 * time.Millisecond},
		"-quick":            {rounds: 3, sample: 50 * time.Millisecond},
		"-rounds 2 -md":     {rounds: 2, sample: 200 * time.Millisecond, md: true},
		"-sample 0s -quick": {rounds: 3},
	} {
		o, err := parse(strings.Fields(args), io.Discard)
		if err != nil || o.rounds != want.rounds || o.sample != want.sample || o.md != want.md || len(o.problems) != 6 {
			t.Errorf("%s: %+v, %v; want %+v", args, o, err, want)
		}
	}
	if o, err := parse([]string{"-only", "m,tok"}, io.Discard); err != nil || len(o.problems) != 3 {
		t.Errorf("%d programs, %v; want mcss, msort and tokens", len(o.problems), err)
	}
	for args, want := range map[string]string{
		"-rounds 0":   "at least one round",
		"-sample -1s": "at least one round",
		"-only fib":   `no program begins with "fib"`,
	} {
		if _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// A run writes a line for each size of each program.
func TestRun(t *testing.T) {
	p := mcss()
	p.sizes = []int{1000, 10}
	var out, log strings.Builder
	if err := run(t.Context(), &out, &log, options{problems: []problem{p}, rounds: 1}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{", 1 rounds", ".\n\n| program |", "\n| mcss | 1,000 | ", "\n| mcss | 10 | "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: want %q in it", &out, want)
		}
	}
	if got := log.String(); got != "mcss, n = 1000\nmcss, n = 10\n" {
		t.Errorf("log %q", got)
	}
}

func Example_table() {
	fmt.Print(table([]row{{"mcss", 1_234_567, measured{{1840e6, 1842e6, 1850e6}, {20e6, 30e6, 25e6}, {22e6, 15e6, 25e6}}}}))
	// Output:
	// | program | n | serial | by hand | ours | ours / by hand |
	// |---|--:|--:|--:|--:|--:|
	// | mcss | 1,234,567 | 1842 ms | 25 ms | 22 ms | 1.00 (0.50 to 1.10) |
}

func TestNearIsNotExact(t *testing.T) {
	p := pair{1, 2}
	if !p.near(pair{1, math.Nextafter(2, 3)}) || p.near(pair{1, 2.001}) || p.near(pair{2, 2}) {
		t.Error("near must forgive rounding, and nothing else")
	}
}

func Benchmark(b *testing.B) {
	for _, p := range problems() {
		for _, n := range p.sizes {
			b.Run(fmt.Sprintf("%s/%d", p.name, n), func(b *testing.B) {
				s := p.solve(n)
				for i := range s {
					b.Run(strings.ReplaceAll(formNames[i], " ", "-"), func(b *testing.B) {
						for b.Loop() {
							s[i].run()
						}
					})
				}
			})
		}
	}
}
