package queue

import natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"

// A Crew is that of a scale.
type Crew struct{ crew }

func (c *Crew) Present(workers []natslimit.Worker, taken int) []natslimit.Worker {
	return c.present(workers, taken)
}
