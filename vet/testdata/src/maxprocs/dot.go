package maxprocs

import . "runtime"

// Nobody knows whether anything else uses the import: no fix.
func dot() {
	GOMAXPROCS(NumCPU()) // want `maxprocs/quiet: GOMAXPROCS is the number of CPUs by default`
}
