//go:build !linux

package sense

// gauges are what a sampler reads besides CPU time, as far as the Go runtime alone
// can tell.
type gauges struct {
	dials
	heap heapGauge
}

// The places of the dials.
const (
	threadsDial = iota
	heapDial
)

func (g *gauges) open(*host) {
	g.heap.name()
	g.dials = dials{
		threadsDial: {gauge: always{}, every: often},
		heapDial:    {gauge: &g.heap, every: seldom},
	}
}

// bounds are what work inside this process can exhaust.
type bounds struct {
	threads threads
	heap    heap
}

func (b *bounds) guard(g *guard, s *sampler) {
	b.threads.sched, b.heap.gauge = &s.sched, &s.gauges.heap
	g.watch(&s.gauges.dials[threadsDial], &b.threads)
	g.watch(&s.gauges.dials[heapDial], &b.heap)
}

// guardChildren has g watch what child processes can exhaust: of that, only the
// runner's own threads are known here.
func guardChildren(g *guard, s *sampler, _ *Children) {
	g.watch(&s.gauges.dials[threadsDial], &threads{sched: &s.sched})
}
