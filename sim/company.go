package sim

import (
	"fmt"
	"math"
)

// A Company is a machine on which several control loops work at once: one or
// more processes, each with one or more Limiters, whose work may meet at the
// CPUs and at servers.
//
// All goroutines of a process that are ready to compute share as many threads
// as the machine has CPUs, and all threads of the machine share its CPUs, both
// equally.
type Company struct {
	Name      string
	CPUs      int
	Seconds   float64 // how long it lasts
	Noise     float64 // standard deviation of the logarithm of the global speed
	NoiseTime float64 // its time constant, s
	Tick      float64 // steps in which the CPU time of a process is counted, s; 0: 10 ms
	Others    int     // threads outside the processes that compute all the time
	Servers   []CompanyServer
	Processes []CompanyProcess
}

// A CompanyServer serves the units of all Limiters that call it: Places at a
// time, first come, first served.
type CompanyServer struct {
	Name    string
	Places  int
	Service Dist
	Slow    Curve // divides its speed when n units are there, those that queue included
	Most    int   // it refuses units as Overloaded while this many are there; 0: never
	Refusal Dist  // time that a unit takes to be refused or to fail in an outage
	Outage  Outage
}

// An Outage is a stretch in which a server serves nothing: units that come fail
// after the time of a refusal, and those under way fail at their end.
type Outage struct {
	From, To float64 // s; equal: there is none
	Overload bool    // the failures say Overloaded; else they teach nothing
}

// A CompanyProcess is one process: its Limiters know of each other, and of those of the
// processes that share its name.
type CompanyProcess struct {
	Share      string // the name, or ""
	Background int    // goroutines that compute all the time
	Limiters   []CompanyLimiter
}

// A CompanyLimiter is a loop with its kind of work, or several with the same.
// A unit waits, is then served where it calls, and then computes; each of the
// three may be absent.
type CompanyLimiter struct {
	Count   int     // this many Limiters alike, each with work of its own
	Start   float64 // when the work begins, s
	Callers int     // at most this many units run or wait for a permit; 0: work is always waiting
	Wait    Dist
	Calls   string // name of a server, or ""
	CPU     Dist
	Slow    Curve   // divides the speed of computing when n units of this Limiter are in flight
	Refuse  float64 // share of the units that end as Overloaded whatever the limit
}

// maxCompany bounds the Limiters and the background of a Company.
const maxCompany = 10_000

// Validate returns an error that names what is wrong with c and what would be
// right, or nil.
func (c Company) Validate() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("company %q: "+format, append([]any{c.Name}, args...)...)
	}
	switch {
	case c.Name == "":
		return fmt.Errorf("a company has no name")
	case c.CPUs < 1 || c.CPUs > 4096:
		return fail("cpus is %d: want 1 to 4096", c.CPUs)
	case !(c.Seconds >= 1 && c.Seconds <= 86400) || !onTick(c.Seconds/2):
		return fail("seconds is %v: want 1 to 86400, a multiple of %v", c.Seconds, 2*tick)
	case !(c.Noise >= 0 && c.Noise <= 1):
		return fail("noise is %v: want 0 to 1", c.Noise)
	case c.Noise > 0 && !(c.NoiseTime > 0 && c.NoiseTime <= 86400):
		return fail("the noise's time constant is %v s: want one above 0", c.NoiseTime)
	case !(c.Tick >= 0 && c.Tick <= clockTick):
		return fail("tick is %v s: want up to 0.01, or 0 for the usual 10 ms", c.Tick)
	case c.Others < 0 || c.Others > maxCompany:
		return fail("others is %d: want 0 to %d", c.Others, maxCompany)
	}
	servers := map[string]bool{"": true}
	for _, s := range c.Servers {
		if servers[s.Name] {
			return fail("a server is called %q: want a name of its own", s.Name)
		}
		servers[s.Name] = true
		if err := s.validate(c.Seconds); err != nil {
			return fail("server %s: %w", s.Name, err)
		}
	}
	limiters := 0
	for _, p := range c.Processes {
		if p.Background < 0 || p.Background > maxCompany {
			return fail("background is %d: want 0 to %d", p.Background, maxCompany)
		}
		for _, l := range p.Limiters {
			if !servers[l.Calls] {
				return fail("a Limiter calls %q: no server has that name", l.Calls)
			}
			if err := l.validate(c.Seconds); err != nil {
				return fail("%w", err)
			}
			limiters += l.Count
		}
	}
	if limiters < 1 || limiters > maxCompany {
		return fail("it has %d Limiters: want 1 to %d", limiters, maxCompany)
	}
	return nil
}

func (s *CompanyServer) validate(seconds float64) error {
	for _, d := range []Dist{s.Service, s.Refusal} {
		if err := d.validate(); err != nil {
			return fmt.Errorf("%v: %w", d, err)
		}
	}
	o := s.Outage
	switch {
	case s.Service.Kind == Absent || s.Places < 1 || s.Places > MaxLimit:
		return fmt.Errorf("want a service and 1 to %d places, got service %v, places %d", MaxLimit, s.Service, s.Places)
	case s.Most < 0:
		return fmt.Errorf("most is %d: want 1 or more, or 0 if it never refuses", s.Most)
	case (s.Most > 0 || o.To > o.From) && s.Refusal.Kind == Absent:
		return fmt.Errorf("it refuses units in no time, so that callers would be refused for ever at one instant: want a refusal")
	case !(o.From >= 0 && o.To >= o.From && o.To <= seconds) || !onTick(o.From) || !onTick(o.To):
		return fmt.Errorf("the outage lasts from %v to %v s: want multiples of %v up to %v", o.From, o.To, tick, seconds)
	}
	return nil
}

func (l *CompanyLimiter) validate(seconds float64) error {
	for _, d := range []Dist{l.Wait, l.CPU} {
		if err := d.validate(); err != nil {
			return fmt.Errorf("%v: %w", d, err)
		}
	}
	switch {
	case l.Wait.Kind == Absent && l.Calls == "" && l.CPU.Kind == Absent:
		return fmt.Errorf("the units do nothing: want at least one of wait, calls, cpu")
	case l.Count < 1:
		return fmt.Errorf("there are %d Limiters of a kind: want 1 or more", l.Count)
	case !(l.Start >= 0 && l.Start < seconds) || !onTick(l.Start):
		return fmt.Errorf("a Limiter starts at %v s: want 0 to less than %v, a multiple of %v", l.Start, seconds, tick)
	case l.Callers < 0 || l.Callers > MaxLimit:
		return fmt.Errorf("callers is %d: want 1 to %d, or 0 if work is always waiting", l.Callers, MaxLimit)
	case l.Slow.pieces != nil && l.CPU.Kind == Absent:
		return fmt.Errorf("slow is a curve of computing, and the units do not compute: want cpu, or slow of a server")
	case !(l.Refuse >= 0 && l.Refuse < 1):
		return fmt.Errorf("refuse is %v %%: want 0 to less than 100", 100*l.Refuse)
	}
	return nil
}

// kind returns what two Limiters have in common that are alike: all but the start.
func (l CompanyLimiter) kind(p *CompanyProcess) string {
	l.Start, l.Count = 0, 1
	return fmt.Sprintf("%d %+v", p.Background, l)
}

// most returns how many units of a Limiter there can be in flight.
func (l *CompanyLimiter) most() int {
	if l.Callers == 0 {
		return math.MaxInt
	}
	return l.Callers
}
