package pitfalls

import "runtime"

// A pitfall is a work in several forms, of which the first is the one that vet
// warns of.
type pitfall struct {
	check string // of vet, and the name of its page
	work  string
	item  string // what n counts
	n     int    // of a measurement
	make  func(n int) []form
}

// A form is one way to do a work. All forms of a work return the same number, so
// that a test can hold them against one another and nothing is optimised away.
type form struct {
	name string
	run  func() int
	// figure, if there is one, is measured instead of the time of run, in
	// nanoseconds.
	figure func() float64
}

// procs is how many workers the forms have that choose the number by themselves.
func procs() int { return runtime.GOMAXPROCS(0) }

func pitfalls() []pitfall {
	return []pitfall{
		sumInSlots(), stripesForAll(), stripesOfOne(), sortRecursively(), callRecursively(),
		generate(), handOut(), stages(), collect(), visitTree(), scaleRows(), waitForAll(),
	}
}
