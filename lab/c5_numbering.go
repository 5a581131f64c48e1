package lab

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

const (
	manyClients = 8
	onOneCPU    = "unbuffered, 1 CPU"
	byMutexes   = "mutex"
	byCounter   = "atomic"
	p50         = "p50 at 3,000/s, " // and a label
	p99         = "p99 at 3,000/s, "
)

// A way to number. rated is its label where goroutines ask at the rate of the article.
type way struct {
	label, rated string
	how          numbering
	serve        func(int, func(int)) error
	ours         bool
}

// numberings are the ways. Those of the article have each client in a goroutine.
var numberings = []way{
	{unbuffered, unbuffered, byGoroutine(0), goroutines, false},
	{buffer100, buffer100, byGoroutine(100), goroutines, false},
	{byMutexes, byMutexes, byMutex, goroutines, false},
	{byCounter, byCounter, byAtomic, goroutines, false},
	{"ForEach, blocks of 100", "blocks of 100", byBlocks, items, true},
}

func c5() *experiment {
	return &experiment{
		id: "C5", size: size{80_000, 1_000_000, 1_000_000, "requests"},
		axis: figures.Axis{Name: "clients"}, better: higher,
		points: func(scale) []point {
			var ps []point
			for _, clients := range []int{1, manyClients} {
				for _, v := range numberings {
					p := numberingPoint(v.label, clients, v.how, v.serve)
					p.ours = v.ours
					ps = append(ps, p)
				}
			}
			single := numberingPoint(onOneCPU, manyClients, byGoroutine(0), goroutines)
			single.cpus = 1
			ps = append(ps, single)
			for _, q := range []struct {
				label string
				part  float64
			}{{p50, 0.5}, {p99, 0.99}} {
				for _, v := range numberings {
					p := ratedPoint(q.label+v.rated, manyClients, v.how, q.part)
					p.ours = v.ours
					ps = append(ps, p)
				}
			}
			return ps
		},
		judge: judgeNumbering,
	}
}

func judgeNumbering(r *results) verdict {
	channel := r.at(unbuffered, manyClients)
	effect := interval(channel).below(wantedRate)
	limit := says(effect, "3,000 a second are about the limit here too", "3,000 a second are not the limit here",
		"whether 3,000 a second are the limit here is undecided")
	v := verdict{
		words: fmt.Sprintf("%s: one goroutine behind an unbuffered channel gives %d clients %s numbers a second, %s times that",
			limit, manyClients, humanize.Grouped(int(channel.Y)), humanize.Number(channel.Y/wantedRate)),
		effect: effect,
		ours:   r.answer(),
	}

	mutex, atomic := r.speedup(r.at(byMutexes, manyClients), channel), r.speedup(r.at(byCounter, manyClients), channel)
	cause := "whether the channel is the limit is undecided"
	switch {
	case mutex.low > 1 && atomic.low > 1:
		cause = "the channel is still the limit"
	case mutex.high < 1 && atomic.high < 1:
		cause = "the channel is not the limit"
	}
	v.notes = append(v.notes, fmt.Sprintf("A mutex gives %v as many, an atomic counter %v: %s.", mutex, atomic, cause))
	if r.cpus == 1 {
		v.notes = append(v.notes, "Go uses a single CPU here, so the figures do not show what more CPUs add.")
	} else {
		v.notes = append(v.notes, fmt.Sprintf("With %d CPUs the channel gives %v what it gives with one.", r.cpus, r.speedup(channel, r.at(onOneCPU, manyClients))))
	}
	within := func(quantile string) string {
		return strings.Join(each(numberings, func(v way) string {
			return fmt.Sprintf("%s µs (%s)", humanize.Number(r.at(quantile+v.rated, manyClients).Y), v.rated)
		}), ", ")
	}
	const gap = 1e6 / wantedRate
	pace := interval(r.at(p99+unbuffered, manyClients)).beside(gap, "before", "in some rounds later than", "later than")
	v.notes = append(v.notes,
		fmt.Sprintf("At 3,000 a second, half of the requests have their number within %s.", within(p50)),
		fmt.Sprintf("99 %% have it within %s. Behind the unbuffered channel that is %s the next request comes, after %.0f µs.", within(p99), pace, gap))
	return v
}

// A numbering gives each request the next number, from 1. One client alone calls
// the function that it returns, which gives that client its next number; share is
// how many it will ask for.
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

// A tally is what a client has received.
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

// checkTallies reports whether clients have received each number from 1 to n
// once, by their sum, and each its own in order.
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

// items serves clients as the items of a call, in as many goroutines as the call
// finds worthwhile.
func items(clients int, client func(k int)) error {
	return byForEach(context.Background(), clients, func(_ context.Context, k int) error {
		client(k)
		return nil
	})
}

// numberingPoint measures how many requests a second are served if clients ask
// again at once.
func numberingPoint(label string, clients int, how numbering, serve func(int, func(int)) error) point {
	return point{label: label, x: float64(clients), unit: "requests/s", set: func(n int) (task, error) {
		ask := func() ([]tally, error) {
			tallies, client := make([]tally, clients), how(n)
			return tallies, serve(clients, func(k int) {
				share := shareOf(k, clients, n)
				tallies[k] = askAll(client(share), share)
			})
		}
		return making(ask, func(all []tally) error { return checkTallies(all, n) }, perSecond(n)), nil
	}}
}

const (
	// wantedRate is that of the article, in requests a second.
	wantedRate = 3000
	// Points with that rate do the work divided by ratedShare, because each of
	// their requests lasts a third of a millisecond.
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
	return all[max(0, int(math.Ceil(part*float64(len(all))))-1)]
}
