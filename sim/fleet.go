package sim

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/control"
)

// MaxWorkers is the highest number of workers of a [Fleet].
const MaxWorkers = 100_000

// A Fleet is a number of equal workers that take jobs from one queue. Each has
// its own limit. A job waits (on its own: a network, a timer), is served by the
// downstream that all workers share (a database: Servers at a time, first come,
// first served), then computes on the CPUs of its worker, which all jobs there
// share equally. Each phase may be absent.
//
// The queue is modelled on a consumer of NATS JetStream, and the workers on
// package natslimit: a worker asks for as many jobs as it has permits free, or
// waits in line for one if the queue held it back; when the job is done it sends
// the result, then the acknowledgement, and keeps the permit until both are
// confirmed. The server of the queue handles one message at a time.
type Fleet struct {
	Name, About string // About is a line for people
	Workers     int
	CPUs        int // of each worker; its limit begins there
	Jobs        int // all in the queue from the beginning

	Wait    Dist
	Service Dist  // at the downstream ...
	Servers int   // ... which serves so many at a time
	Slow    Curve // divides the speed of the downstream when n jobs are there
	CPU     Dist

	Hop     float64 // time of a message from a worker to the queue's server, or back, s
	Message float64 // time that the server takes for a message, s
	Store   float64 // time that it takes besides where one changes what is stored: a delivery, a result, an acknowledgement, s
}

// Validate returns an error that names what is wrong with f and what would be
// right, or nil.
func (f Fleet) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("sim: fleet %q: "+format, append([]any{f.Name}, args...)...)
	}
	switch {
	case f.Name == "":
		return fmt.Errorf("sim: a fleet has no name")
	case f.Workers < 1 || f.Workers > MaxWorkers:
		return fail("it has %d workers: want 1 to %d", f.Workers, MaxWorkers)
	case f.CPUs < 1 || f.CPUs > 4096:
		return fail("a worker has %d CPUs: want 1 to 4096", f.CPUs)
	case f.Jobs < 1 || f.Jobs > 1e8:
		return fail("there are %d jobs: want 1 to 1e8", f.Jobs)
	case f.Wait.Kind == Absent && f.Service.Kind == Absent && f.CPU.Kind == Absent:
		return fail("the jobs do nothing: want at least one of wait, service and CPU")
	case (f.Service.Kind == Absent) != (f.Servers == 0) || f.Servers < 0 || f.Servers > 1e6:
		return fail("service and servers, up to 1e6, belong together: got service %v, servers %d", f.Service, f.Servers)
	}
	for _, d := range []Dist{f.Wait, f.Service, f.CPU} {
		if err := d.validate(); err != nil {
			return fail("%v: %w", d, err)
		}
	}
	for _, t := range []float64{f.Hop, f.Message, f.Store} {
		if !(t >= 0 && t <= 10) {
			return fail("a message takes %v s: want 0 to 10", t)
		}
	}
	return nil
}

// FleetLaws say who decides the limits of a fleet. The functions make a new
// controller at each call.
type FleetLaws struct {
	// Worker makes the law of each worker's limit; the default law if nil.
	Worker func() control.Controller
	// Shared makes the law of the limit that all workers share: how many jobs may
	// be delivered and not yet acknowledged, MaxAckPending there. nil: none.
	Shared func() control.Controller
	// Start is where the shared limit begins; the CPUs of one worker if 0, as in contrib/nats.
	Start int
}

// A FleetResult says what a fleet did.
type FleetResult struct {
	Completed int64
	Seconds   float64 // until the last job was acknowledged
	Rate      float64 // jobs per second, from the beginning to the last
	// Settled is the rate between the moments when a half and nine tenths of the
	// jobs were acknowledged: the search behind them, the tail before them.
	Settled float64
	// Residence is the mean time from a job's delivery to its acknowledgement,
	// and P99 the time within which 99 % were, to within 2 %, s.
	Residence, P99 float64
	InFlight       float64  // mean over time of the jobs delivered and not acknowledged
	Peak           int      // the most of them
	Limit          int      // the shared limit at the end; 0 without
	Changes        []Change // of the shared limit, and why

	// What it cost. Messages are those that the queue's server took and sent,
	// Stores those of them that changed what it stores, Busy the share of the time
	// that it was at work. Ticks are the readings that the governors of the workers
	// took, one in 10 ms while it had jobs.
	Messages, Stores, Ticks int64
	Busy                    float64
	// Overhead is the CPU time per job that is not the job's, s: the server's,
	// as long again for the worker at the other end of each message, and
	// [TickCost] for each tick.
	Overhead float64

	Events int64 // of the simulation itself
}

// TickCost is what a tick of a governor costs, s: the sensors' reading, as the
// benchmark of package sense has it; the law adds a hundredth of that.
const TickCost = 10e-6

// RunFleet lets a fleet do its jobs, in virtual time, and says how that went.
// The outcome depends on f, seed and the laws alone.
//
// The error says what is wrong with f. RunFleet takes some 2 µs of real time for
// each job and 0.3 µs for each 10 ms that a worker is busy, and never waits. A
// fleet that thrashes takes long in virtual time, and so in real time.
func RunFleet(f Fleet, seed uint64, laws FleetLaws) (*FleetResult, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if laws.Start < 0 || laws.Start > MaxLimit {
		return nil, fmt.Errorf("sim: the shared limit of fleet %q starts at %d: want 1 to %d, or 0 for the CPUs of one worker", f.Name, laws.Start, MaxLimit)
	}
	if laws.Worker == nil {
		laws.Worker = func() control.Controller { return control.NewOverload(control.NewSearch()) }
	}
	r := newFleetRun(&f, seed, laws)
	r.play()
	return r.finish(), nil
}

// FixedFleet returns laws that keep the shared limit at n, and those of the workers
// above it. It panics if n is below 1.
func FixedFleet(n int) FleetLaws {
	law := func() control.Controller { return control.NewFixed(n) }
	return FleetLaws{Worker: law, Shared: law, Start: n}
}
