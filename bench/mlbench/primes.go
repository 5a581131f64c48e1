package main

import (
	"context"
	"math"
	"slices"
)

func primes() problem {
	return problem{"primes", "the primes up to n, by a sieve", []int{20_000_000, 1_000_000}, func(n int) solutions {
		return compare(slices.Equal, func(form int) []int { return primesUpTo(form, n) })
	}}
}

func primesUpTo(form, n int) []int {
	if n < 2 {
		return nil
	}
	small := primesUpTo(form, int(math.Sqrt(float64(n))))
	s := make(sieve, n+1)
	loop(context.Background(), form, grain, n+1, s.fill)
	each(form, small, func(ctx context.Context, p int) {
		loop(ctx, form, grain, s.multiples(p), func(lo, hi int) { s.cross(p, lo, hi) })
	})
	return filter{s.count, s.collect}.in(form, 2, n+1)
}

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
