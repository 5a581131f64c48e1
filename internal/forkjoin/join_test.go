package forkjoin_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/forkjoin"
)

// A jtree is a tree to be summed by Join.
type jtree struct {
	left, right *jtree
	value       int
}

// growTree returns a tree of n nodes with the values from to from+n-1. split says
// how many of the nodes below one are on the left.
func growTree(from, n int, split func(n int) int) *jtree {
	if n == 0 {
		return nil
	}
	k := split(n - 1)
	return &jtree{growTree(from+1, k, split), growTree(from+1+k, n-1-k, split), from}
}

func sumTree(t *jtree) int {
	if t == nil {
		return 0
	}
	return sumTree(t.left) + t.value + sumTree(t.right)
}

func joinTree(j *joiner, t *jtree) int {
	if t == nil {
		return 0
	}
	l, r := join(j, joinTree, t.left, t.right)
	return l + t.value + r
}

func joinTreeSerial(j *joiner, t *jtree) int {
	if t == nil {
		return 0
	}
	l, r := joinSerial(j, joinTreeSerial, sumTree, t.left, t.right)
	return l + t.value + r
}

// shapes are ways to split a tree.
var shapes = []struct {
	name  string
	split func(n int) int
}{
	{"balanced", func(n int) int { return n / 2 }},
	{"left", func(n int) int { return n }},
	{"right", func(int) int { return 0 }},
	{"zigzag", func(n int) int { return n * (n % 2) }},
	{"random", func(n int) int { return rand.IntN(n + 1) }},
	{"one to nine", func(n int) int { return n / 10 }},
	{"nine to one", func(n int) int { return n - n/10 }},
	{"five on the left", func(n int) int { return min(n, 5) }},
	{"five on the right", func(n int) int { return n - min(n, 5) }},
}

// joiners are ways to bound a joiner.
func joiners() map[string]*joiner {
	return map[string]*joiner{
		"GOMAXPROCS goroutines": newJoiner(runtime.GOMAXPROCS(0)),
		"1 goroutine":           newJoiner(1),
		"2 goroutines":          newJoiner(2),
		"7 goroutines":          newJoiner(7),
		"3 permits":             newJoinerUnder(permits(3)),
		"no permit":             newJoinerUnder(permits(0)),
	}
}

func TestJoinResults(t *testing.T) {
	for name, j := range joiners() {
		for _, shape := range shapes {
			for _, n := range []int{0, 1, 2, 3, 100, 5_000} {
				tree := growTree(1, n, shape.split)
				want := n * (n + 1) / 2
				if got := joinTree(j, tree); got != want {
					t.Errorf("%s, %s: Join sums %d nodes to %d, want %d", name, shape.name, n, got, want)
				}
				if got := joinTreeSerial(j, tree); got != want {
					t.Errorf("%s, %s: JoinSerial sums %d nodes to %d, want %d", name, shape.name, n, got, want)
				}
			}
		}
	}
}

// Each result is that of the half in its place, whichever ran first.
func TestJoinKeepsOrder(t *testing.T) {
	type span [2]int
	serial := func(s span) span { return s }
	for name, j := range joiners() {
		for _, shape := range shapes {
			var f func(*joiner, span) span
			f = func(j *joiner, s span) span {
				if s[1]-s[0] < 2 {
					return s
				}
				mid := s[0] + 1 + shape.split(s[1]-s[0]-2)
				a, b := joinSerial(j, f, serial, span{s[0], mid}, span{mid, s[1]})
				if a != (span{s[0], mid}) || b != (span{mid, s[1]}) {
					panic(fmt.Sprintf("halves of %v at %d: %v, %v", s, mid, a, b))
				}
				return s
			}
			if got, want := f(j, span{0, 5_000}), (span{0, 5_000}); got != want {
				t.Errorf("%s, %s: %v, want %v", name, shape.name, got, want)
			}
		}
	}
}

