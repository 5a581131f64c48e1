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
	buf      [scratch]byte
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

func (g *gauges) open(h *host, sched *scheduler) {
	buf := g.buf[:]
	g.memory.meter = newMemoryMeter(h, buf)
	g.threads.sched = sched
	g.heap.name()
	g.files = filesGauge{dir: h.files, list: buf}
	g.pids = pidsGauge{host: h, buf: buf}
	g.pressure = pressureGauge{host: h, meter: g.memory.meter}
	g.dials = dials{
		memoryDial:   {gauge: &g.memory, every: often},
		threadsDial:  {gauge: &g.threads, every: often},
		heapDial:     {gauge: &g.heap, every: seldom},
		filesDial:    {gauge: &g.files, every: seldom},
		pidsDial:     {gauge: &g.pids, every: often},
		pressureDial: {gauge: &g.pressure, every: rarely},
	}
}

// bounds are what work inside this process can exhaust. They are part of its
// sensor, one object: a sensor is made for each parallel call that lasts.
type bounds struct {
	memory               memory
	threads, files, pids counted
	heap                 heap
	pressure             pressure
	watches              [6]watch
}

func (b *bounds) guard(g *guard, s *sampler) {
	all := &s.gauges
	b.memory.gauge, b.heap.gauge, b.pressure.gauge = &all.memory, &all.heap, &all.pressure
	b.threads, b.files, b.pids = all.threads.resource(), all.files.resource(), all.pids.resource(threadsPerUnit)
	b.watches = [...]watch{
		memoryDial: {resource: &b.memory}, threadsDial: {resource: &b.threads}, heapDial: {resource: &b.heap},
		filesDial: {resource: &b.files}, pidsDial: {resource: &b.pids}, pressureDial: {resource: &b.pressure},
	}
	for i := range b.watches {
		b.watches[i].dial = &all.dials[i]
	}
	g.watches = b.watches[:]
}

// guardChildren has g watch what child processes can exhaust. The runner's own threads
// and files are among it: a job holds some of both.
func guardChildren(g *guard, s *sampler, c *Children) {
	all := &s.gauges
	m := &jobMemory{gauge: &all.memory, children: c}
	g.watch(&all.dials[memoryDial], m)
	g.watches[0].hasty = &m.blind // what jobs need is known once the first has ended
	g.watch(&all.dials[threadsDial], newNproc(s.host, all.buf[:]))
	g.watch(&all.dials[threadsDial], new(all.threads.resource()))
	g.watch(&all.dials[filesDial], new(all.files.resource()))
	g.watch(&all.dials[pidsDial], new(all.pids.resource(processesPerJob)))
	g.watch(&all.dials[pressureDial], &pressure{gauge: &all.pressure})
}
