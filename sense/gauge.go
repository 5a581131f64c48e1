package sense

import "time"

// How often a resource is looked at: memory and threads can go within some
// hundred milliseconds of a limit that was raised; the rest takes its time, and
// stall and collector shares need a window to be shares of.
const (
	often  = 100 * time.Millisecond
	seldom = 250 * time.Millisecond
	rarely = time.Second
)

// A gauge reads how full a resource is, for all sensors that share a sampler.
type gauge interface {
	resource
	// read reads the resource and reports whether there is something new to judge.
	read(now time.Duration) bool
}

// A dial is a gauge that is read every so often.
type dial struct {
	gauge
	every, due time.Duration
	news       int64 // counts what was new
}

func (d *dial) refresh(now time.Duration) {
	d.due = now + d.every
	if d.read(now) {
		d.news++
	}
}

type dials []dial

// refresh reads the dial that has been due for longest, so that no single call is
// expensive; after a rest it reads all.
func (all dials) refresh(now time.Duration, rested bool) {
	var late *dial
	for i := range all {
		d := &all[i]
		if rested {
			d.refresh(now)
		} else if d.due <= now && (late == nil || d.due < late.due) {
			late = d
		}
	}
	if late != nil {
		late.refresh(now)
	}
}
