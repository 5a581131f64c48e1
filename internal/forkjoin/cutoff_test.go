package forkjoin_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/forkjoin"
)

// TestJoinSerialStartsEarlyWhatLasts computes a Fibonacci number, each leaf of which
// takes some time. What the first calls of it do could all go to the serial form, but
// a function that is known to last must not wait for the larger ones to be seen again.
func TestJoinSerialStartsEarlyWhatLasts(t *testing.T) {
	const leaf = 3 * time.Nanosecond // fib(27) then takes a millisecond
	leaves := func(n int) time.Duration {
		a, b := 1, 1
		for range n {
			a, b = b, a+b
		}
		return time.Duration(a)
	}
	serial := func(n int) int {
		time.Sleep(leaves(n) * leaf)
		return n
	}
	synctest.Test(t, func(t *testing.T) {
		forkjoin.Forget()
		j := newJoiner(2)
		var began time.Time
		var moved atomic.Int64 // after what time, ns
		var f func(k *joiner, n int) int
		f = func(k *joiner, n int) int {
			if k != j {
				moved.CompareAndSwap(0, max(1, int64(time.Since(began))))
			}
			if n < 2 {
				time.Sleep(leaf)
				return n
			}
			joinSerial(k, f, serial, n-1, n-2)
			return n
		}
		for i := range 6 {
			began = time.Now()
			moved.Store(0)
			f(j, 27)
			at, took := time.Duration(moved.Load()), time.Since(began)
			if i >= 3 && (at == 0 || at > 25*time.Microsecond) {
				t.Errorf("call %d of %v: a half moved after %v", i, took, at)
			}
		}
	})
}

// TestCutoffTellsTreesFromLists has a cutoff learn the halves of both.
func TestCutoffTellsTreesFromLists(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		tree, list := new(forkjoin.Cutoff), new(forkjoin.Cutoff)
		for range 3 {
			for first := time.Microsecond; first < time.Millisecond; first *= 2 {
				tree.Learn(reversed, first, first*5/8)
				list.Learn(reversed, first, time.Microsecond)
			}
		}
		for _, first := range []time.Duration{5 * time.Microsecond, 20 * time.Microsecond} {
			if !tree.Piece(reversed, first) || !tree.Larger(reversed, first) {
				t.Errorf("reversed %t, tree, beside %v: a piece is %t, may be larger %t", reversed, first, tree.Piece(reversed, first), tree.Larger(reversed, first))
			}
			if !list.Piece(reversed, first) || list.Larger(reversed, first) {
				t.Errorf("reversed %t, list, beside %v: a piece is %t, may be larger %t", reversed, first, list.Piece(reversed, first), list.Larger(reversed, first))
			}
		}
		if tree.Larger(!reversed, 0) {
			t.Error("what was learnt of one half is used for the other")
		}
	}
}

// TestJoinSerialKeepsPiecesSmall computes a Fibonacci number whose thread is now and
// then interrupted in a small piece, which nobody times. The error of the clock that
// comes of it must not teach that large halves are small: who waits for work would
// wait until they are over.
func TestJoinSerialKeepsPiecesSmall(t *testing.T) {
	const leaf = 3 * time.Nanosecond
	leaves := func(n int) time.Duration {
		a, b := 1, 1
		for range n {
			a, b = b, a+b
		}
		return time.Duration(a)
	}
	synctest.Test(t, func(t *testing.T) {
		forkjoin.Forget()
		j := newJoiner(2).Busy()
		random := rand.New(rand.NewPCG(1, 2))
		calls, pieces, large := 0, 0, 0
		serial := func(n int) int {
			took := leaves(n) * leaf
			if calls > 3 {
				pieces++
				if took > 100*time.Microsecond {
					large++
				}
			}
			if n < 12 && random.IntN(20) == 0 {
				took += 30 * time.Microsecond
			}
			time.Sleep(took)
			return n
		}
		var f func(k *joiner, n int) int
		f = func(k *joiner, n int) int {
			if n < 2 {
				time.Sleep(leaf)
				return n
			}
			joinSerial(k, f, serial, n-1, n-2)
			return n
		}
		for ; calls < 60; calls++ {
			f(j, 27)
		}
		const most = 8 // an interruption may fall into a half that is timed
		if large > most || pieces == 0 {
			t.Errorf("%d of %d pieces take more than 0.1 ms, want at most %d", large, pieces, most)
		}
	})
}
