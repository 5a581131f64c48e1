//go:build !linux

package run

import "os"

// discard: here, what a job writes stays on disk until its end.
func discard(f *os.File, from, to int64) {}
