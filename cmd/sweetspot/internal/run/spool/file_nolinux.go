//go:build unix && !linux

package spool

import "os"

// NewFile makes a temporary file and removes its name.
func NewFile() (*os.File, error) { return createUnlinked() }