// sleepers returns a function that divides n into halves and sleeps a second for
// each leaf, and the most that ran at a time.
func sleepers() (f func(*joiner, int) int, most *atomic.Int64) {
	var now atomic.Int64
	most = new(atomic.Int64)
	f = func(j *joiner, n int) int {
		if n == 1 {
			k := now.Add(1)
			for m := most.Load(); k > m && !most.CompareAndSwap(m, k); m = most.Load() {
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return 1
		}
		a, b := join(j, f, n/2, n-n/2)
		return a + b
	}
	return f, most
}

func TestJoinUsesItsGoroutines(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			forkjoin.Forget()
			synctest.Test(t, func(t *testing.T) {
				j := newJoiner(n)
				f, most := sleepers()
				for range 3 {
					began := time.Now()
					if got := f(j, 64); got != 64 {
						t.Errorf("%d leaves, want 64", got)
					}
					ideal := time.Duration((64+n-1)/n) * time.Second
					if took := time.Since(began); took < ideal || took > 2*ideal {
						t.Errorf("took %v, want %v or little more", took, ideal)
					}
				}
				if got := most.Load(); got != int64(n) {
					t.Errorf("%d leaves at a time, want %d", got, n)
				}
				if free, waiting := j.Slots(); free != n-1 || waiting {
					t.Errorf("%d slots are free afterwards, a goroutine waits: %t; want %d, false", free, waiting, n-1)
				}
			})
		})
	}
}

// Recursions of several types may use one Joiner, one inside the other.
func TestJoinOfSeveralTypes(t *testing.T) {
	type odd struct{ n int }
	type even int
	var f func(*joiner, odd) string
	var g func(*joiner, even) int
	f = func(j *joiner, x odd) string {
		if x.n < 2 {
			return "1"
		}
		a, b := join(j, g, even(x.n-1), even(x.n-2))
		return strings.Repeat("1", a+b)
	}
	g = func(j *joiner, x even) int {
		if x < 2 {
			return 1
		}
		a, b := join(j, f, odd{int(x) - 1}, odd{int(x) - 2})
		return len(a) + len(b)
	}
	for name, j := range joiners() {
		if got := g(j, 18); got != 4181 {
			t.Errorf("%s: %d, want 4181", name, got)
		}
	}
}

var errLeaf = errors.New("leaf")

func TestJoinPanics(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		for bad := range 8 {
			t.Run(fmt.Sprintf("Fixed(%d), leaf %d", n, bad), func(t *testing.T) {
				forkjoin.Forget()
				synctest.Test(t, func(t *testing.T) {
					j := newJoiner(n)
					running, f := failing(bad, func() { panic(errLeaf) })
					value := func() (value any) {
						defer func() { value = recover() }()
						f(j, [2]int{0, 8})
						return nil
					}()
					wrapped, ok := value.(*panicError)
					switch {
					case !ok && value != errLeaf:
						t.Errorf("recovered %v, want %v", value, errLeaf)
					case n == 1 && ok:
						t.Error("a panic in the caller's goroutine is wrapped")
					case ok && wrapped.Value != errLeaf:
						t.Errorf("recovered a panic with %v, want %v", wrapped.Value, errLeaf)
					case ok && !strings.Contains(string(wrapped.Stack), "TestJoinPanics"):
						t.Errorf("the stack does not show who panicked:\n%s", wrapped.Stack)
					}
					usable(t, j, running, n)
				})
			})
		}
	}
}

func TestJoinGoexit(t *testing.T) {
	for _, n := range []int{1, 2, 4} {
		for bad := range 8 {
			forkjoin.Forget()
			synctest.Test(t, func(t *testing.T) {
				j := newJoiner(n)
				running, f := failing(bad, runtime.Goexit)
				returned := true
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					returned = false
					f(j, [2]int{0, 8})
					returned = true
				}()
				<-gone
				if returned {
					t.Errorf("Fixed(%d): leaf %d calls Goexit, and Join returns", n, bad)
				}
				usable(t, j, running, n)
			})
		}
	}
}

