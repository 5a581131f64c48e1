package load

import (
	"context"
	"time"
)

// BusyAbove is how many CPUs other processes may use before a measurement counts
// as disturbed: a tenth of one. On two CPUs that is worth 5 % of CPU-bound work.
const BusyAbove = 0.1

// AwaitQuiet waits until other processes leave the machine at rest for as long as a look
// takes: they use at most so many CPUs. It gives up after a time, or when ctx is done.
func AwaitQuiet(ctx context.Context, within, look time.Duration, most float64) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for {
		before := Now()
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
		if cpus, known := Now().OthersSince(before); !known || cpus <= most {
			return
		}
	}
}
