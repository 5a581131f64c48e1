package load

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
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
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return l
	}
	idle, cpus, ok := idleSeconds(stat)
	if !ok {
		return l
	}
	l.total = cpus*l.at.Sub(epoch).Seconds() - idle
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var ru syscall.Rusage
		if syscall.Getrusage(who, &ru) != nil {
			return l
		}
		l.own += time.Duration(ru.Utime.Nano() + ru.Stime.Nano()).Seconds()
	}
	l.own += descendantSeconds(os.Getpid())
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

// idleSeconds returns the idle time of all CPUs since the machine started, and
// their number, from the contents of /proc/stat.
func idleSeconds(stat []byte) (idle, cpus float64, ok bool) {
	for line := range bytes.Lines(stat) {
		f := bytes.Fields(line)
		switch {
		case len(f) < 6 || !bytes.HasPrefix(f[0], []byte("cpu")):
		case string(f[0]) == "cpu":
			for _, ticks := range f[4:6] { // idle, iowait
				n, err := strconv.ParseUint(string(ticks), 10, 64)
				if err != nil {
					return 0, 0, false
				}
				idle += float64(n) / ticksPerSecond
			}
		default:
			cpus++
		}
	}
	return idle, cpus, cpus > 0
}

// ticksPerSecond is the unit of /proc/stat on every Linux that Go supports.
const ticksPerSecond = 100
