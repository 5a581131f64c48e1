package run

import "time"

// A routine is a goroutine that runs until it is finished, or ends by itself.
type routine struct{ quit, ended chan struct{} }

// begin starts it. f returns once quit is closed, unless it is only waited for.
func (r *routine) begin(f func()) {
	r.quit, r.ended = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(r.ended)
		f()
	}()
}

// repeat begins to call f, which says when it is to be called again.
func (r *routine) repeat(first time.Duration, f func() (again time.Duration)) {
	r.begin(func() {
		t := time.NewTimer(first)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				t.Reset(f())
			case <-r.quit:
				return
			}
		}
	})
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
