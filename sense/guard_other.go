//go:build !linux

package sense

// newDials returns what the Go runtime alone can tell.
func newDials(_ *host, sched *scheduler, _ bool) dials {
	return dials{
		{gauge: newThreadsGauge(sched), every: often},
		{gauge: newHeapGauge(), every: seldom},
	}
}

// guardChildren has g watch what child processes can exhaust: of that, only the
// runner's own threads are known here.
func guardChildren(g *guard, s *sampler, _ *Children) {
	threads := &s.dials[0]
	g.watch(threads, threads.gauge)
}
