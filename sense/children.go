package sense

import "sync"

// Children senses the surroundings of work done by child processes, such as a job
// runner's. The runner reports every child: by [Children.Started] once it runs and by
// [Children.Reaped] once it was waited for. Make one with [NewChildren].
//
// Any goroutine may call Started and Reaped.
type Children struct {
	sampler *sampler
	guard   guard
	family  family
	watcher watcher
	admission
	credit credit

	total float64 // MachineCPU handed out
	zero  float64 // what to add to OwnCPU to get a lower bound of it
	begun bool
}

var _ Sensor = (*Children)(nil)

// A Usage is what a tree of processes uses, for a program that does not start all its descendants
// itself.
type Usage struct {
	CPU    float64 // CPU seconds so far, user and system, of ended processes that were waited for, too
	Memory float64 // resident bytes; what processes share counts for each of them
	Ends   int     // threads of the processes without children: more cannot work at the same time, if parents wait for their children
}

// NewChildren returns the [Sensor] of work done by child processes. It needs no
// closing and starts nothing.
func NewChildren() *Children { return newChildren(outside()) }

var outside = sync.OnceValue(func() *sampler { return newSampler(here(), monotonic, ownCPU, false) })

func newChildren(s *sampler) *Children {
	c := &Children{sampler: s, watcher: newWatcher(s.host)}
	c.family.jobs = map[int]*job{}
	guardChildren(&c.guard, s, c)
	return c
}

// Started registers a child that has started. It costs a map entry.
func (c *Children) Started(pid int) { c.family.started(pid, c.sampler.clock()) }

// Reaped reports that the child was waited for and used cpu seconds in total, user and system
// (ProcessState.UserTime and SystemTime, which include its own waited children), and at most
// maxRSS bytes of resident memory, 0 if unknown. (Rusage.Maxrss is in KiB on Linux and in bytes
// on darwin.) A pid that was never started is allowed: its CPU time counts from here on. Negative
// figures and NaN count as 0.
//
// The caller reports it because RUSAGE_CHILDREN also counts children that are not part
// of this work.
func (c *Children) Reaped(pid int, cpu float64, maxRSS int64) {
	c.family.reaped(pid, cpu, maxRSS, c.sampler.clock())
}

// Freeze calls stop, which suspends all children and this process, and returns once they are resumed.
// Freeze leaves that time out of their ages.
func (c *Children) Freeze(stop func()) { c.family.freeze(c.sampler.clock, stop) }

// Expect says that the largest of earlier children of the same kind held that many bytes. Until
// one has ended, a child that still grows is taken to need sixteen times that, if that is less
// than 2 GiB; otherwise 2 GiB, or twice what that one held. Call it before the first child
// starts. NaN, 0 and less count as unknown.
func (c *Children) Expect(bytes float64) {
	if bytes > 0 {
		c.family.mu.Lock()
		defer c.family.mu.Unlock()
		c.family.expected = bytes
	}
}

// Largest returns the most bytes of resident memory that any ended child held; 0 if unknown.
func (c *Children) Largest() float64 {
	c.family.mu.Lock()
	defer c.family.mu.Unlock()
	return c.family.memory.most
}

// Sense returns the sample of this instant, with inFlight jobs running. OwnCPU is the
// CPU time of this process, of all reaped children and, where the system reports it
// (Linux), of children that have been running for a second or more with their
// descendants; in the first two seconds, of all.
//
// It allocates nothing. On Linux a call takes about 10 µs. Four times a second it takes
// about 8 µs more for each process of running jobs, of which it reads at most 64 in
// turn; in the first two seconds a hundred times a second. Concurrent calls of Sense on one Children are not safe.
func (c *Children) Sense(inFlight int) Sample {
	h := c.sampler.host
	h.mu.Lock()
	defer h.mu.Unlock()
	now := c.sampler.clock()
	c.watcher.look(now, &c.family)
	c.sampler.refresh(now)
	all := &c.sampler.newest
	s := Sample{
		OwnCPU:   all.OwnCPU + c.family.cpu(),
		CPUs:     all.CPUs,
		Tick:     all.Tick,
		GCCycles: all.GCCycles,
		Runnable: h.ready(c.sampler.machine.online()),
		Asleep:   c.family.asleep(now),
	}
	// A child's CPU time enters OwnCPU late and in lumps, when the machine's
	// count has long had it: so the totals are compared, not the growths.
	if !c.begun {
		c.begun, c.zero = true, all.MachineCPU-s.OwnCPU
	}
	c.total = max(c.total, all.MachineCPU, s.OwnCPU+c.zero)
	s.MachineCPU = c.total
	s.Ceiling, s.Why = c.guard.ceiling(now, inFlight)
	return s
}
