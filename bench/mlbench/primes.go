package main

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/sweetspot-go/sweetspot"
)

func primes() problem {
	return problem{"primes", "the primes up to n, by a sieve", []int{20_000_000, 1_000_000}, func(n int) solutions {
		return compare(slices.Equal, [forms]func() []int{
			serial: func() []int { return primesSerial(n) },
			byHand: func() []int { return primesByHand(n) },
			ours:   func() []int { return primesOurs(n) },
		})
	}}
}

func primesSerial(n int) []int {
	if n < 2 {
		return nil
	}
	s := make(sieve, n+1)
	s.fill(0, n+1)
	for _, p := range primesSerial(root(n)) {
		s.cross(p, 0, s.multiples(p))
	}
	return filter{s.count, s.collect}.serial(2, n+1)
}

func primesByHand(n int) []int {
	if n < 2 {
		return nil
	}
	small := primesByHand(root(n))
	s := make(sieve, n+1)
	split(grain, 0, n+1, s.fill)
	split(1, 0, len(small), func(first, end int) {
		for _, p := range small[first:end] {
			split(grain, 0, s.multiples(p), func(lo, hi int) { s.cross(p, lo, hi) })
		}
	})
	return filter{s.count, s.collect}.byHand(2, n+1)
}

func primesOurs(n int) []int {
	if n < 2 {
		return nil
	}
	small := primesOurs(root(n))
	s := make(sieve, n+1)
	err := sweetspot.WorkersRange(context.Background(), n+1, func(_ context.Context, chunks iter.Seq2[int, int]) error {
		for lo, hi := range chunks {
			s.fill(lo, hi)
		}
		return nil
	})
	must(err)
	err = sweetspot.ForEach(context.Background(), small, func(ctx context.Context, p int) error {
		return sweetspot.WorkersRange(ctx, s.multiples(p), func(_ context.Context, chunks iter.Seq2[int, int]) error {
			for lo, hi := range chunks {
				s.cross(p, lo, hi)
			}
			return nil
		})
	})
	must(err)
	return filter{s.count, s.collect}.ours(2, n+1)
}

func root(n int) int { return int(math.Sqrt(float64(n))) }

// A sieve says of each number whether it is still taken for a prime.
type sieve []bool

func (s sieve) fill(lo, hi int) {
	for i := lo; i < hi; i++ {
		s[i] = true
	}
}

// multiples returns how many multiples of p the sieve has, from 2p on.
func (s sieve) multiples(p int) int { return (len(s)-1)/p - 1 }

// cross takes the multiples of p that are numbered from lo up to hi out. A number with
// several prime factors may be taken out by several goroutines at once, as in the original:
// all write the same byte.
//
//go:norace
func (s sieve) cross(p, lo, hi int) {
	for i := lo; i < hi; i++ {
		s[(i+2)*p] = false
	}
}

func (s sieve) count(lo, hi int) (n int) {
	for _, prime := range s[lo:hi] {
		if prime {
			n++
		}
	}
	return n
}

func (s sieve) collect(found []int, lo, hi int) {
	n := 0
	for i := lo; i < hi; i++ {
		if s[i] {
			found[n] = i
			n++
		}
	}
}
