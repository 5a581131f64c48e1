package sense

import "time"

// A tally is how many things are in use under a limit, and how many more fit.
type tally struct {
	used, room float64
	known      bool
}

// counted is the room for things of which each unit uses some.
type counted struct {
	*tally
	perUnit float64 // what one uses at most, for the purpose of letting growth begin
	what    string
	bound   bound
}

func (c *counted) why() string { return c.what }

func (c *counted) look(_ time.Duration, peak, _ int) int {
	if c.known {
		c.bound.pace(peak, c.used, c.room, c.perUnit)
	} else {
		c.bound.free()
	}
	return c.bound.units
}
