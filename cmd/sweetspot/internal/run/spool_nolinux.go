//go:build unix && !linux

package run

import "os"

// newSpoolFile makes a temporary file and removes its name.
func newSpoolFile() (*os.File, error) { return createUnlinked() }
