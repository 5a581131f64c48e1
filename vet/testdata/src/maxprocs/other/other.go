// Package other sets GOMAXPROCS to other numbers, too. A call that undoes that is needed:
// no fix.
package other

import "runtime"

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

func restoredLater(f func()) {
	runtime.GOMAXPROCS(1) // want `info:`
	defer func() {
		runtime.GOMAXPROCS(runtime.NumCPU()) // want `quiet: .*: call runtime.SetDefaultGOMAXPROCS`
	}()
	f()
}

func restoredElsewhere() {
	runtime.GOMAXPROCS(runtime.NumCPU()) // want `quiet: .*: call runtime.SetDefaultGOMAXPROCS`
}
