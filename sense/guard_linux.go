package sense

func newDials(h *host, sched *scheduler, inside bool) dials {
	return dials{
		{gauge: &memoryGauge{host: h}, every: often},
		{gauge: newThreadsGauge(sched), every: often},
		{gauge: newHeapGauge(), every: seldom},
		{gauge: newFilesGauge(h.files, h.buf[:]), every: seldom},
		{gauge: newPIDsGauge(h, inside), every: often},
		{gauge: &pressureGauge{host: h}, every: rarely},
	}
}

// guardChildren has g watch what child processes can exhaust. That includes the
// runner's own threads and files: a job holds some of both.
func guardChildren(g *guard, s *sampler, c *Children) {
	for i := range s.dials {
		d := &s.dials[i]
		switch gauge := d.gauge.(type) {
		case *memoryGauge:
			m := &jobMemory{gauge: gauge, children: c}
			g.watch(d, m)
			g.watches[len(g.watches)-1].hasty = &m.blind // what jobs need is known once the first has ended
		case *threadsGauge:
			g.watch(d, newNproc(s.host))
			g.watch(d, gauge)
		case *heapGauge: // is the runner's
		default:
			g.watch(d, gauge)
		}
	}
}
