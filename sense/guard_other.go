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

func (g *gauges) open(_ *host, sched *scheduler) {
	g.threads.sched = sched
	g.heap.name()
	g.dials = dials{
		threadsDial: {gauge: &g.threads, every: often},
		heapDial:    {gauge: &g.heap, every: seldom},
	}
}

// bounds are what work inside this process can exhaust.
type bounds struct {
	threads counted
	heap    heap
}

func (b *bounds) guard(g *guard, s *sampler) {
	b.threads, b.heap.gauge = s.gauges.threads.resource(), &s.gauges.heap
	g.watch(&s.gauges.dials[threadsDial], &b.threads)
	g.watch(&s.gauges.dials[heapDial], &b.heap)
}

// guardChildren has g watch what child processes can exhaust: of that, only the
// runner's own threads are known here.
func guardChildren(g *guard, s *sampler, _ *Children) {
	g.watch(&s.gauges.dials[threadsDial], new(s.gauges.threads.resource()))
}
