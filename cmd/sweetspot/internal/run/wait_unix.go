//go:build unix && !linux

package run

// wait waits for p to end and reaps it.
func (p process) wait(c *crowd) (ending, error) {
	defer c.leave()
	c.join()
	e, _, err := p.reap(0)
	return e, err
}
