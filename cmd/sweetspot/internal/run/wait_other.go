//go:build !linux

package run

// wait waits for p to end and reaps it. Then it calls ended: here no call of the system
// waits without reaping, so the number may be another process's for a moment.
func (p process) wait(_ int, ended func()) (ending, error) {
	defer ended()
	return p.reap()
}
