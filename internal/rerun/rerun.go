// Package rerun spares a test binary the repetition of long tests whose result does
// not depend on how many CPUs there are, as go test -cpu 1,4 would have it.
package rerun

import (
	"flag"
	"hash/fnv"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var (
	mu     sync.Mutex
	passed = map[string]int{} // on how many CPUs
)

// Skip skips t if it has passed in this process on another number of CPUs. It is for
// what runs in one goroutine and draws from seeds: simulations, data structures.
func Skip(t *testing.T) {
	t.Helper()
	cpus := runtime.GOMAXPROCS(0)
	mu.Lock()
	defer mu.Unlock()
	if on, ok := passed[t.Name()]; ok && on != cpus {
		t.Skipf("it has passed on %d CPUs", on)
	}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if !t.Failed() && !t.Skipped() {
			passed[t.Name()] = cpus
		}
	})
}

// Serial skips t under the race detector, and as [Skip] does without. It is for long simulations
// and long records, each in one goroutine that has nobody to race with, in packages that make test
// tests.
func Serial(t *testing.T) {
	t.Helper()
	if Raced {
		t.Skip("it runs in one goroutine: make test runs it without the race detector")
	}
	Skip(t)
}

// Share runs t on one of the numbers of CPUs only that go test -cpu lists: which one
// is drawn by its name, but on the last whatever has not passed before. It is for many
// tests of one kind that take long: some of them show on each number of CPUs what all
// would show.
func Share(t *testing.T) {
	t.Helper()
	Skip(t)
	list := strings.Split(flag.Lookup("test.cpu").Value.String(), ",")
	h := fnv.New32a()
	h.Write([]byte(t.Name()))
	turn := list[h.Sum32()%uint32(len(list))]
	if now := strconv.Itoa(runtime.GOMAXPROCS(0)); slices.Contains(list, now) && now != turn && now != list[len(list)-1] {
		t.Skipf("it is for %s CPUs", turn)
	}
}
