package run

import (
	"context"
	"errors"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// StoppedWhileWaiting has a job that is to run alone wait for another one, and stops the run
// before that ends. It returns whether the job was not started then, and how many permits are
// not given back.
func StoppedWhileWaiting() (notStarted bool, permits int, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	r := &runner{refuge: newRefuge(false), limiter: sweetspot.New(), gate: &gate{}, spools: &spool.Cache{}, starting: ctx, cancel: cancel}
	unit, err := r.limiter.Begin(ctx)
	if err != nil {
		return false, 0, err
	}
	other, waits := &job{}, &job{unit: unit, alone: true, argv: []string{"./missing"}}
	r.refuge.place(other).Lock()
	ended := make(chan error)
	go func() { ended <- r.start(waits) }()
	for r.refuge.alone.TryRLock() { // until it waits
		r.refuge.alone.RUnlock()
		time.Sleep(time.Millisecond)
	}
	r.stop(errHalted)
	r.refuge.place(other).Unlock()
	err = <-ended
	return errors.Is(err, errNotStarted), r.limiter.Stats().InFlight, nil
}
