package sim

import (
	"fmt"
	"math"
)

// MaxLimit is the highest limit a controller can set in a simulation: the
// default bound of the governor that it stands for.
const MaxLimit = 100_000

// tick is the step of the sensors and of the control loop, s: the period of
// the governor. Phases begin and scenarios end on a tick.
const tick = 0.01

// A Scenario is a machine with work for it, and what happens to both.
type Scenario struct {
	Name      string
	P         int     // CPUs
	Seconds   float64 // how long it lasts
	Noise     float64 // standard deviation of the logarithm of the global speed
	NoiseTime float64 // its time constant, s
	Patches   float64 // standard deviation of the logarithm of a unit's size, which units that follow each other share
	PatchSize float64 // of how many units in a row: the length in which the likeness falls to 1/e
	Theirs    float64 // share of the processor time that others use for the work, and not the work itself
	Tick      float64 // steps in which the work's own CPU time is counted, s; 0: 10 ms, as with child processes
	Phases    []Phase // in order of time; the first begins at 0
}

// A Phase is a stretch of time during which the parameters stay the same. A
// unit of work waits, is then served by one of the servers, and then computes;
// each of the three may be absent.
type Phase struct {
	From     float64 // when it begins, s
	Wait     Dist    // a pure delay
	Service  Dist    // time at a server
	Servers  int     // how many units are served at a time; the others queue, first come, first served
	CPU      Dist    // processor time
	Slow     Curve   // divides all speeds when n units are in flight
	Load     float64 // CPUs taken by others
	Arrivals float64 // units per second, a Poisson process; 0: work is always waiting
}

// Validate returns an error that names what is wrong with s and what would be
// right, or nil.
func (s Scenario) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("scenario %q: "+format, append([]any{s.Name}, args...)...)
	}
	switch {
	case s.Name == "":
		return fmt.Errorf("a scenario has no name")
	case s.P < 1 || s.P > 4096:
		return fail("cpus is %d: want 1 to 4096", s.P)
	case !(s.Seconds >= 1 && s.Seconds <= 86400) || !onTick(s.Seconds):
		return fail("seconds is %v: want 1 to 86400, a multiple of %v", s.Seconds, tick)
	case !(s.Noise >= 0 && s.Noise <= 1):
		return fail("noise is %v: want 0 to 1", s.Noise)
	case s.Noise > 0 && !(s.NoiseTime > 0 && s.NoiseTime <= 86400):
		return fail("the noise's time constant is %v s: want one above 0", s.NoiseTime)
	case !(s.Patches >= 0 && s.Patches <= 2):
		return fail("patches is %v: want 0 to 2", s.Patches)
	case s.Patches > 0 && !(s.PatchSize >= 1 && s.PatchSize <= 1e9):
		return fail("a patch has %v units: want 1 or more", s.PatchSize)
	case !(s.Theirs >= 0 && s.Theirs <= 1):
		return fail("theirs is %v: want 0 to 1", s.Theirs)
	case !(s.Tick >= 0 && s.Tick <= clockTick):
		return fail("tick is %v s: want up to 0.01, or 0 for the usual 10 ms", s.Tick)
	case len(s.Phases) == 0 || s.Phases[0].From != 0:
		return fail("the first phase must begin at 0")
	}
	for i, p := range s.Phases {
		if i > 0 && !(p.From > s.Phases[i-1].From && p.From < s.Seconds) || !onTick(p.From) {
			return fail("a phase begins at %v s: want increasing times below %v s, multiples of %v", p.From, s.Seconds, tick)
		}
		if err := p.validate(s.P); err != nil {
			return fail("from %v s: %w", p.From, err)
		}
	}
	return nil
}

func (p Phase) validate(cpus int) error {
	for _, d := range []Dist{p.Wait, p.Service, p.CPU} {
		if err := d.validate(); err != nil {
			return fmt.Errorf("%v: %w", d, err)
		}
	}
	switch {
	case p.Wait.Kind == Absent && p.Service.Kind == Absent && p.CPU.Kind == Absent:
		return fmt.Errorf("the units do nothing: want at least one of wait, service, cpu")
	case (p.Service.Kind == Absent) != (p.Servers == 0):
		return fmt.Errorf("service and servers belong together: got service %v, servers %d", p.Service, p.Servers)
	case p.neverMixes():
		return fmt.Errorf("all times are constant, so the units stay bunched as they began, and a limit has no throughput of its own: "+
			"give one of them a spread, such as uniform(%s, %s) for %v", formatSeconds(0.9*p.CPU.A), formatSeconds(1.1*p.CPU.A), p.CPU)
	case p.Servers < 0 || p.Servers > MaxLimit:
		return fmt.Errorf("servers is %d: want 1 to %d", p.Servers, MaxLimit)
	case !(p.Load >= 0 && p.Load < float64(cpus)):
		return fmt.Errorf("load is %v: want 0 or more and less than the %d CPUs", p.Load, cpus)
	case !(p.Arrivals >= 0 && p.Arrivals <= 1e7):
		return fmt.Errorf("arrivals is %v per second: want 0 (always work) to 1e7", p.Arrivals)
	}
	return nil
}

// neverMixes says whether nothing random keeps the units apart while they
// share the cores: all begin together, compute together and wait together.
func (p Phase) neverMixes() bool {
	fixed := func(d Dist) bool { return d.Kind == Absent || d.Kind == Constant }
	return p.CPU.Kind == Constant && p.Arrivals == 0 && fixed(p.Wait) && fixed(p.Service) &&
		(p.Wait.Kind == Constant || p.Service.Kind == Constant)
}

// cores returns how many CPUs are left for the work.
func (p *Phase) cores(cpus int) float64 { return float64(cpus) - p.Load }

// phaseAt returns the index of the phase in force at a time.
func (s *Scenario) phaseAt(at float64) int {
	i := 0
	for i+1 < len(s.Phases) && s.Phases[i+1].From <= at+tick/1000 {
		i++
	}
	return i
}

func onTick(t float64) bool {
	n := t / tick
	return math.Abs(n-math.Round(n)) < 1e-6
}
