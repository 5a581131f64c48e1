package dissect

import exptrace "golang.org/x/exp/trace"

// An Activity says what goroutines did, by the lines that started them and the lines
// at which they waited. Figures are sums over all that was looked at, until
// [Activity.Divide] makes them those of one operation. The goroutines of the runtime and of the instrument are left out.
type Activity struct {
	*Schedule         // sums over all goroutines
	Spawns    []Spawn `json:"spawns"` // by the time of their goroutines, running and runnable, most first
	Parks     []Park  `json:"parks"`  // by the number of parks, most first

	// Loops is set for a benchmark that calls b.Loop, and so runs only once.
	Loops bool `json:"-"`
	Procs int  `json:"-"` // GOMAXPROCS, 0 if unknown
}

// A Spawn is a line that starts goroutines, and what became of them.
type Spawn struct {
	// Place is the innermost line in the user's code on the stack of who started them:
	// the go statement, or the call of a method Go. Stack are all of these lines,
	// callees first, as many as are of use.
	Place Place   `json:"place"`
	Stack []Place `json:"stack"`
	Entry string  `json:"entry"` // the function that the goroutines begin with

	Goroutines float64 `json:"goroutines"` // started
	Peak       int     `json:"peak"`       // the most that there were at the same time
	// MedianRun is the median of the time that one goroutine ran, in seconds, over
	// those that have ended; Ended is how many these are, of the whole recording.
	MedianRun float64 `json:"median_run_seconds"`
	Ended     int     `json:"ended"`

	Running  float64         `json:"running_seconds"` // sums over the goroutines
	Runnable float64         `json:"runnable_seconds"`
	Waiting  float64         `json:"waiting_seconds"`
	Syscall  float64         `json:"syscall_seconds"`
	Starts   float64         `json:"starts"` // how often they went from runnable to running
	Waits    map[string]Wait `json:"waits"`  // by why

	// Executed is how often the line was executed, counted; 0 if it was not counted.
	Executed float64 `json:"executed,omitempty"`
}

// A Wait is how often, and for how long, goroutines waited.
type Wait struct {
	Times   float64 `json:"times"`
	Seconds float64 `json:"seconds"` // a sum
}

// A Park is a line at which goroutines waited: an operation on a channel, a lock, a
// WaitGroup, a socket.
type Park struct {
	Place  Place   `json:"place"` // the innermost line in the user's code
	Stack  []Place `json:"stack"` // callees first
	Reason string  `json:"reason"`
	Wait
	// Waking is the sum of the seconds from the end of a wait until the goroutine ran again, as
	// long as a CPU ran nothing: what it takes to wake one up, and to find the goroutine.
	Waking     float64 `json:"waking_seconds"`
	Goroutines int     `json:"goroutines"` // how many waited there, of the whole recording
	// MedianRun is the median of the time that a goroutine had run since it last waited,
	// in seconds.
	MedianRun float64 `json:"median_run_seconds"`
	// Of are the lines that started the goroutines that waited here, and how often they
	// did. Those that no line of the recording has started have none.
	Of []Origin `json:"of,omitempty"`

	// Executed is how often the line was executed, counted; 0 if it was not counted. So
	// Times/Executed are the parks for each item.
	Executed float64 `json:"executed,omitempty"`
}

// An Origin is a line that started some of the goroutines that waited.
type Origin struct {
	Place Place   `json:"place"`
	Times float64 `json:"times"`
}

// A Window says which part of a trace is looked at.
type Window int

const (
	// Whole is all of it.
	Whole Window = iota
	// Timed is the last run of a benchmark, while its timer is on.
	Timed
	// recorded are the runs of [Record].
	recorded
)

const procsMetric = "/sched/gomaxprocs:threads"

// A Tracing is one execution trace, which may have been written in several files.
type Tracing struct {
	Files  []string
	Window Window
	Procs  int // GOMAXPROCS; 0 is what the trace says
	// Partial allows the last file to end anywhere: the process was killed.
	Partial bool
	Cut     bool // ended before the work
}

// Activity reads the trace, and takes it apart by lines of the user's code.
func (t Tracing) Activity(user Scope) (*Activity, error) {
	w, err := t.watched(user)
	if err != nil {
		return nil, err
	}
	return w.sum()
}

// watched reads the trace twice: which goroutines are the runtime's shows only where a stack
// is recorded.
func (t Tracing) watched(user Scope) (*watch, error) {
	own := map[goID]bool{}
	rolls := make([]roll, len(t.Files))
	procs := t.Procs
	for i, path := range t.Files {
		was := map[goID]bool{}
		whole, err := t.read(i, path, func(e event) {
			note(was, own, e)
			if t.Procs == 0 && e.Kind() == exptrace.EventMetric && e.Metric().Name == procsMetric {
				procs = max(procs, int(e.Metric().Value.Uint64()))
			}
		})
		if err != nil {
			return nil, err
		}
		rolls[i] = roll{was, whole}
	}
	t.Procs = procs
	w := newWatch(t, user, own)
	for i, path := range t.Files {
		w.open(rolls[i])
		if _, err := t.read(i, path, w.add); err != nil {
			return nil, err
		}
		w.end(w.last)
	}
	return w, nil
}

// Divide turns sums over the given number of operations into figures of one. A median, a share, a
// peak, and what is said to be of the whole recording stay as they are.
func (a *Activity) Divide(ops float64) {
	a.scale(ops)
	for i := range a.Spawns {
		s := &a.Spawns[i]
		for _, v := range []*float64{&s.Goroutines, &s.Running, &s.Runnable, &s.Waiting, &s.Syscall, &s.Starts} {
			*v /= ops
		}
		for why, v := range s.Waits {
			s.Waits[why] = Wait{v.Times / ops, v.Seconds / ops}
		}
	}
	for i := range a.Parks {
		p := &a.Parks[i]
		p.Times /= ops
		p.Seconds /= ops
		p.Waking /= ops
		for j := range p.Of {
			p.Of[j].Times /= ops
		}
	}
}

// Count sets how often the lines of a were executed.
func (a *Activity) Count(c *Counts) {
	for i := range a.Spawns {
		s := &a.Spawns[i]
		s.Executed = c.Times(s.Place.File, s.Place.Line)
	}
	for i := range a.Parks {
		p := &a.Parks[i]
		p.Executed = c.Times(p.Place.File, p.Place.Line)
	}
}
