package sim

import (
	"math/rand/v2"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
)

// A companyLoop is one Limiter: its work, its sensors, and its governor.
type companyLoop struct {
	*CompanyLimiter
	kind      string
	index     int32
	process   *companyProcess
	lane      *lane
	server    *server
	wait, cpu sampler
	draws     loopDraws

	begun    bool
	limit    int
	epoch    int32 // how often the limit has changed
	inFlight int
	failed   int64 // units that ended as ignored
	half     int64 // completed in the first half of the run
	shown    int64 // completed at the last point of the trace

	law    control.Controller
	member *company.Member
	r      control.Reading
	late   float64                        // s; from then on the law counts a unit as late; 0: it does not
	base   struct{ own, machine float64 } // CPU times when the loop began
	sensed int                            // in flight at the newest tick
	heard  int64                          // overloads at it
	last   float64                        // time of it
	after  time.Duration                  // the law wants no reading before this

	trace   []LoopPoint
	changes []Change
}

// loopDraws are the sources of randomness of a loop, each its own, so that two
// laws meet the same sequence in each.
type loopDraws struct{ wait, cpu, outcome, tick *rand.Rand }

func (l *companyLoop) ended(u *companyUnit, o outcome, now float64) {
	l.inFlight--
	switch o {
	case overloaded:
		l.r.Overloads++
		return
	case ignored:
		l.failed++
		return
	}
	t := now - u.begun
	l.r.Completed++
	l.r.Residence += t
	l.r.Residence2 += t * t
	if u.epoch == l.epoch {
		l.r.TimedSince++
		l.r.ResidenceSince += t
	}
	if l.late > 0 && t > l.late {
		l.r.Late++
	}
	if l.r.Latencies != nil {
		l.r.Latencies.Add(t)
	}
}
