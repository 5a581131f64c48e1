package sense

import "time"

// pids are the processes and threads of our cgroup under its pids.max. Where
// they run out, neither a process nor a thread can start, and a Go program that
// needs a thread then dies.
type pids struct {
	host  *host
	buf   [64]byte
	bound bound
	// perUnit is what a unit needs at most, for the purpose of letting growth
	// begin: a goroutine one thread, a job a shell with a pipe of three.
	perUnit float64
}

// A pidsLevel is one level of the cgroup tree that counts processes.
type pidsLevel struct{ max, current file }

// openPIDsLevels opens the files of every level of g.
func openPIDsLevels(g cgroup) []pidsLevel {
	var all []pidsLevel
	for _, dir := range g.pids {
		l := pidsLevel{open(dir + "/pids.max"), open(dir + "/pids.current")}
		if l.max.ok() && l.current.ok() {
			all = append(all, l)
		} else {
			l.max.close()
			l.current.close()
		}
	}
	return all
}

// sparePIDs is the part of the limit left to others: the runtime's own threads
// and an administrator's shell.
const sparePIDs = 1.0 / 16

func (*pids) why() string { return "processes: near the cgroup's limit (pids.max)" }

func (p *pids) look(_ time.Duration, peak, _ int) int {
	used, room, found := 0.0, 0.0, false
	for _, l := range p.host.pidsLevels {
		limit, ok1 := l.max.number(p.buf[:]) // "max" does not parse
		current, ok2 := l.current.number(p.buf[:])
		if !ok1 || !ok2 {
			continue
		}
		if r := float64(limit)*(1-sparePIDs) - float64(current); !found || r < room {
			used, room, found = float64(current), r, true
		}
	}
	if !found {
		p.bound.free()
		return 0
	}
	p.bound.pace(peak, used, room, p.perUnit)
	return p.bound.units
}
