package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/lab/figures"
)

func c5() *experiment {
	const (
		many    = 8
		oneCPU  = "unbuffered, 1 CPU"
		blocks  = "ForEach, blocks of 100"
		p50     = "p50 at 3,000/s, "
		p99     = "p99 at 3,000/s, "
		mutexed = "mutex"
		counter = "atomic"
	)
	return &experiment{
		id: "C5", title: "A numbering service", article: articleChannels,
		about: "Each request gets the next number, from one goroutine behind a channel (unbuffered, or with a buffer of 100), under a mutex, by an atomic counter, or from blocks of 100 numbers that each client takes off an atomic counter. Clients, 1 or 8, ask again as soon as they have their number: that gives the most a second. For the latencies 8 clients ask 3,000 times a second together (a 250th of the requests), and what a request waits for an earlier one of its client counts. With blocks, numbers are unique and each client's own rise, but those of different clients are not in the order of their requests. There the clients are the items of ForEach, so they need not all be served at a time.",
		claim: "3,000 requests a second from one context are about the limit of Go, mainly because of channels, and more threads and cores add little (no size, no times given)",
		size:  size{80_000, 1_000_000, 1_000_000, "requests"},
		axis:  figures.Axis{Name: "clients"}, better: higher,
		points: func(scale) []point {
			var ps []point
			for _, clients := range []int{1, many} {
				ours := numberingPoint(blocks, clients, byBlocks, items)
				ours.ours = true
				ps = append(ps,
					numberingPoint(unbuffered, clients, byGoroutine(0), goroutines),
					numberingPoint(buffer100, clients, byGoroutine(100), goroutines),
					numberingPoint(mutexed, clients, byMutex, goroutines),
					numberingPoint(counter, clients, byAtomic, goroutines),
					ours)
			}
			single := numberingPoint(oneCPU, many, byGoroutine(0), goroutines)
			single.cpus = 1
			rated := ratedPoint(p99+"blocks", many, byBlocks, 0.99)
			rated.ours = true
			return append(ps, single,
				ratedPoint(p50+unbuffered, many, byGoroutine(0), 0.5),
				ratedPoint(p99+unbuffered, many, byGoroutine(0), 0.99),
				rated)
		},
		judge: func(r *results) verdict {
			channel := r.at(unbuffered, many)
			middle, slow := r.at(p50+unbuffered, many), r.at(p99+unbuffered, many)
			gap := 1e6 / wantedRate
			pace := "in some rounds later than the next one comes"
			switch {
			case slow.High < gap:
				pace = "before the next one comes"
			case slow.Low > gap:
				pace = "later than the next one comes"
			}
			cpus := fmt.Sprintf("with %d CPUs it gives %v what it gives with one", r.cpus, r.speedup(channel, r.at(oneCPU, many)))
			if r.cpus == 1 {
				cpus = "Go uses a single CPU here"
			}
			mutex, atomic := r.speedup(r.at(mutexed, many), channel), r.speedup(r.at(counter, many), channel)
			costs := "What limits is not the channel"
			if mutex.low > 1 && atomic.low > 1 {
				costs = "What limits is still the channel"
			}
			limit := "no limit here"
			holds := channel.High <= wantedRate
			if holds {
				limit = "about the limit here too"
			}
			return verdict{
				words: fmt.Sprintf("3,000 a second are %s: the unbuffered channel gives %s numbers a second to 8 clients, %s times that; %s. At 3,000 a second half of the requests have their number within %s µs and 99 %% within %s µs, %s. %s: a mutex gives %v as many, an atomic counter %v",
					limit, grouped(int(channel.Y)), three(channel.Y/wantedRate), cpus, three(middle.Y), three(slow.Y), pace,
					costs, mutex, atomic),
				holds: holds,
				ours:  r.answer(),
			}
		},
	}
}
