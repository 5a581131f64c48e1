package sense

// gauges are what a sampler reads besides CPU time.
type gauges struct {
	dials
	memory   memoryGauge
	threads  threadsGauge
	heap     heapGauge
	files    filesGauge
	pids     pidsGauge
	pressure pressureGauge
}

// The places of the dials.
const (
	memoryDial = iota
	threadsDial
	heapDial
	filesDial
	pidsDial
	pressureDial
)

func (g *gauges) open(h *host, sched *scheduler, inside bool) {
	g.memory.host = h
	g.threads = newThreadsGauge(sched)
	g.heap.name()
	g.files = newFilesGauge(h.files, h.buf[:])
	g.pids = newPIDsGauge(h, inside)
	g.pressure = pressureGauge{host: h}
	g.dials = dials{
		memoryDial:   {gauge: &g.memory, every: often},
		threadsDial:  {gauge: &g.threads, every: often},
		heapDial:     {gauge: &g.heap, every: seldom},
		filesDial:    {gauge: &g.files, every: seldom},
		pidsDial:     {gauge: &g.pids, every: often},
		pressureDial: {gauge: &g.pressure, every: rarely},
	}
}

// guardChildren has g watch what child processes can exhaust. The runner's own threads
// and files are among it: a job holds some of both.
func guardChildren(g *guard, s *sampler, c *Children) {
	all := &s.gauges
	m := &jobMemory{gauge: &all.memory, children: c}
	g.watch(&all.dials[memoryDial], m)
	g.watches[0].hasty = &m.blind // what jobs need is known once the first has ended
	g.watch(&all.dials[threadsDial], newNproc(s.host))
	for _, i := range []int{threadsDial, filesDial, pidsDial, pressureDial} {
		g.watch(&all.dials[i], all.dials[i].gauge)
	}
}