// failing returns a function that divides [lo, hi) down to leaves, which sleep,
// and one of which fails, and the number of leaves running.
func failing(bad int, fail func()) (running *atomic.Int64, f func(*joiner, [2]int) int) {
	running = new(atomic.Int64)
	f = func(j *joiner, r [2]int) int {
		lo, hi := r[0], r[1]
		if hi-lo > 1 {
			mid := (lo + hi) / 2
			a, b := join(j, f, [2]int{lo, mid}, [2]int{mid, hi})
			return a + b
		}
		running.Add(1)
		defer running.Add(-1)
		time.Sleep(time.Duration(lo+1) * time.Second)
		if lo == bad {
			fail()
		}
		return 1
	}
	return running, f
}

// usable checks that nothing is left of a computation that ended early, and that
// its Joiner is as good as new.
func usable(t *testing.T, j *joiner, running *atomic.Int64, n int) {
	t.Helper()
	if got := running.Load(); got != 0 {
		t.Errorf("%d leaves still run", got)
	}
	if free, waiting := j.Slots(); free != n-1 || waiting {
		t.Errorf("%d slots are free, a goroutine waits: %t; want %d, false", free, waiting, n-1)
	}
	f, most := sleepers()
	if got := f(j, 16); got != 16 {
		t.Errorf("%d leaves, want 16", got)
	}
	if got := most.Load(); got != int64(n) {
		t.Errorf("%d leaves at a time, want %d", got, n)
	}
}

