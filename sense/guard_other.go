//go:build !linux

package sense

// gauges are what a sampler reads besides CPU time, as far as the Go runtime alone
// can tell.
type gauges struct {
	dials
	threads threadsGauge
	heap    heapGauge
}

// The places of the dials.
const (
	threadsDial = iota
	heapDial
)

func (g *gauges) open(_ *host, sched *scheduler, _ bool) {
	g.threads = newThreadsGauge(sched)
	g.heap.name()
	g.dials = dials{
		threadsDial: {gauge: &g.threads, every: often},
		heapDial:    {gauge: &g.heap, every: seldom},
	}
}

// guardChildren has g watch what child processes can exhaust: of that, only the
// runner's own threads are known here.
func guardChildren(g *guard, s *sampler, _ *Children) {
	g.watch(&s.gauges.dials[threadsDial], &s.gauges.threads)
}
