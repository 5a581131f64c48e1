package sim

import "slices"

// Fleets returns the fleets that come with the package, with that many workers and
// jobs. The slice is the caller's.
//
// The queue's server is of the size of one NATS server on a machine of its own:
// 1 µs for a message and 10 µs more where it writes, 0.25 ms away.
func Fleets(workers, jobs int) []Fleet {
	const (
		bears   = 24 // jobs that the shared downstream serves at a time
		service = 0.02
	)
	base := Fleet{Workers: workers, Jobs: jobs, CPUs: 4, Hop: 250e-6, Message: 1e-6, Store: 10e-6}
	own, shared := base, base
	own.Name, own.About = "own", "1 s of waiting and 2 s of CPU on the worker's own 4 CPUs; nothing is shared but the queue"
	own.Wait, own.CPU = Dist{Lognormal, 1, 0.5}, Dist{Lognormal, 2, 0.5}
	shared.Name, shared.About = "shared", "20 ms at a downstream that serves 24 at a time, whoever asks"
	shared.Service, shared.Servers = Dist{Lognormal, service, 0.5}, bears
	thrash := shared
	thrash.Name, thrash.About = "thrash", "the same downstream, but slower with more than 24 there: half as fast with 96"
	thrash.Slow = mustCurve("1 up to 24; (n/24)^0.5")
	return []Fleet{own, shared, thrash}
}

// mustCurve returns a curve that is known to be good.
func mustCurve(s string) Curve {
	c, err := ParseCurve(s)
	if err != nil {
		panic("sim: " + err.Error())
	}
	return c
}

// BestFleet returns the highest rate of f, settled, with any fixed shared limit of
// those tried, and the least of them that gets 98 % of it: the yardstick for laws.
// The limits are some between half and three times the servers, or between once and
// six times the CPUs of all workers where there are none; each is tried with the
// given number of jobs, on all CPUs. The error says what is wrong with f.
func BestFleet(f Fleet, seed uint64, jobs int) (rate float64, limit int, err error) {
	f.Jobs = jobs
	unit := float64(f.Servers)
	steps := []float64{0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 3}
	if f.Servers == 0 {
		unit, steps = float64(f.Workers*f.CPUs), []float64{1, 1.5, 2, 3, 4, 6}
	}
	rates := make([]float64, len(steps))
	limits := make([]int, len(steps))
	err = each(len(steps), func(i int) error {
		n := min(max(1, int(unit*steps[i]+0.5)), MaxLimit)
		r, err := RunFleet(f, seed, FixedFleet(n))
		if err == nil {
			rates[i], limits[i] = r.Settled, n
		}
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	rate = slices.Max(rates)
	for limit == 0 {
		if rates[0] >= enough*rate {
			limit = limits[0]
		}
		rates, limits = rates[1:], limits[1:]
	}
	return rate, limit, nil
}
