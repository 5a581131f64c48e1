package run

import (
	"fmt"
	"os"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// filesOfJob is how many files must be left to us for one job at a time: two for
// its output and one for its input, two to start it, and one for what is read for a
// moment, such as the memory that is left.
// With --pipe, a job that waits to start has a block too, and more are cut ahead.
// A whole run of one job at a time has some filesOfRun.
const (
	filesOfJob  = 6
	filesOfPipe = 6
	filesOfRun  = 45
)

// spareFiles returns a quarter of the files that we may open beyond those of a run of one job,
// from 1 to most.
func spareFiles(most int64) int { return int(min(max((spool.MostFiles()-filesOfRun)/4, 1), most)) }

// enoughFiles returns an error if we cannot have so many files open: then no job
// would ever start, and waiting for one to end is of no use.
func enoughFiles(n int) error {
	var open []*os.File
	defer func() {
		for _, f := range open {
			f.Close()
		}
	}()
	for len(open) < n {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return fmt.Errorf("cannot have %d files open for a job: %w; see ulimit -n, of which a run needs some %d", n, bare(err), filesOfRun)
		}
		open = append(open, f)
	}
	return nil
}
