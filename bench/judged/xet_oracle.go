package main

import "github.com/sweetspot-go/sweetspot/control"

// An oracle knows the number it wants, but waits until an upload has ended before it moves.
// What it loses to a fixed number, every law loses that begins where it does and learns
// from uploads that have ended.
type oracle struct {
	number int
	// steps: it doubles or halves whenever an upload has ended that began at the limit in
	// force. Otherwise it goes to its number when the first upload has ended.
	steps bool
}

func (o *oracle) Next(r control.Reading) control.Decision {
	d := control.Decision{Limit: r.Limit}
	switch {
	case r.Limit == o.number:
	case !o.steps && r.Completed > 0:
		d.Limit = o.number
	case o.steps && r.TimedSince > 0 && o.number > r.Limit:
		d.Limit = min(2*r.Limit, o.number)
	case o.steps && r.TimedSince > 0:
		d.Limit = max(r.Limit/2, o.number)
	}
	return d
}
