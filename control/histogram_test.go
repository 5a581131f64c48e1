package control_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

func ExampleHistogram() {
	var h control.Histogram
	for range 98 {
		h.Add(0.010)
	}
	before := h
	h.Add(0.5)
	h.Add(0.5)
	fmt.Printf("%d times, %.2f s\n", h.Count(), h.Sum)
	fmt.Printf("99 %% within %.1f s\n", h.Quantile(0.99))
	since := h.Sub(&before)
	fmt.Println(since.Count(), since.Sum)
	// Output:
	// 100 times, 1.98 s
	// 99 % within 0.5 s
	// 2 1
}

func ExampleHistogram_Add() {
	var h control.Histogram
	for _, took := range []time.Duration{3 * time.Millisecond, 8 * time.Millisecond, time.Second} {
		h.Add(took.Seconds())
	}
	fmt.Printf("%d times, %.3f s\n", h.Count(), h.Sum)
	// Output: 3 times, 1.011 s
}

// The buckets that count something, as for a chart.
func ExampleHistogram_UpperBound() {
	var h control.Histogram
	for _, s := range []float64{0.003, 0.0031, 0.25} {
		h.Add(s)
	}
	for i, n := range h.Counts {
		if n > 0 {
			fmt.Printf("%d up to %.1f ms\n", n, 1e3*h.UpperBound(i))
		}
	}
	// Output:
	// 2 up to 3.4 ms
	// 1 up to 262.1 ms
}

// What happened within a minute, of a histogram that only grows.
func ExampleHistogram_Sub() {
	var h control.Histogram
	h.Add(2) // a slow start
	minuteAgo := h
	h.Add(0.02)
	h.Add(0.03)
	since := h.Sub(&minuteAgo)
	fmt.Printf("%d times, %.2f s\n", since.Count(), since.Sum)
	// Output: 2 times, 0.05 s
}

// Units took 1 ms to 1 s, all alike often: the last figure is a little too high.
func ExampleHistogram_Quantile() {
	var h control.Histogram
	for ms := 1; ms <= 1000; ms++ {
		h.Add(float64(ms) / 1e3)
	}
	for _, q := range []float64{0.5, 0.9, 0.99} {
		fmt.Printf("%g %% within %.2f s\n", 100*q, h.Quantile(q))
	}
	// Output:
	// 50 % within 0.50 s
	// 90 % within 0.91 s
	// 99 % within 1.03 s
}

// Each time is in the bucket whose bounds hold it.
func TestHistogramBuckets(t *testing.T) {
	var h control.Histogram
	times := []float64{-1, 0, 1e-9, 1e-6, math.Inf(1), 1e300, 1.01e-6, 2e-6, 4e-6, 1, 1000, 1073, 1080}
	for i := range h.Counts[:len(h.Counts)-1] {
		b := h.UpperBound(i)
		times = append(times, b, math.Nextafter(b, 0)*(1-1e-12), b*(1+1e-12))
	}
	for _, s := range times {
		var one control.Histogram
		one.Add(s)
		i := slices.Index(one.Counts[:], 1)
		const close = 1e-9 // a bound may fall on either side by rounding
		if s > one.UpperBound(i)*(1+close) || i > 0 && s < one.UpperBound(i-1)*(1-close) {
			t.Errorf("%v is in bucket %d, whose bound is %v", s, i, one.UpperBound(i))
		}
	}
	for i := range h.Counts[:len(h.Counts)-1] {
		var one control.Histogram
		one.Add(h.UpperBound(i))
		if one.Counts[i] != 1 {
			t.Errorf("the upper bound of bucket %d is not in it", i)
		}
	}
	if b := h.UpperBound(len(h.Counts) - 1); !math.IsInf(b, 1) {
		t.Errorf("the last bound is %v", b)
	}
	if b := h.UpperBound(4); math.Abs(b-2e-6) > 1e-12 {
		t.Errorf("four buckets are %v, want an octave", b)
	}
}

// A quantile is near that of the times themselves.
func TestHistogramQuantile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, sigma := range []float64{0.1, 0.5, 2} {
		var h control.Histogram
		times := make([]float64, 10_000)
		for i := range times {
			times[i] = 0.01 * math.Exp(sigma*rnd.NormFloat64())
			h.Add(times[i])
		}
		slices.Sort(times)
		for _, q := range []float64{0.01, 0.1, 0.5, 0.9, 0.99, 1} {
			want := times[min(int(q*float64(len(times))), len(times)-1)]
			if got := h.Quantile(q); math.Abs(got/want-1) > 0.2 {
				t.Errorf("sigma %v: quantile %v is %v, want %v", sigma, q, got, want)
			}
			if q < 1 && math.Abs(h.Quantile(q)/want-1) > 0.1 {
				t.Errorf("sigma %v: quantile %v is %v, want %v within 10 %%", sigma, q, h.Quantile(q), want)
			}
		}
	}
	var none, endless control.Histogram
	if q := none.Quantile(0.5); !math.IsNaN(q) {
		t.Errorf("median of nothing: %v", q)
	}
	endless.Add(math.Inf(1))
	if q := endless.Quantile(0.5); math.IsInf(q, 1) || q < 1000 {
		t.Errorf("median of what never ends: %v", q)
	}
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Quantile(%v) did not panic", q)
				}
			}()
			none.Quantile(q)
		}()
	}
}

func TestHistogramSub(t *testing.T) {
	var a, b control.Histogram
	a.Add(1)
	b = a
	b.Add(2)
	d := b.Sub(&a)
	if d.Count() != 1 || d.Sum != 2 || a.Count() != 1 {
		t.Errorf("difference of %d, sum %v", d.Count(), d.Sum)
	}
}
