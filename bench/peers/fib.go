package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// slow is the function Slow of the article "Goroutines Are Cheap, but Not Free".
func slow(i int) int {
	if i < 2 {
		return i
	}
	return slow(i-1) + slow(i-2)
}

func joined(j *sweetspot.Joiner, i int) int {
	if i < 2 {
		return i
	}
	a, b := sweetspot.JoinSerial(j, joined, slow, i-1, i-2)
	return a + b
}

// toDepth starts goroutines down to a depth, which its user must find by trying.
func toDepth(i, depth int) int {
	if i < 2 || depth == 0 {
		return slow(i)
	}
	var a int
	var wg sync.WaitGroup
	wg.Go(func() { a = toDepth(i-1, depth-1) })
	b := toDepth(i-2, depth-1)
	wg.Wait()
	return a + b
}

// inTurn has as many goroutines as there are CPUs take parts of the recursion, for
// each the next one, and looks out for the end of the others without a rest: it is
// the least that a computation takes whose threads must be woken.
func inTurn(parts []int, goroutines int) int {
	var next, sum, left atomic.Int64
	left.Store(int64(len(parts)))
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(parts) {
				return
			}
			sum.Add(int64(slow(parts[i])))
			left.Add(-1)
		}
	}
	for range goroutines - 1 {
		go work()
	}
	go decoy()
	work()
	for left.Load() > 0 {
		runtime.Gosched()
	}
	return int(sum.Load())
}

// decoy is the last goroutine that is started: the runtime keeps that one for
// the thread that started it, and lets others take it only after a short sleep.
func decoy() {}

// awaitHelp computes slow(n) until a goroutine started at once runs beside it: so long
// does it take to have a second thread.
func awaitHelp(n int) task {
	return task{run: func() error {
		var came atomic.Bool
		go came.Store(true)
		go decoy()
		until(&came, n)
		return nil
	}}
}

// until is slow, but ends soon after came is true.
func until(came *atomic.Bool, i int) {
	const look = 14 // some microseconds
	switch {
	case came.Load():
	case i <= look:
		computed.Add(int64(slow(i)))
	default:
		until(came, i-1)
		until(came, i-2)
	}
}

// computed keeps the compiler from leaving out what nobody needs.
var computed atomic.Int64

// fibCalls returns about how many calls of slow slow(i) makes.
func fibCalls(i int) int {
	a, b := 1, 1
	for range i {
		a, b = b, a+b
	}
	return a
}

// fib computes a Fibonacci number; a short one also right after another.
func fib(n int, short bool) recursion {
	r := recursion{name: fmt.Sprintf("fib(%d)", n), others: []string{toDepthRow, inTurnRow}, set: func(parts int) ways {
		share := shares(parts, n, func(i int) []int {
			if i < 2 {
				return nil
			}
			return []int{i - 1, i - 2}
		}, fibCalls)
		pieces := slices.Concat(share...)
		slices.SortFunc(pieces, func(a, b int) int { return b - a })
		return ways{
			serial: func() int { return slow(n) },
			join:   func() int { return joined(sweetspot.NewJoiner(), n) },
			halves: func(part int) (sum int) {
				for _, i := range share[part] {
					sum += slow(i)
				}
				return sum
			},
			others: map[string]func() int{
				toDepthRow: func() int { return toDepth(n, 6) },
				inTurnRow:  func() int { return inTurn(pieces, parts) },
			},
		}
	}}
	if short {
		r.awake = []string{joinRow, toDepthRow, inTurnRow}
	}
	return r
}
