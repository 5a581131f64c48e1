// Package maxprocs sets GOMAXPROCS to the number of CPUs in many ways, and to no other.
package maxprocs

import (
	"runtime"
	"sync"

	_ "go.uber.org/automaxprocs" // want `maxprocs/info: since Go 1.25 the runtime keeps to the CPU limit`
)

type group struct{ sync.WaitGroup }

func (*group) SetLimit(int) {}

func init() {
	runtime.GOMAXPROCS(runtime.NumCPU()) // want `maxprocs/quiet: GOMAXPROCS is the number of CPUs by default; .*: delete the call`
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
	func() { n++; runtime.GOMAXPROCS(runtime.NumCPU()); n++ }()                                  // want `quiet:`
	func() { runtime.GOMAXPROCS(runtime.NumCPU()); runtime.GOMAXPROCS(runtime.NumCPU()); n++ }() // want `quiet:` `quiet:`
	func() { runtime.GOMAXPROCS(runtime.NumCPU()); /* twice */ n++; n++ }()                      // want `quiet:`
	return n
}

// To delete a remark is for people to decide.
func remarked() {
	runtime.GOMAXPROCS( /* all */ runtime.NumCPU()) // want `quiet:`
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

// An assignment does not use a variable, and a call that the same fix deletes will not.
func ofVariableSet() {
	var numcpu int
	(numcpu) = runtime.NumCPU()
	runtime.GOMAXPROCS(numcpu) // want `quiet:`
}

func ofVariableTwice(f func()) {
	numcpu := runtime.NumCPU()
	runtime.GOMAXPROCS(numcpu) // want `quiet:`
	f()
	runtime.GOMAXPROCS((numcpu)) // want `quiet:`
}

// The value is used.
func used() int {
	return runtime.GOMAXPROCS(runtime.NumCPU()) // want `quiet:`
}

// It only asks, or sets what was there.
func asked(f func()) {
	old := runtime.GOMAXPROCS(0)
	f()
	runtime.GOMAXPROCS(old)
	println(runtime.GOMAXPROCS(-1), runtime.NumCPU())
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
