package lab

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

const (
	oneThread  = "one process, 1 thread"
	oneProcess = "one process, all CPUs"
	balanced   = "processes, balancer"
	ourProcess = "one process, atomic and Limiter"
	slowestOf  = "p99, " // and a label
)

// A serving starts the servers of a point, for that many CPUs.
type serving struct {
	label string
	start func(f *fleet, cpus int) error
}

var fleets = []serving{
	{oneThread, func(f *fleet, _ int) error { return f.start(service{Kind: serveChannel, First: 1, Step: 1}, 1) }},
	{oneProcess, func(f *fleet, n int) error { return f.start(service{Kind: serveChannel, First: 1, Step: 1}, n) }},
	{balanced, func(f *fleet, cpus int) error {
		f.step = int64(cpus) // each numbers for itself: the first one gives 1, cpus+1 and so on
		o := service{Kind: serveBalancer}
		for k := range f.step {
			if err := f.start(service{Kind: serveChannel, First: k + 1, Step: f.step}, 1); err != nil {
				return err
			}
			o.Backends = append(o.Backends, f.address)
		}
		return f.start(o, cpus)
	}},
	{ourProcess, func(f *fleet, n int) error { return f.start(service{Kind: serveAtomic, First: 1, Step: 1}, n) }},
}

// fleetPoints measure the runs of clients that ask a fleet: how many requests a second
// it serves, and how long 99 in 100 take. The clients are in the process of the sample.
func fleetPoints(label string, ours bool, start func(*fleet, int) error) []point {
	rate := point{label: label, unit: "requests/s", ours: ours, from: "C6: " + label, set: func(n int) (task, error) {
		f := &fleet{step: 1}
		if err := start(f, runtime.GOMAXPROCS(0)); err != nil {
			return task{}, errors.Join(err, f.stop())
		}
		c, err := dial(f.address, f.step)
		if err != nil {
			return task{}, errors.Join(err, f.stop())
		}
		if err := c.meet(); err != nil {
			return task{}, errors.Join(err, c.close(), f.stop())
		}
		return task{
			run:    func() error { return c.ask(n) },
			check:  c.check,
			figure: perSecond(n),
			aside:  func() aside { return aside{Extra: map[string]float64{slowestOf: milliseconds(c.slowest())}} },
			close:  func() error { return errors.Join(c.close(), f.stop()) },
		}, nil
	}}
	return []point{rate, rate.showing(slowestOf+label, "ms", slowestOf)}
}

func c6() *experiment {
	return &experiment{
		id: "C6", size: size{12_800, 64_000, 256_000, "requests"}, better: higher,
		points: func(scale) []point {
			return concat(fleets, func(f serving) []point { return fleetPoints(f.label, f.label == ourProcess, f.start) })
		},
		judge: judgeProcesses,
	}
}

// fewerRequests is how much less the article's server did on 4 threads.
const fewerRequests = 0.1

func judgeProcesses(r *results) verdict {
	one, all := r.at(oneThread, 0), r.at(oneProcess, 0)
	threads := ratio(all, one)
	v := verdict{
		ours:   r.answer(),
		effect: threads.sees(1, 1-fewerRequests/2),
	}
	if r.cpus == 1 {
		v.effect = figures.Untold
		v.words = "Go uses a single CPU here, so one process has one thread in any case"
	} else {
		change := threads.beside(1, "more threads do less", "no clear difference", "more threads do more")
		v.words = fmt.Sprintf("%s: one process with %d serves %v the requests of one with 1", change, r.cpus, threads)
	}
	v.words += fmt.Sprintf("; %s behind a balancer %s %v as many as one on all CPUs",
		humanize.Count(r.cpus, "processes"), verb(r.cpus, "serves", "serve"), ratio(r.at(balanced, 0), all))
	slowest := each(fleets, func(f serving) string {
		return fmt.Sprintf("%s ms (%s)", humanize.Number(r.at(slowestOf+f.label, 0).Y), f.label)
	})
	v.notes = append(v.notes, "99 % of the replies come within "+strings.Join(slowest, ", ")+".")
	return v
}

const (
	// callerCount is how many connections are kept open: many for each server, so
	// that the kernel's choice among processes comes out about even.
	callerCount = 64
	// answersMost bounds a run, so that a server that hangs is an error. It is far
	// beyond what the runs of the article's size take.
	answersMost = 4 * time.Minute
	keyCount    = 256
)

// callers ask a server over connections that stay open, each again as soon as it
// has its reply.
type callers struct {
	conns   []net.Conn
	digests [keyCount]uint64 // what replies must hold
	got     [][]int64        // numbers of the last run, by connection
	took    [][]time.Duration
	due     map[int64]int64 // by numbering: its next number
	step    int64
}

func dial(address string, step int64) (*callers, error) {
	c := &callers{got: make([][]int64, callerCount), took: make([][]time.Duration, callerCount), due: map[int64]int64{}, step: step}
	for key := range c.digests {
		c.digests[key] = digest(uint64(key))
	}
	for i := range step {
		c.due[i] = i + 1
	}
	for range callerCount {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return nil, errors.Join(err, c.close())
		}
		c.conns = append(c.conns, conn)
	}
	return c, nil
}

func (c *callers) close() error {
	return errors.Join(each(c.conns, net.Conn.Close)...)
}

// meet makes a request on each connection. Only the kernel knows a connection
// that was just dialled: once it has its reply, the server has accepted it, and
// a balancer has dialled on.
func (c *callers) meet() error {
	if err := c.ask(len(c.conns)); err != nil {
		return err
	}
	return c.check()
}

func (c *callers) ask(n int) error {
	return allAtOnce(context.Background(), len(c.conns), func(_ context.Context, k int) error { return c.askOne(k, shareOf(k, len(c.conns), n)) })
}

func (c *callers) askOne(k, share int) error {
	conn := c.conns[k]
	if err := conn.SetDeadline(time.Now().Add(answersMost)); err != nil {
		return err
	}
	got, took := c.got[k][:0], c.took[k][:0]
	var request [requestSize]byte
	var reply [replySize]byte
	for i := range share {
		key := (k + i) % keyCount
		binary.BigEndian.PutUint64(request[:], uint64(key))
		began := time.Now()
		if _, err := conn.Write(request[:]); err != nil {
			return err
		}
		if _, err := io.ReadFull(conn, reply[:]); err != nil {
			return fmt.Errorf("no reply: %w", err)
		}
		took = append(took, time.Since(began))
		got = append(got, int64(binary.BigEndian.Uint64(reply[:])))
		if sum := binary.BigEndian.Uint64(reply[8:]); sum != c.digests[key] {
			return fmt.Errorf("the digest of %d is %#x, want %#x", key, sum, c.digests[key])
		}
	}
	c.got[k], c.took[k] = got, took
	return nil
}

// check reports whether each numbering has given its numbers without a gap or a
// repetition, and each connection got its own in order.
func (c *callers) check() error {
	for k, got := range c.got {
		if !slices.IsSorted(got) {
			return fmt.Errorf("connection %d has got numbers out of order", k)
		}
	}
	all := slices.Concat(c.got...)
	slices.Sort(all)
	for _, number := range all {
		of := max(number-1, 0) % c.step
		if number != c.due[of] {
			return fmt.Errorf("a reply has the number %d, want %d", number, c.due[of])
		}
		c.due[of] += c.step
	}
	return nil
}

// slowest returns the 99th percentile of what the replies of the last run took.
func (c *callers) slowest() time.Duration { return quantileOf(slices.Concat(c.took...), 0.99) }
