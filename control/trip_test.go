package control_test

import (
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A feeder gives a law a window of 100 ms after another, in which all permits
// are in use unless inUse says otherwise.
type feeder struct {
	law   control.Controller
	r     control.Reading
	inUse int // 0: all, and somebody waits
}

// feedWindows begins the first window, with a limit in force.
func feedWindows(law control.Controller, limit int) *feeder {
	f := &feeder{law: law, r: control.Reading{Limit: limit, CPUs: 4, Waiting: 1, InFlight: limit}}
	f.r.Limit = law.Next(f.r).Limit
	return f
}

// window ends a window in which units ended after a time each, and others said
// that it was too much. The decision is in force afterwards.
func (f *feeder) window(units int, each time.Duration, overloads int) control.Decision {
	f.r.At += 100 * time.Millisecond
	f.r.InFlight, f.r.Waiting = f.inUse, 0
	if f.inUse == 0 {
		f.r.InFlight, f.r.Waiting = f.r.Limit, 1
	}
	f.r.Completed += int64(units)
	f.r.Timed += int64(units)
	f.r.Residence += float64(units) * each.Seconds()
	f.r.Overloads += int64(overloads)
	d := f.law.Next(f.r)
	f.r.Limit = d.Limit
	return d
}
