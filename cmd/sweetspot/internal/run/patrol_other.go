//go:build !linux

package run

import "os"

const tellsStops = false

func (p process) stoppedByTerminal() bool { return false }

// inMemory: only Linux says so.
func inMemory(*os.File) bool { return false }
