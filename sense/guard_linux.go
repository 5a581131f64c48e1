package sense

import "time"

// How often a resource is looked at: memory and threads can go within some
// hundred milliseconds of a limit that was raised; the rest takes its time, and
// stall and collector shares need a window to be shares of.
const (
	often  = 100 * time.Millisecond
	seldom = 250 * time.Millisecond
	rarely = time.Second
)

// inProcess is what work inside this process can exhaust. It is part of its
// sensor, one object: a sensor is made for each parallel call that lasts.
type inProcess struct {
	memory   memory
	threads  threads
	heap     heap
	files    files
	pids     pids
	pressure pressure
	watches  [6]watch
	buf      [scratch]byte
}

// guard has g watch all of it.
func (a *inProcess) guard(g *guard, h *host, s *scheduler) {
	buf := a.buf[:]
	g.watches = a.watches[:0]
	a.memory = newMemory(h, buf)
	g.watch(often, &a.memory)
	a.threads = threads{sched: s}
	g.watch(often, &a.threads)
	a.heap.name()
	g.watch(seldom, &a.heap)
	a.files = newFiles(h, buf)
	g.watch(seldom, &a.files)
	if len(h.pidsLevels) > 0 {
		a.pids = pids{host: h, perUnit: 2}
		g.watch(often, &a.pids)
	}
	if h.memoryPSI.ok() || h.groupPSI.ok() {
		a.pressure = newPressure(h, buf)
		g.watch(rarely, &a.pressure)
	}
}

// guardChildren adds what child processes can exhaust. The runner's own threads
// and files are among it: a job holds some of both.
func guardChildren(g *guard, h *host, s *scheduler, f *family) {
	buf := make([]byte, scratch)
	g.watch(often, &jobMemory{meter: newMemoryMeter(h, buf), family: f})
	g.watch(often, newNproc(h, buf))
	g.watch(often, &threads{sched: s})
	files := newFiles(h, buf)
	g.watch(seldom, &files)
	if len(h.pidsLevels) > 0 {
		g.watch(often, &pids{host: h, perUnit: processesPerJob})
	}
	if h.memoryPSI.ok() || h.groupPSI.ok() {
		pressure := newPressure(h, buf)
		g.watch(rarely, &pressure)
	}
}
