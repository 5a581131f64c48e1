//go:build !linux

package process

import "errors"

// Wait waits for p to end and reaps it. Then it calls ended: here no call of the system
// waits without reaping, so the number may be another process's for a moment.
func (p Process) Wait(_ int, ended func()) (Ending, error) {
	defer ended()
	return p.reap()
}

// StoppedByTerminal reports false: only Linux tells without reaping.
func (p Process) StoppedByTerminal() bool { return false }

// livingGroups is known on Linux only.
func livingGroups() (map[int]bool, error) { return nil, errors.ErrUnsupported }
