package lab

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// What the tests of the experiments about channels see of them.

const (
	Free = false
	Tied = true
)

func starter(tie bool) func(func()) {
	if tie {
		return tied
	}
	return free
}

func Stream(tie bool, n, buffer int) int64 {
	sum, _ := stream(starter(tie), n, buffer)
	return sum
}

func Replies(tie bool, n int) int64    { return replies(starter(tie), n) }
func StreamBySeq(n int) (int64, error) { return streamBySeq(n) }
func Filled(n int) (int64, error)      { return filled(n) }
func Sliced(n int) (int64, error)      { return sliced(n) }

// SumPointCheck runs a point that measures sum, and returns its check.
func SumPointCheck(n int, sum func(n int) (int64, error)) error {
	t, err := sumPoint("", "", sum).set(n)
	return errors.Join(err, t.run(), t.check())
}

// ChannelPoint is what tests want to know of a point.
type ChannelPoint struct {
	Name, Label, Unit string
	X                 float64
	Ours, Aside       bool
}

func ChannelPoints(id string) []ChannelPoint {
	var ps []ChannelPoint
	for _, p := range find(id).points(quick) {
		ps = append(ps, ChannelPoint{p.name(), p.label, p.unit, p.x, p.ours, p.aside})
	}
	return ps
}

func ChannelSizes(id string) (quick, full, article int) {
	s := find(id).size
	return s.quick, s.full, s.article
}

// A ChannelVerdict is what an experiment makes of figures.
type ChannelVerdict struct {
	Words  string
	Effect figures.Effect
	Ours   *figures.Ours
	Notes  []string
}

func JudgeChannels(id string, cpus int, points []figures.Point) ChannelVerdict {
	e := find(id)
	v := e.judge(&results{e: e, points: points, scale: quick, cpus: cpus})
	return ChannelVerdict{v.words, v.effect, v.ours, v.notes}
}

// Numberings are the ways to number, by name.
var Numberings = map[string]numbering{
	"unbuffered": byGoroutine(0), "buffer 100": byGoroutine(100), "mutex": byMutex, "atomic": byAtomic, "blocks": byBlocks,
}

// Numbers returns the numbers that each client gets of n.
func Numbers(how string, clients, n int, asItems bool) ([][]int64, error) {
	got := make([][]int64, clients)
	client := Numberings[how](n)
	serve := goroutines
	if asItems {
		serve = items
	}
	err := serve(clients, func(k int) {
		share := shareOf(k, clients, n)
		next := client(share)
		for range share {
			got[k] = append(got[k], next())
		}
	})
	return got, err
}

// CheckNumbers checks the numbers that clients have got.
func CheckNumbers(got [][]int64, n int) error {
	tallies := make([]tally, len(got))
	for k := range got {
		for _, number := range got[k] {
			tallies[k].add(number)
		}
	}
	return checkTallies(tallies, n)
}

func Quantile(all []time.Duration, part float64) time.Duration {
	return quantileOf(slices.Clone(all), part)
}

func ReadAddress(out io.Reader) (string, error) { return readAddress(out) }

const CallerCount = callerCount

// Callers are connections to a server.
type Callers struct{ c *callers }

func Dial(address string, step int64) (Callers, error) {
	c, err := dial(address, step)
	return Callers{c}, err
}

func (c Callers) Ask(n int) error { return c.c.ask(n) }
func (c Callers) Check() error    { return c.c.check() }
func (c Callers) Close() error    { return c.c.close() }

// SetNumbers puts numbers in place of those that the connections have got.
func (c Callers) SetNumbers(got [][]int64) { c.c.got = got }

// CallersOf makes callers that have got numbers, but no connections.
func CallersOf(step int64, got [][]int64) Callers {
	c := &callers{got: got, due: map[int64]int64{}, step: step}
	for i := range step {
		c.due[i] = i + 1
	}
	return Callers{c}
}

// FleetTask prepares a point of C6 whose servers are at an address, and returns
// its run.
func FleetTask(address string, n int) (run, end func() error, err error) {
	start := func(f *fleet, _ int) error { f.address = address; return nil }
	t, err := fleetPoints("", false, start)[0].set(n)
	return t.run, t.close, err
}

// Fleets are the ways to serve, by label.
func Fleets() []string {
	var all []string
	for _, f := range fleets {
		all = append(all, f.label)
	}
	return all
}

// A Fleet is servers that run as child processes.
type Fleet struct{ f *fleet }

func StartFleet(label string, cpus int) (Fleet, error) {
	f := &fleet{step: 1}
	for _, x := range fleets {
		if x.label == label {
			return Fleet{f}, x.start(f, cpus)
		}
	}
	return Fleet{f}, errors.New("no such fleet: " + label)
}

func (f Fleet) Address() string { return f.f.address }
func (f Fleet) Step() int64     { return f.f.step }
func (f Fleet) Processes() int  { return len(f.f.servers) }
func (f Fleet) Stop() error     { return f.f.stop() }

// Kill ends the servers without their knowledge, and waits for that.
func (f Fleet) Kill() {
	for _, s := range f.f.servers {
		s.process.Process.Kill()
	}
	f.f.stop()
}

// MeasureHere measures a point in this process.
func MeasureHere(order string) (string, error) {
	var out bytes.Buffer
	err := Measure(order, &out)
	return strings.TrimSpace(out.String()), err
}

// StreamTimed is an unbuffered stream with the time of each tenth.
func StreamTimed(n int) (int64, []float64) { return stream(free, n, 0) }
