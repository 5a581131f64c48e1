package spool

import (
	"math"
	"os"
)

// NewFile makes a temporary file, which keeps its name while it is open.
func NewFile() (*os.File, error) { return createTemp() }

// CloseFile closes what [NewFile] has made, and leaves nothing behind.
func CloseFile(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

func fileLimit() int64 { return math.MaxInt64 }

// MostFiles is how many files we may have open: Windows sets no bound that we meet.
func MostFiles() int64 { return math.MaxInt64 }
