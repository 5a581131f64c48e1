package lab

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A numbering gives each request the next number, from 1. What it returns is
// called by one client alone, and gives that client its next number; share is how
// many it will ask for.
type numbering func(n int) (client func(share int) func() int64)

// byGoroutine numbers in one goroutine behind a channel. It ends by itself after
// the n numbers that are asked for.
func byGoroutine(buffer int) numbering {
	return func(n int) func(int) func() int64 {
		numbers := make(chan int64, buffer)
		go func() {
			for i := range int64(n) {
				numbers <- i + 1
			}
		}()
		return func(int) func() int64 {
			return func() int64 { return <-numbers }
		}
	}
}

func byMutex(int) func(int) func() int64 {
	var mu sync.Mutex
	last := int64(0)
	return func(int) func() int64 {
		return func() int64 {
			mu.Lock()
			defer mu.Unlock()
			last++
			return last
		}
	}
}

func byAtomic(int) func(int) func() int64 {
	last := new(atomic.Int64)
	return func(int) func() int64 {
		return func() int64 { return last.Add(1) }
	}
}

// numberBlock is how many numbers a client takes at a time. The shared counter
// then costs a hundredth; more would save nothing that counts, and leave more
// numbers waiting at a client that has stopped.
const numberBlock = 100

func byBlocks(int) func(int) func() int64 {
	last := new(atomic.Int64)
	return func(share int) func() int64 {
		var next, end int64 // those up to end are ours
		return func() int64 {
			if next == end {
				take := int64(min(numberBlock, share))
				share -= int(take)
				end = last.Add(take)
				next = end - take
			}
			next++
			return next
		}
	}
}

// A tally is what a client has got.
type tally struct {
	count     int
	sum, last int64
	disorder  bool
}

func (t *tally) add(number int64) {
	t.disorder = t.disorder || number <= t.last
	t.last = number
	t.count++
	t.sum += number
}

// checkTallies reports whether clients have got each number from 1 to n once, as
// far as their sum tells, and each its own in order.
func checkTallies(tallies []tally, n int) error {
	var all tally
	for _, t := range tallies {
		all.count += t.count
		all.sum += t.sum
		all.disorder = all.disorder || t.disorder
	}
	if want := int64(n) * int64(n+1) / 2; all.count != n || all.sum != want || all.disorder {
		return fmt.Errorf("%d requests got numbers with the sum %d, out of order: %v; want %d, %d, false", all.count, all.sum, all.disorder, n, want)
	}
	return nil
}

// shareOf returns how many of n requests are those of client k of c.
func shareOf(k, c, n int) int { return (k+1)*n/c - k*n/c }

// askAll is all requests of a client, one after the other.
func askAll(next func() int64, share int) (t tally) {
	for range share {
		t.add(next())
	}
	return t
}

// goroutines does each part, such as those of a client, in a goroutine of its own.
func goroutines(clients int, client func(k int)) error {
	var wg sync.WaitGroup
	for k := range clients {
		wg.Go(func() { client(k) })
	}
	wg.Wait()
	return nil
}

// items serves clients as the items of a call, in as many goroutines as it finds
// to pay.
func items(clients int, client func(k int)) error {
	return byForEach(context.Background(), clients, func(_ context.Context, k int) error {
		client(k)
		return nil
	})
}

// numberingPoint measures how many requests a second clients get served that ask
// again at once.
func numberingPoint(label string, clients int, how numbering, serve func(int, func(int)) error) point {
	return point{label: label, x: float64(clients), unit: "requests/s", set: func(n int) (task, error) {
		var tallies []tally
		return task{
			run: func() error {
				tallies = make([]tally, clients)
				client := how(n)
				return serve(clients, func(k int) {
					share := shareOf(k, clients, n)
					tallies[k] = askAll(client(share), share)
				})
			},
			check:  func() error { return checkTallies(tallies, n) },
			figure: func(took time.Duration) float64 { return float64(n) / took.Seconds() },
		}, nil
	}}
}

const (
	// wantedRate is that of the article, in requests a second.
	wantedRate = 3000
	// ratedShare is the part of the work that points with that rate do, for they
	// last a third of a millisecond a request.
	ratedShare = 250
)

// ratedPoint measures how long requests wait for their number, if they come at
// the wanted rate. The figure is the given quantile.
func ratedPoint(label string, clients int, how numbering, quantile float64) point {
	share := func(n int) int { return max(n/ratedShare, 1) }
	size := func(n int) string { return humanize.Count(share(n), "requests") }
	return point{label: label, x: float64(clients), unit: "µs", aside: true, size: size, set: func(n int) (task, error) {
		n = share(n)
		waits := make([]time.Duration, n)
		tallies := make([]tally, clients)
		return task{
			once: true,
			run: func() error {
				client := how(n)
				began := time.Now()
				return goroutines(clients, func(k int) {
					next := client((n - k + clients - 1) / clients)
					for i := k; i < n; i += clients {
						due := time.Duration(i) * time.Second / wantedRate
						asked := time.Since(began)
						if asked < due {
							time.Sleep(due - asked)
							asked = time.Since(began) // that a timer is late is not a fault of the numbering
						} else {
							asked = due // the request before took too long, and this one had to wait for it
						}
						tallies[k].add(next())
						waits[i] = time.Since(began) - asked
					}
				})
			},
			check:  func() error { return checkTallies(tallies, n) },
			figure: func(time.Duration) float64 { return quantileOf(waits, quantile).Seconds() * 1e6 },
		}, nil
	}}
}

// quantileOf returns the least duration that the given part of all does not
// exceed. It sorts them.
func quantileOf(all []time.Duration, part float64) time.Duration {
	slices.Sort(all)
	return all[min(int(part*float64(len(all))), len(all)-1)]
}