// What panics may be recovered anywhere, and joining go on.
func TestJoinRecoveredInTheMiddle(t *testing.T) {
	for name, j := range joiners() {
		var f func(*joiner, int) int
		f = func(j *joiner, n int) (sum int) {
			if n == 0 {
				panic(errLeaf)
			}
			defer func() {
				if v := recover(); v != nil {
					a, b := join(j, f, min(n-1, 1), min(n-1, 1))
					sum = 1 + a + b
				}
			}()
			if n == 1 {
				return 1
			}
			a, b := join(j, f, n-1, n-2)
			return a + b
		}
		want := 0
		for n, fib := 1, [2]int{1, 3}; n < 18; n++ { // f(2) recovers one panic
			want = fib[0]
			fib = [2]int{fib[1], fib[0] + fib[1]}
		}
		if got := f(j, 17); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// counted returns joinTreeSerial that calls also, if it is given, and the number of its calls.
func counted(also func()) (f func(*joiner, *jtree) int, calls *int) {
	calls = new(int)
	f = func(j *joiner, t *jtree) int {
		*calls++
		if also != nil {
			also()
		}
		if t == nil {
			return 0
		}
		l, r := joinSerial(j, f, sumTree, t.left, t.right)
		return l + t.value + r
	}
	return f, calls
}

// A list is not a tree: almost all of it must go to serial, whichever half is the
// rest, and although no half ever shows how long the rest takes. Under synctest
// computing takes no time, so what is decided does not depend on the machine.
func TestJoinSerialSeesLists(t *testing.T) {
	for _, name := range []string{"left", "right", "zigzag"} {
		for _, shape := range shapes {
			if shape.name != name {
				continue
			}
			forkjoin.Forget()
			synctest.Test(t, func(t *testing.T) {
				const nodes = 10_000
				tree := growTree(1, nodes, shape.split)
				f, calls := counted(nil)
				j := newJoiner(2).Busy() // calls are not shared
				if got, want := f(j, tree), nodes*(nodes+1)/2; got != want {
					t.Errorf("%s: sum %d, want %d", name, got, want)
				}
				if *calls > 250 {
					t.Errorf("%s: f was called %d times for %d nodes", name, *calls, nodes)
				}
			})
		}
	}
}

// A list whose items are worth a Join does not hide one whose items are not.
func TestJoinSerialSeesListsAfterOthers(t *testing.T) {
	for _, shape := range shapes[1:4] {
		forkjoin.Forget()
		synctest.Test(t, func(t *testing.T) {
			const nodes = 2_000
			j := newJoiner(2).Busy()
			heavy := true
			f, calls := counted(func() {
				if heavy {
					time.Sleep(2 * time.Microsecond)
				}
			})
			list := growTree(1, nodes, shape.split)
			for range 20 {
				f(j, list)
			}
			heavy = false
			for range 20 {
				*calls = 0
				f(j, list)
			}
			if *calls > 250 {
				t.Errorf("%s: f was called %d times for %d nodes", shape.name, *calls, nodes)
			}
		})
	}
}

// Most of a tree goes to serial, too, once some of it is known.
func TestJoinSerialDivides(t *testing.T) {
	for _, shape := range shapes {
		forkjoin.Forget()
		synctest.Test(t, func(t *testing.T) {
			const nodes = 10_000
			tree := growTree(1, nodes, shape.split)
			f, calls := counted(nil)
			f(newJoiner(2).Busy(), tree)
			if *calls > nodes/5 {
				t.Errorf("%s: f was called %d times for %d nodes", shape.name, *calls, nodes)
			}
		})
	}
}

// Nearly all Joins of a computation of next to no time are plain, whatever the
// shape of the tree.
func TestMostJoinsArePlain(t *testing.T) {
	for _, shape := range shapes {
		forkjoin.Forget()
		synctest.Test(t, func(t *testing.T) {
			const nodes = 10_000
			tree := growTree(1, nodes, shape.split)
			j := newJoiner(2).Busy()
			joinTree(j, tree)
			j.promotable = 0
			joinTree(j, tree)
			if j.promotable > nodes/50 {
				t.Errorf("%s: %d of %d Joins are promotable", shape.name, j.promotable, nodes)
			}
		})
	}
}

// A large half is shared although the half before it was next to nothing, so that
// its first Joins are plain.
func TestJoinSharesLargeAfterSmall(t *testing.T) {
	const leaves, leaf = 1 << 16, 50 * time.Nanosecond
	forkjoin.Forget()
	synctest.Test(t, func(t *testing.T) {
		j := newJoiner(2)
		var f func(*joiner, int) int
		f = func(j *joiner, n int) int {
			if n < 2 {
				time.Sleep(leaf)
				return n
			}
			a, b := join(j, f, n/2, n-n/2)
			return a + b
		}
		for range 3 {
			began := time.Now()
			j.Do(func(j *joiner) { f(j, 2) }, func(j *joiner) { f(j, leaves) })
			if took := time.Since(began); took > leaves*leaf*7/10 {
				t.Errorf("took %v, want about half of %v", took, leaves*leaf)
			}
		}
	})
}

func TestJoinAlone(t *testing.T) {
	f := func(*joiner, int) int { panic("f was called") }
	serial := func(x int) int { return 2 * x }
	j := newJoiner(1)
	if a, b := joinSerial(j, f, serial, 3, 4); a != 6 || b != 8 {
		t.Errorf("%d, %d; want 6, 8", a, b)
	}
}

func TestJoinAllocatesNothingInline(t *testing.T) {
	j := newJoiner(2).Busy()
	tree := growTree(1, 2_000, func(n int) int { return n / 2 })
	for name, f := range map[string]func(*joiner, *jtree) int{
		"Join": joinTree, "JoinSerial": joinTreeSerial,
	} {
		for range 100 { // learns
			f(j, tree)
		}
		if got := testing.AllocsPerRun(100, func() { f(j, tree) }); got > 0 {
			t.Errorf("%s: %v allocations in 2,000 Joins, want none", name, got)
		}
	}
}

// A Joiner does not keep alive what it was given.
func TestJoinForgets(t *testing.T) {
	j := newJoiner(2)
	gone := make(chan struct{})
	func() {
		big := growTree(1, 100, func(n int) int { return n / 2 })
		runtime.AddCleanup(big.right, func(c chan struct{}) { close(c) }, gone)
		joinTree(j, big)
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(j)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Error("the Joiner keeps the tree alive")
}

func TestJoinLayout(t *testing.T) {
	if before, behind := forkjoin.Layout(); before < 128 || behind < 128 {
		t.Errorf("%d bytes before and %d behind what all read, want 128", before, behind)
	}
}
