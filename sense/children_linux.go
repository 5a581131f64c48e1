package sense

import (
	"os"
	"time"
)

// A watcher reads the CPU time and the memory of running children from /proc. A
// child's CPU time reaches getrusage only when it is waited for; without the
// watcher, long commands that compute would look asleep.
type watcher struct {
	root string
	self int           // our pid, the parent of every job
	last time.Duration // when the last round was
	walk
	all walk // of [Children.Look]; without buffers before the first
}

const (
	// grown is the age from which a job is looked at. A job that ends earlier
	// is soon counted whole, and reading it would cost more than it shows: its
	// time in /proc has a grain of 10 ms.
	grown = time.Second
	// round is how often jobs are looked at. Decisions take windows at least
	// as long.
	round = 250 * time.Millisecond
	// early is the same while the work begins, when hardly anything but the state of the
	// jobs shows whether more could run: once in each window of a law that starts blindly.
	// These rounds look at jobs of any age.
	early = 10 * time.Millisecond
	// perRound bounds the files of one round: half a millisecond of 250.
	perRound = 64
	// perJob bounds the files of one job whose tree is larger than a round. The
	// CPU time of what lies beyond counts when it is waited for.
	perJob = 256
)

func newWatcher(h *host) watcher {
	return watcher{root: h.root, self: os.Getpid(), last: -round, walk: newWalk(h.root, perJob)}
}

// look reads jobs for one round, when it is time.
func (w *watcher) look(now time.Duration, f *family) {
	every, age := round, grown
	if f.begins(now) {
		every, age = early, 0
	}
	if now >= w.last+every {
		w.last = now
		w.round(now, age, f)
	}
}

// round reads jobs older than age.
func (w *watcher) round(now, age time.Duration, f *family) {
	w.files = 0
	for left := -1; w.files < perRound; {
		pid, since, ok := f.turn(now, age, &left)
		if !ok {
			return
		}
		if s, ok := w.tree(w.root, pid, w.self); ok {
			f.seen(pid, since, s, now)
		}
	}
}

// lookMost bounds the files of a [Children.Look]: some 2,000 processes, 30 ms.
const lookMost = 4096

// Look returns what this process and all its descendants use. ok is false if that cannot be
// read, as on systems other than Linux and where the kernel lacks CONFIG_PROC_CHILDREN, or only
// in part, beyond some 2,000 processes or some 1,000 threads of one of them.
//
// It takes about 10 µs for each process, and may run beside Sense, but not beside itself.
func (c *Children) Look() (u Usage, ok bool) {
	w := &c.watcher
	if w.all.stack == nil {
		w.all = newWalk(w.root, lookMost)
	}
	w.all.files = 0
	lists := w.all.open(w.root, w.self, w.self, "/children") // which a kernel may lack
	defer lists.close()
	s, ok := w.all.tree(w.root, w.self, anyParent)
	return Usage{CPU: s.cpu, Memory: s.held, Ends: s.ends}, ok && !w.all.cut && lists.ok()
}
