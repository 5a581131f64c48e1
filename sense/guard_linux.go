package sense

// gauges are what a sampler reads besides CPU time.
type gauges struct {
	dials
	memory   memoryGauge
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

func (g *gauges) open(h *host) {
	buf := g.buf[:]
	g.memory.meter = newMemoryMeter(h, buf)
	g.heap.name()
	g.files = filesGauge{dir: h.files, list: buf}
	g.pids = pidsGauge{host: h, buf: buf}
	g.pressure = pressureGauge{host: h, meter: g.memory.meter}
	g.dials = dials{
		memoryDial:   {gauge: &g.memory, every: often},
		threadsDial:  {gauge: always{}, every: often},
		heapDial:     {gauge: &g.heap, every: seldom},
		filesDial:    {gauge: &g.files, every: seldom},
		pidsDial:     {gauge: &g.pids, every: often},
		pressureDial: {gauge: &g.pressure, every: rarely},
	}
}

// bounds are what work inside this process can exhaust. They are part of its
// sensor, one object: a sensor is made for each parallel call that lasts.
type bounds struct {
	memory   memory
	threads  threads
	heap     heap
	files    files
	pids     pids
	pressure pressure
	watches  [6]watch
}

func (b *bounds) guard(g *guard, s *sampler) {
	all := &s.gauges
	b.memory.gauge, b.threads.sched, b.heap.gauge = &all.memory, &s.sched, &all.heap
	b.files.gauge, b.pids.gauge, b.pressure.gauge = &all.files, &all.pids, &all.pressure
	b.pids.perUnit = 2
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
	g.watch(&all.dials[threadsDial], &threads{sched: &s.sched})
	g.watch(&all.dials[filesDial], &files{gauge: &all.files})
	g.watch(&all.dials[pidsDial], &pids{gauge: &all.pids, perUnit: processesPerJob})
	g.watch(&all.dials[pressureDial], &pressure{gauge: &all.pressure})
}
