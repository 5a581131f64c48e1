package lab

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// The sums of the article "Slow down your code with goroutines", written from its
// description.
//
// Each hot loop is a function of its own that is not inlined, and all variants
// call the same three. A loop of a few bytes takes twice as long where it
// straddles a cache line of the code, and would otherwise decide between
// variants by where the compiler happens to lay their copy of it.

// million is the unit of the sizes of these experiments. The article's limit of
// 10,000 million does not fit into the int of a 32-bit machine.
const million = 1_000_000

// sum adds the numbers from lo up to hi in a register.
//
//go:noinline
func sum(lo, hi int64) int64 {
	var s int64
	for i := lo; i < hi; i++ {
		s += i
	}
	return s
}

// addTo adds them to an element of a slice. The compiler must store each sum,
// because others could see it.
//
//go:noinline
func addTo(sums []int64, at int, lo, hi int64) {
	for i := lo; i < hi; i++ {
		sums[at] += i
	}
}

// addAtomicallyTo does so in one step that no other CPU can interrupt.
//
//go:noinline
func addAtomicallyTo(sums []int64, at int, lo, hi int64) {
	for i := lo; i < hi; i++ {
		atomic.AddInt64(&sums[at], i)
	}
}

// sumBelow is what the sum of the numbers below limit must be. Like the sums it
// is taken modulo 2^64.
func sumBelow(limit int64) int64 {
	high, low := bits.Mul64(uint64(limit), uint64(max(limit-1, 0)))
	return int64(high<<63 | low>>1)
}

// share returns the part of the numbers below limit that the i-th of n goroutines
// adds. The parts cover them all, the remainder of the division too.
func share(limit int64, i, n int) (lo, hi int64) {
	return limit * int64(i) / int64(n), limit * int64(i+1) / int64(n)
}

// word is the size of a sum.
const word = 8

// aligned is the alignment of the first slot, and so the widest stride at which
// it is known which slots share a line.
const aligned = 256

// slots returns room for n sums that lie stride bytes apart, the first one at the
// beginning of a cache line. The sum i is at element i*stride/word.
func slots(n, stride int) []int64 {
	all := make([]int64, (n*stride+2*aligned)/word)
	skip := 0
	for uintptr(unsafe.Pointer(&all[skip]))%aligned != 0 {
		skip++
	}
	return all[skip:]
}

// sumTask is the sum of the numbers below limit. The figure is the time
// of an addition.
func sumTask(label string, limit int64, total func() (int64, error)) (task, error) {
	return making(total, func(got int64) error {
		if want := sumBelow(limit); got != want {
			return fmt.Errorf("%s: the sum of the numbers below %d is %d, want %d", label, limit, got, want)
		}
		return nil
	}, func(took time.Duration) float64 { return float64(took.Nanoseconds()) / float64(limit) }), nil
}

// millionsPoint measures a function that adds up the numbers below the n-th
// million.
func millionsPoint(label string, total func(limit int64) (int64, error)) point {
	return point{label: label, unit: "ns/add", set: func(n int) (task, error) {
		limit := int64(n) * million
		return sumTask(label, limit, func() (int64, error) { return total(limit) })
	}}
}

func serialSum() point {
	return millionsPoint("serial", func(limit int64) (int64, error) { return sum(0, limit), nil })
}

// slotPoint has each of g goroutines add its share to a slot of its own. The numbers are
// those below the n-th million divided by less.
func slotPoint(label string, stride, less, g int, add func(sums []int64, at int, lo, hi int64)) point {
	var size func(n int) string
	if less != 1 {
		size = func(n int) string { return millions(int64(n) * million / int64(less)) }
	}
	return point{label: label, unit: "ns/add", size: size, set: func(n int) (task, error) {
		limit := int64(n) * million / int64(less)
		sums := slots(g, stride)
		t, err := sumTask(label, limit, func() (int64, error) {
			addShares(sums, stride/word, limit, g, add)
			var s int64
			for i := range g {
				s += sums[i*stride/word]
			}
			return s, nil
		})
		t.before = func() error {
			clear(sums)
			return nil
		}
		return t, err
	}}
}

// millions says how many numbers there are in the unit of the sizes of these
// experiments, unless there is a remainder.
func millions(numbers int64) string {
	if numbers%million == 0 {
		return humanize.Grouped(numbers/million) + " million numbers"
	}
	return humanize.Grouped(numbers) + " numbers"
}

func addShares(sums []int64, stride int, limit int64, n int, add func(sums []int64, at int, lo, hi int64)) {
	if n == 1 {
		add(sums, 0, 0, limit)
		return
	}
	goroutines(n, func(i int) {
		lo, hi := share(limit, i, n)
		add(sums, i*stride, lo, hi)
	})
}

// sumByChannel has one goroutine per CPU send the sum of its share.
func sumByChannel(limit int64) int64 {
	n := runtime.GOMAXPROCS(0)
	sums := make(chan int64)
	for i := range n {
		go func() { sums <- sum(share(limit, i, n)) }()
	}
	var s int64
	for range n {
		s += <-sums
	}
	return s
}

// sumBlock is how many numbers ReduceRange takes for one. It counts in int, which
// ends before the article's limit on 32-bit machines.
const sumBlock = 1000

// sumByReduce is the answer to all of them. The sum of a range is in a register,
// and that of a goroutine in the goroutine.
func sumByReduce(limit int64) (int64, error) {
	return sweetspot.ReduceRange(context.Background(), int((limit+sumBlock-1)/sumBlock),
		func() int64 { return 0 },
		func(_ context.Context, s int64, lo, hi int) (int64, error) {
			return s + sum(int64(lo)*sumBlock, min(int64(hi)*sumBlock, limit)), nil
		},
		func(a, b int64) int64 { return a + b })
}

func ourSum() point {
	return millionsPoint("ReduceRange", sumByReduce).asOurs()
}

// loopNote says how the loops are compared.
const loopNote = "All variants call the same loops, which are functions of their own. Otherwise the place where the compiler puts a copy of such a short loop would change its time by up to a factor of two."
