package load

import (
	"context"
	"time"
)

// BusyAbove is how many CPUs other processes may use before a measurement counts
// as disturbed: a tenth of one. On two CPUs that is worth 5 % of CPU-bound work.
const BusyAbove = 0.1

// quietWithin bounds the wait for a machine that may never rest.
const quietWithin = time.Minute

// AwaitQuiet waits, up to a minute, until other processes let the machine rest
// for a second, or ctx is done.
func AwaitQuiet(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, quietWithin)
	defer cancel()
	for {
		before := Now()
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		if cpus, known := Now().OthersSince(before); !known || cpus <= BusyAbove {
			return
		}
	}
}
