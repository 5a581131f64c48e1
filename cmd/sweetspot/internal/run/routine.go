package run

// A routine is a goroutine that runs until it is finished.
type routine struct{ quit, ended chan struct{} }

// begin starts it. f returns once quit is closed.
func (r *routine) begin(f func()) {
	r.quit, r.ended = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(r.ended)
		f()
	}()
}

// finish ends it, and waits until f has returned. Once the run is overdue, it does not wait: what f
// has to say may be behind output that nobody reads. A nil overdue never comes.
func (r *routine) finish(overdue <-chan struct{}) {
	close(r.quit)
	r.wait(overdue)
}

// wait waits until f has returned, and reports false if the run is overdue before.
func (r *routine) wait(overdue <-chan struct{}) (ended bool) {
	select {
	case <-r.ended:
		return true
	case <-overdue:
		return false
	}
}
