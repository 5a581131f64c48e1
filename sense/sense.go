package sense

// A Sample describes the surroundings of the work at one instant. The CPU figures are
// running totals in CPU seconds (two busy CPUs add 2 per second) from an arbitrary
// start: only differences of two samples of the same sensor have a meaning. They never
// fall. The other fields are current values.
type Sample struct {
	OwnCPU     float64 // CPU seconds used by this work, child processes included where the sensor counts them
	MachineCPU float64 // those, and what others take away of the CPUs available to us; OwnCPU where that is unknown
	Runnable   float64 // goroutines (or processes) that are ready but have no CPU, now
	CPUs       float64 // CPUs available to us: GOMAXPROCS, the affinity mask or the cgroup's quota (which may be 1.5), whichever is least

	// Tick is how far OwnCPU may trail each running thread, s: kernels update a
	// thread's time when it stops running or at their timer tick. 0 means unknown;
	// assume 10 ms then, in steps.
	Tick float64

	// Asleep is the share of the units that neither run nor want to, nor wait for a disk:
	// more of them would not slow these down there. [Process] gives a lower bound for
	// goroutines. [Children] gives the share of child processes, only on Linux and in the
	// first two seconds of new work. Otherwise it is 0.
	Asleep float64

	// GCCycles counts this program's garbage collections. Throughput measured over less
	// than two of them says little about work that allocates, because the heap has not
	// settled yet.
	GCCycles int64

	// Ceiling is the highest number of units that memory, threads, files and processes
	// allow at present; 0 means no bound. Why names the resource in words for users.
	// Ceiling may be above, at or, if the resource is almost used up, below the number
	// now in flight.
	Ceiling int
	Why     string
}

// A Sensor reads the surroundings of the work.
type Sensor interface {
	// Sense returns the sample of this instant, with inFlight units running.
	// It is called by one goroutine at a time, some hundred times a second at
	// most, and must neither block nor allocate.
	Sense(inFlight int) Sample
}
