package run

import (
	"fmt"
	"os"
	"sync"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A refuge runs jobs again that the kernel killed for want of memory, each alone.
type refuge struct {
	alone sync.RWMutex // held for writing by a job that runs alone, for reading by the others

	kills func() int64 // of the kernel so far, for want of memory; nil: nobody runs again
	mu    sync.Mutex
	known int64 // kills that are put down to a job, or were before the run
}

// newRefuge returns a refuge, which does nothing unless it is on and the system counts
// such kills.
func newRefuge(on bool) *refuge {
	f := &refuge{}
	if on && oomKills() >= 0 {
		f.kills, f.known = oomKills, oomKills()
	}
	return f
}

// oomKills returns how many processes the kernel has killed for want of memory since it
// booted, for a cgroup's or the machine's; -1 if it does not say.
func oomKills() int64 {
	text, _ := os.ReadFile("/proc/vmstat")
	if n, ok := statLine(text, "\noom_kill "); ok {
		return int64(n)
	}
	return -1
}

// place returns what j holds from before it starts until it has ended.
func (f *refuge) place(j *job) sync.Locker {
	if j.alone {
		return &f.alone
	}
	return f.alone.RLocker()
}

// statusKilled is how a shell says that KILL ended its command.
const statusKilled = 128 + 9

// takes reports whether the kernel killed the newest try of j for want of memory, and
// that was not its try alone.
func (f *refuge) takes(j *job) bool {
	if f.kills == nil || j.alone || j.end.Signal != 9 && j.end.Status != statusKilled {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kills() <= f.known {
		return false // somebody else's KILL
	}
	f.known++
	return true
}

// spared grants j another try, alone, if it was killed for want of memory.
func (r *runner) spared(j *job) bool {
	if !r.refuge.takes(j) {
		return false
	}
	j.alone = true
	j.granted++
	r.blame(fmt.Sprintf("job %d was killed for want of memory; it runs again, alone: %s", j.seq, humanize.Clip(r.console.command(j.argv), failuresWidth)))
	return true
}
