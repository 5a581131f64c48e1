package run

import (
	"math"
	"os"
)

// newSpoolFile makes a temporary file, which keeps its name while it is open.
func newSpoolFile() (*os.File, error) { return createTemp() }

func closeSpoolFile(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

func fileLimit() int64 { return math.MaxInt64 }

// openFiles is how many files we may have open: Windows sets no bound that we meet.
func openFiles() int64 { return math.MaxInt64 }

// takesAtOnce reports false: nobody says whether a pipe has room.
func takesAtOnce() bool { return false }
