//go:build !linux

package process

// StoppedByTerminal reports false: only Linux tells without reaping.
func (p Process) StoppedByTerminal() bool { return false }
