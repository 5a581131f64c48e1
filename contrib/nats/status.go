package natslimit

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/sweetspot-go/sweetspot/control"
)

// A FleetStatus is the last report of the elected worker of a [Fleet]. It reports at
// every decision, and once a second.
type FleetStatus struct {
	Leader    string        `json:"leader"` // the elected worker: host, process and a number
	At        time.Time     `json:"at"`     // by its clock
	Limit     int           `json:"limit"`  // of all workers together; what is only tried is in Changes
	Workers   int           `json:"workers"`
	InFlight  int           `json:"inFlight"`
	Completed int64         `json:"completed"` // since this one was elected
	Overloads int64         `json:"overloads"`
	Changes   []FleetChange `json:"changes"` // the newest 64, oldest first
}

// A FleetChange is one decision on the limit of a fleet.
type FleetChange struct {
	At   time.Time `json:"at"`
	From int       `json:"from"`
	To   int       `json:"to"`
	Kind string    `json:"kind"` // as of [control.Kind]
	Why  string    `json:"why"`  // in words
}

// changesKept are two or three searches. The record stays at some 10 kB.
const changesKept = 64

// LoadFleet returns what the elected worker of a fleet last recorded in the bucket
// kv, wherever it runs. The error wraps [jetstream.ErrKeyNotFound] if there never
// was one.
func LoadFleet(ctx context.Context, kv jetstream.KeyValue, stream, consumer string) (FleetStatus, error) {
	e, err := kv.Get(ctx, fleetKey(stream, consumer, "status"))
	if err != nil {
		return FleetStatus{}, fmt.Errorf("sweetspot: no status of the fleet: %w", err)
	}
	s, ok := decode[FleetStatus](e.Value())
	if !ok {
		return FleetStatus{}, fmt.Errorf("sweetspot: the status of the fleet, %s, is not what a worker of this version writes", e.Key())
	}
	return s, nil
}

// add takes a decision down: from the limit in force to n, unless its reason says
// otherwise.
func (s *FleetStatus) add(at time.Time, why control.Reason, from, n int) {
	c := FleetChange{At: at, From: from, To: n, Kind: why.Kind.String(), Why: why.String()}
	switch {
	case why.From < 1 || why.To < 1:
	case why.Kind == control.Stay:
		c.From, c.To = why.From, why.From
	default:
		c.From, c.To = why.From, why.To
	}
	if len(s.Changes) == changesKept {
		s.Changes = append(s.Changes[:0], s.Changes[1:]...)
	}
	s.Changes = append(s.Changes, c)
}
