package sense

import "time"

// A pidsGauge counts the processes and threads of our cgroup under its pids.max. When
// they run out, neither a process nor a thread can start, and a Go program that needs
// a thread then dies.
type pidsGauge struct {
	host *host
	tally
}

// A pidsLevel is one level of the cgroup tree that counts processes.
type pidsLevel struct{ max, current file }

func (h *host) openPIDsLevels(g cgroup) (all []pidsLevel) {
	for _, dir := range g.pids {
		if l := (pidsLevel{h.open(dir + "/pids.max"), h.open(dir + "/pids.current")}); l.max.ok() && l.current.ok() {
			all = append(all, l)
		}
	}
	return all
}

// sparePIDs is the part of the limit left to others: the runtime's own threads
// and an administrator's shell.
const sparePIDs = 1.0 / 16

// newPIDsGauge returns a gauge for units that are goroutines or processes.
func newPIDsGauge(h *host, inside bool) *pidsGauge {
	g := &pidsGauge{host: h, tally: tally{perUnit: processesPerJob, what: "processes: near the cgroup's limit (pids.max)"}}
	if inside {
		g.perUnit = threadsPerUnit
	}
	return g
}

func (g *pidsGauge) read(time.Duration) bool {
	g.known = false
	for _, l := range g.host.pidsLevels {
		limit, ok1 := g.host.number(l.max) // "max" does not parse
		current, ok2 := g.host.number(l.current)
		if !ok1 || !ok2 {
			continue
		}
		if r := float64(limit)*(1-sparePIDs) - float64(current); !g.known || r < g.room {
			g.used, g.room, g.known = float64(current), r, true
		}
	}
	return true
}
