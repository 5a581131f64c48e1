//go:build !linux

package process

// TellsStops says whether the system tells that a terminal has stopped a process.
const TellsStops = false

// StoppedByTerminal reports false: only Linux tells without reaping.
func (p Process) StoppedByTerminal() bool { return false }
