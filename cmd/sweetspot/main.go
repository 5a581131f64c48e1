// Command sweetspot runs jobs, and finds how many to run at a time.
//
// See sweetspot --help, and the README beside this file.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

// gcPercent spares small jobs some of the collections: our heap is a few
// megabytes at any time, and starting a process allocates some kilobytes. With
// Go's default of 100 the collector takes 3 % of the CPU time of 2,000 jobs of
// true. GOGC overrides it.
const gcPercent = 400

func main() {
	vetcmd.Main(os.Args[1:]) // returns, unless go vet has started us
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(exitCode(root().Execute()))
}

// exitCode reports err and returns the exit code that it stands for: 255 for
// errors of ours, as GNU parallel has it, since smaller numbers count failed
// jobs.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	code := 255
	if e, ok := errors.AsType[*exitcode.Error](err); ok {
		code = e.Code
	}
	if msg := err.Error(); msg != "" {
		fmt.Fprintln(os.Stderr, "sweetspot: "+msg)
	}
	return code
}
