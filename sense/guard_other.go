//go:build !linux

package sense

import "time"

// How often a resource is looked at.
const (
	often  = 100 * time.Millisecond
	seldom = 250 * time.Millisecond
)

// inProcess is what work inside this process can exhaust, as far as the Go runtime
// alone can tell.
type inProcess struct {
	threads threads
	heap    heap
}

// guard has g watch all of it.
func (a *inProcess) guard(g *guard, _ *host, s *scheduler) {
	a.threads = threads{sched: s}
	g.watch(often, &a.threads)
	a.heap.name()
	g.watch(seldom, &a.heap)
}

// guardChildren adds what child processes can exhaust: of that, only the
// runner's own threads are known here.
func guardChildren(g *guard, _ *host, s *scheduler, _ *family) {
	g.watch(often, &threads{sched: s})
}
