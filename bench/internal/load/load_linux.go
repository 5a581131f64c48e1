package load

import (
	"os"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// A Load is how much CPU time was used up to an instant.
type Load struct {
	at    time.Time
	total float64 // by everybody on the machine, CPU seconds
	own   float64 // by this process and its descendants
	known bool
}

var epoch = time.Now()

// Now reads the load. What everybody used is what was not idle, since the
// kernel counts idle time exactly but samples busy time. Time that the host of
// a virtual machine took away counts as used.
func Now() Load {
	l := Load{at: time.Now()}
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return l
	}
	stat, err := proc.Stat()
	if err != nil || len(stat.CPU) == 0 {
		return l
	}
	l.total = float64(len(stat.CPU))*l.at.Sub(epoch).Seconds() - stat.CPUTotal.Idle - stat.CPUTotal.Iowait
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var ru syscall.Rusage
		if syscall.Getrusage(who, &ru) != nil {
			return l
		}
		l.own += time.Duration(ru.Utime.Nano() + ru.Stime.Nano()).Seconds()
	}
	l.own += descendantSeconds(proc, os.Getpid())
	l.known = true
	return l
}

// OthersSince returns how many CPUs processes other than ours kept busy on
// average since an earlier load, and whether that is known.
func (l Load) OthersSince(was Load) (cpus float64, known bool) {
	dt := l.at.Sub(was.at).Seconds()
	if !l.known || !was.known || dt <= 0 {
		return 0, false
	}
	return max(0, (l.total-was.total)-(l.own-was.own)) / dt, true
}

// descendantSeconds returns the CPU time of the children of a process that are
// alive, of theirs, and so on, with that of their children that ended.
func descendantSeconds(proc procfs.FS, pid int) float64 {
	all, _ := proc.AllProcs() // without /proc there is no load either
	children := make(map[int][]procfs.ProcStat)
	for _, p := range all {
		if s, err := p.Stat(); err == nil { // it has not ended meanwhile
			children[s.PPID] = append(children[s.PPID], s)
		}
	}
	var sum func(pid int) float64
	sum = func(pid int) (seconds float64) {
		for _, s := range children[pid] {
			seconds += s.CPUTime() + float64(s.CUTime+s.CSTime)/ticksPerSecond + sum(s.PID)
		}
		return seconds
	}
	return sum(pid)
}

// ticksPerSecond is the unit of /proc on every Linux that Go supports.
const ticksPerSecond = 100
