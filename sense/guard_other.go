//go:build !linux

package sense

import "time"

// How often a resource is looked at.
const (
	often  = 100 * time.Millisecond
	seldom = 250 * time.Millisecond
)

// guardProcess adds what work inside this process can exhaust, as far as the Go
// runtime alone can tell.
func guardProcess(g *guard, _ *host, s *scheduler) {
	g.watch(often, &threads{sched: s})
	h := new(heap)
	h.name()
	g.watch(seldom, h)
}

// guardChildren adds what child processes can exhaust: of that, only the
// runner's own threads are known here.
func guardChildren(g *guard, _ *host, s *scheduler, _ *family) {
	g.watch(often, &threads{sched: s})
}
