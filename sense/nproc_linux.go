package sense

import (
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// nproc are the processes and threads of this user under RLIMIT_NPROC. The
// kernel does not report their number. That of all threads on the machine, in
// /proc/loadavg, is an upper bound and nearly always answers the question;
// otherwise the user's are counted one by one, a part at each look.
type nproc struct {
	host *host
	user int
	walk walk
	list []byte

	limit func() (uint64, bool)
	dir   int // /proc while a count is under way, plus one
	count int // so far
	total int // of the last complete count, or 0
	next  time.Duration
}

const (
	// recountUser is how often a count begins: with a thousand processes it
	// takes some milliseconds in all.
	recountUser = 5 * time.Second
	// spareNproc is left to the user's other programs and shells.
	spareNproc = 1.0 / 16
	// processesPerJob is what a job needs at most, an assumption that lets
	// growth begin: a shell and a pipe of three.
	processesPerJob = 4
)

func newNproc(h *host) *nproc {
	n := &nproc{host: h, user: os.Getuid(), limit: nprocLimit, list: make([]byte, 1024)}
	n.walk = walk{path: make([]byte, 0, len(h.root)+64), buf: h.buf[:]}
	return n
}

func (*nproc) why() string { return "processes: near the user's limit (RLIMIT_NPROC)" }

func (n *nproc) look(b *bound, now time.Duration, peak, _ int) {
	limit, ok := n.limit()
	_, all, known := entities(n.host.read(n.host.loadavg))
	if n.user == 0 || !ok || !known || limit > 1<<30 { // the kernel exempts root
		b.free()
		return
	}
	most := float64(limit) * (1 - spareNproc)
	used := float64(all)
	b.pace(peak, used, most-used, processesPerJob)
	if b.units == 0 {
		return
	}
	n.scan(now)
	if n.total > 0 {
		used = min(used, float64(n.total))
		b.pace(peak, used, most-used, processesPerJob)
	} else {
		b.hold(2 * peak) // the count is under way: a doubling is what the spare covers
	}
}

// scan goes on with the count of the user's threads.
func (n *nproc) scan(now time.Duration) {
	if n.dir == 0 {
		if now < n.next {
			return
		}
		n.walk.path = append(append(n.walk.path[:0], n.host.root...), "/proc\x00"...)
		fd, errno := openat(n.walk.path, syscall.O_DIRECTORY)
		if errno != 0 {
			return
		}
		n.dir, n.count, n.next = fd+1, 0, now+recountUser
	}
	size, err := syscall.ReadDirent(n.dir-1, n.list)
	if err != nil || size <= 0 {
		syscall.Close(n.dir - 1)
		n.dir, n.total = 0, n.count
		return
	}
	for name := range names(n.list[:size]) {
		if p, rest, ok := number(name); ok && len(rest) == 0 {
			n.count += n.threads(int(p))
		}
	}
}

// threads returns the threads of process p if it is the user's.
func (n *nproc) threads(p int) int {
	b := n.walk.read(n.host.root, p, "/status")
	uid, ok := value(b, "Uid:")
	if !ok || int(uid) != n.user {
		return 0
	}
	t, _ := value(b, "Threads:")
	return int(t)
}

func nprocLimit() (uint64, bool) {
	which := 6
	if strings.HasPrefix(runtime.GOARCH, "mips") {
		which = 8
	}
	var l syscall.Rlimit
	err := syscall.Getrlimit(which, &l)
	return l.Cur, err == nil
}
