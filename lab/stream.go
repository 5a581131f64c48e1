package lab

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sense"
)

// The streams of the article "Go: multithreading and parallelism", written from
// their description. Each returns the sum of what has arrived.

func free(f func()) { go f() }

// tied starts a goroutine with a thread of its own. Two of them hand over from
// thread to thread, whatever the scheduler would do.
func tied(f func()) {
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		f()
	}()
}

// tenths is how many successive timings of a stream there are, as in the article.
const tenths = 10

// stream sends n ints from one goroutine to another. It returns their sum, and the time
// of each tenth of them in nanoseconds an int.
func stream(start func(func()), n, buffer int) (int64, []float64) {
	ints := make(chan int, buffer)
	done := make(chan int64)
	start(func() {
		for i := range n {
			ints <- i
		}
	})
	times := make([]float64, tenths)
	start(func() {
		var sum int64
		began := time.Now()
		for i := range tenths {
			part := n*(i+1)/tenths - n*i/tenths
			for range part {
				sum += int64(<-ints)
			}
			now := time.Now()
			times[i] = float64(now.Sub(began).Nanoseconds()) / float64(max(part, 1))
			began = now
		}
		done <- sum
	})
	return <-done, times
}

// replyBuffer is that of the channel of requests, and of each reply's own.
const replyBuffer = 100

// replies sends n requests, each a channel made for its reply, and waits for each
// reply in turn.
func replies(start func(func()), n int) int64 {
	requests := make(chan chan int, replyBuffer)
	done := make(chan int64)
	start(func() {
		var sum int64
		for range n {
			reply := make(chan int, replyBuffer)
			requests <- reply
			sum += int64(<-reply)
		}
		done <- sum
	})
	start(func() {
		for i := range n {
			reply := <-requests
			reply <- i
		}
	})
	return <-done
}

// below is the sequence of the numbers below n.
func below(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// streamBySeq is the stream by MapSeq. The sequence takes the place of the sender,
// and the loop that of the receiver. The function between would do something with an
// int; here it does nothing.
func streamBySeq(n int) (int64, error) {
	var sum int64
	for v, err := range sweetspot.MapSeq(context.Background(), below(n), func(_ context.Context, v int) (int, error) { return v, nil }) {
		if err != nil {
			return 0, err
		}
		sum += int64(v)
	}
	return sum, nil
}

// sumPoint measures a function that adds up the numbers below n. The figure is
// the time of one number.
func sumPoint(label, unit string, sum func(n int) (int64, error)) point {
	return point{label: label, unit: unit, set: func(n int) (task, error) {
		return sumTask(label, int64(n), func() (int64, error) { return sum(n) })
	}}
}

// handOverPoint measures a stream, and also how long each tenth of it took.
func handOverPoint(label, unit string, buffer int) point {
	return point{label: label, unit: unit, set: func(n int) (task, error) {
		var times []float64
		t, err := sumTask(label, int64(n), func() (sum int64, _ error) {
			sum, times = stream(free, n, buffer)
			return sum, nil
		})
		t.aside = func() aside {
			s := figures.Series{Panel: "ten successive timings", Label: fmt.Sprintf("GOMAXPROCS %d", runtime.GOMAXPROCS(0)), Name: "time of an int", Unit: "ns"}
			at := 0.0
			for _, took := range times {
				at += took * float64(n) / tenths / 1e9
				s.Times, s.Values = append(s.Times, at), append(s.Values, rounded(took))
			}
			return aside{Series: []figures.Series{s}}
		}
		return t, err
	}}
}

func replyPoint(unit string) point {
	return sumPoint(channelOfChannels, unit, func(n int) (int64, error) { return replies(free, n), nil })
}

// avoids marks an answer that does not hand over what the article does.
func avoids(o *figures.Ours) *figures.Ours {
	o.Avoids = "the items are so small that MapSeq keeps them in one goroutine and hands nothing over"
	return o
}

func seqPoint(unit string) point {
	return sumPoint("MapSeq", unit, streamBySeq).asOurs()
}

const (
	unbuffered        = "unbuffered"
	buffer1           = "buffer 1"
	buffer100         = "buffer 100"
	channelOfChannels = "channel of channels"
	tiedToThreads     = "tied to threads"
	busyWith          = "CPUs busy, " // and a label
	independent       = "independent goroutines"
)

// tiedShare is the part of the work that points with tied goroutines do: theirs
// takes about a hundred times as long.
const tiedShare = 100

// tiedPoint measures goroutines that are tied to threads, to show what a
// hand-over between threads costs.
func tiedPoint(unit, of string, sum func(n int) int64) point {
	p := sumPoint(tiedToThreads, unit, func(n int) (int64, error) { return sum(n), nil }).asAside()
	share := func(n int) int { return max(n/tiedShare, 1) }
	p.size = func(n int) string { return humanize.Count(share(n), of) }
	set := p.set
	p.set = func(n int) (task, error) { return set(share(n)) }
	return p
}

// busyPoints measure how many CPUs p keeps busy, and how many two independent
// goroutines do: neighbours may leave less than two CPUs.
func busyPoints(p point) []point {
	size := func(int) string { return fmt.Sprintf("2 goroutines for %d ms", spinTime.Milliseconds()) }
	two := point{label: independent, size: size, set: func(int) (task, error) {
		return task{run: func() error { return goroutines(2, func(int) { spin(spinTime) }) }}, nil
	}}
	return []point{onAll(busyPoint(p)), onAll(busyPoint(two))}
}

// spinTime is the shortest time of a measurement, so that one run is a whole sample.
var spinTime = runsLeast

func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// busyPoint measures how many CPUs p keeps busy, in place of its time.
func busyPoint(p point) point {
	p.label, p.unit, p.aside = busyWith+p.label, "CPUs", true
	return p.with(func(t *task, _ int) {
		run, process := t.run, sense.NewProcess()
		used := 0.0
		t.run = func() error {
			before := process.Sense(0).OwnCPU
			err := run()
			used = process.Sense(0).OwnCPU - before
			return err
		}
		t.figure = func(took time.Duration) float64 { return used / took.Seconds() }
	})
}

// cpuAxis is the axis of points that differ by how many CPUs Go uses.
var cpuAxis = figures.Axis{Name: "CPUs"}

// allCPUs is the place of all CPUs on it.
func allCPUs() float64 { return float64(runtime.GOMAXPROCS(0)) }

// onAll puts p at all CPUs.
func onAll(p point) point {
	return p.at(allCPUs())
}

// onOneAndAll returns p at one CPU and at all, unless that is the same.
func onOneAndAll(p point) []point {
	one := p.at(1)
	one.cpus = 1
	if allCPUs() == 1 {
		return []point{one}
	}
	return []point{one, onAll(p)}
}
