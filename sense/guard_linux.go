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

// guardProcess adds what work inside this process can exhaust.
func guardProcess(g *guard, h *host, s *scheduler) {
	buf := make([]byte, scratch)
	g.watch(often, newMemory(h, buf))
	g.watch(often, &threads{sched: s})
	g.watch(seldom, newHeap())
	g.watch(seldom, newFiles(h, buf))
	if len(h.pidsLevels) > 0 {
		g.watch(often, &pids{host: h, perUnit: 2})
	}
	if h.memoryPSI.ok() || h.groupPSI.ok() {
		g.watch(rarely, newPressure(h, buf))
	}
}

// guardChildren adds what child processes can exhaust. The runner's own threads
// and files are among it: a job holds some of both.
func guardChildren(g *guard, h *host, s *scheduler, f *family) {
	buf := make([]byte, scratch)
	g.watch(often, &jobMemory{meter: newMemoryMeter(h, buf), family: f})
	g.watch(often, newNproc(h, buf))
	g.watch(often, &threads{sched: s})
	g.watch(seldom, newFiles(h, buf))
	if len(h.pidsLevels) > 0 {
		g.watch(often, &pids{host: h, perUnit: processesPerJob})
	}
	if h.memoryPSI.ok() || h.groupPSI.ok() {
		g.watch(rarely, newPressure(h, buf))
	}
}
