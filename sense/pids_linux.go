package sense

import "time"

// A pidsGauge counts the processes and threads of our cgroup under its pids.max. Where
// they run out, neither a process nor a thread can start, and a Go program that
// needs a thread then dies.
type pidsGauge struct {
	host       *host
	buf        []byte // scratch
	used, room float64
	found      bool
}

// A pidsLevel is one level of the cgroup tree that counts processes.
type pidsLevel struct{ max, current file }

func openPIDsLevels(g cgroup) []pidsLevel {
	var all []pidsLevel
	for _, dir := range g.pids {
		l := pidsLevel{open(dir + "/pids.max"), open(dir + "/pids.current")}
		if l.max.ok() && l.current.ok() {
			all = append(all, l)
		} else {
			l.close()
		}
	}
	return all
}

func (l *pidsLevel) close() {
	l.max.close()
	l.current.close()
}

// sparePIDs is the part of the limit left to others: the runtime's own threads
// and an administrator's shell.
const sparePIDs = 1.0 / 16

func (g *pidsGauge) read(time.Duration) bool {
	g.found = false
	for _, l := range g.host.pidsLevels {
		limit, ok1 := l.max.number(g.buf) // "max" does not parse
		current, ok2 := l.current.number(g.buf)
		if !ok1 || !ok2 {
			continue
		}
		if r := float64(limit)*(1-sparePIDs) - float64(current); !g.found || r < g.room {
			g.used, g.room, g.found = float64(current), r, true
		}
	}
	return true
}

// pids is the room for the processes and threads of the units.
type pids struct {
	gauge *pidsGauge
	bound bound
	// perUnit is what a unit needs at most, for the purpose of letting growth
	// begin: a goroutine one thread, a job a shell with a pipe of three.
	perUnit float64
}

func (*pids) why() string { return "processes: near the cgroup's limit (pids.max)" }

func (p *pids) look(_ time.Duration, peak, _ int) int {
	if g := p.gauge; g.found {
		p.bound.pace(peak, g.used, g.room, p.perUnit)
	} else {
		p.bound.free()
	}
	return p.bound.units
}
