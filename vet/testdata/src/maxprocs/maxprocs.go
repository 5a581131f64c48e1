// Package maxprocs sets GOMAXPROCS in many ways.
package maxprocs

import (
	"runtime"
	"sync"

	_ "go.uber.org/automaxprocs" // want `maxprocs/info: since Go 1.25 the runtime keeps to the CPU limit`
)

type group struct{ sync.WaitGroup }

func (*group) SetLimit(int) {}

func init() {
	runtime.GOMAXPROCS(runtime.NumCPU()) // want `maxprocs/quiet: GOMAXPROCS is the number of CPUs by itself; .*: delete the call`
}

func deleted() int {
	// want +2 `quiet:`
	n := 1
	runtime.GOMAXPROCS(runtime.NumCPU())
	n++
	return n
}

func inOneLine() { runtime.GOMAXPROCS(runtime.NumCPU()) } // want `quiet:`

func twoInOneLine(n int) int {
	func() { n++; runtime.GOMAXPROCS(runtime.NumCPU()); n++ }() // want `quiet:`
	return n
}

func ofVariable() int {
	numcpu := runtime.NumCPU()
	runtime.GOMAXPROCS(numcpu) // want `quiet:`
	return numcpu
}

// Deleting the call would leave a variable unused.
func ofVariableOnly() {
	numcpu := runtime.NumCPU()
	runtime.GOMAXPROCS(numcpu) // want `quiet:`
}

// The value is used.
func used() int {
	return runtime.GOMAXPROCS(runtime.NumCPU()) // want `quiet:`
}

func constant() {
	runtime.GOMAXPROCS(1) // want `maxprocs/info: GOMAXPROCS is set to 1 whatever the machine has`
}

func byFlag(procs int) {
	runtime.GOMAXPROCS(procs) // want `maxprocs/hot: GOMAXPROCS set by hand does not follow`
}

// A measurement sets it to one number after the other, and back.
func measured(f func()) {
	for n := 1; n <= runtime.NumCPU(); n *= 2 {
		old := runtime.GOMAXPROCS(n) // want `hot:`
		f()
		runtime.GOMAXPROCS(old)
	}
	runtime.GOMAXPROCS(0)
	println(runtime.GOMAXPROCS(-1), runtime.NumCPU())
}

// What an earlier call has set is undone by another call than this one.
func limit(n int) {
	if n > 0 {
		runtime.GOMAXPROCS(n) // want `hot: `
	} else {
		runtime.GOMAXPROCS(runtime.NumCPU()) // want `quiet: .*: call runtime.SetDefaultGOMAXPROCS to return to that`
	}
}

func restored(f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
}

func workers(f func()) {
	var wg sync.WaitGroup
	for range runtime.NumCPU() { // want `maxprocs/info: as many workers as the machine has CPUs`
		wg.Go(f)
	}
	n := runtime.NumCPU() // want `maxprocs/info: as many workers`
	for i := 0; i < n; i++ {
		wg.Go(f)
	}
	var g group
	g.SetLimit(runtime.NumCPU())                    // want `maxprocs/info: as many workers`
	tokens := make(chan struct{}, runtime.NumCPU()) // want `maxprocs/info: as many workers`
	results := make(chan int, runtime.NumCPU())
	for range runtime.NumCPU() {
		results <- 1
	}
	for range runtime.GOMAXPROCS(0) {
		wg.Go(f)
	}
	tokens <- struct{}{}
	wg.Wait()
}
