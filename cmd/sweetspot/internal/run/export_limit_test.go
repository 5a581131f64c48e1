package run

import (
	"context"
	"io"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/control"
)

var (
	Renice           = process.Renice
	WantingProcesses = wantingProcesses
)

// Memory reads a --memfree.
func Memory(text string) (float64, error) {
	var s Size
	err := s.Set(text)
	return float64(s), err
}

var BytesText = bytesText

// Hand turns a limiter by a file.
type Hand struct{ h *hand }

// NewHand returns a hand for the file of a -j, which may turn the number up to a
// highest one.
func NewHand(l *sweetspot.Limiter, file string, cpus float64, most int, say io.Writer) (Hand, error) {
	o := limitOptions{max: most}
	if err := o.jobs.Set(file); err != nil {
		return Hand{}, err
	}
	r := &runner{limiter: l, cpus: cpus, console: &console{stderr: say}}
	return Hand{&hand{runner: r, flags: &o, last: o.jobs}}, nil
}

func (h Hand) Look() { h.h.look() }

// Gate is a gate with a machine of its own.
type Gate struct{ g *gate }

// NewGate returns a gate that wants so much, on a machine that the functions
// describe.
func NewGate(delay time.Duration, memory float64, load string, free func() float64, wanting, running func() int, say func(string)) (Gate, error) {
	var n int
	if load != "" {
		l, err := parseLoad(load)
		if err != nil {
			return Gate{}, err
		}
		n, _ = l.limit(2)
	}
	return Gate{&gate{
		delay: delay, memory: memory, load: float64(n), running: running, say: say, turn: make(chan struct{}, 1),
		freeMemory: func() (float64, float64, bool) { return free(), 1 << 40, true },
		wanting:    func() (int, error) { return wanting(), nil },
	}}, nil
}

func (g Gate) Acquire(ctx context.Context, l *sweetspot.Limiter) error {
	_, err := g.g.begin(ctx, l)
	return err
}

// Retry waits for the gate with a permit in hand.
func (g Gate) Retry(ctx context.Context) error { return g.g.retry(ctx) }

func (g Gate) Started() { g.g.started() }

// Admit has g ask admits before each start but the first.
func (g Gate) Admit(admits func(starting int) (bool, string)) {
	g.g.admits, g.g.end = admits, make(chan struct{}, 1)
}

// Ended says that a job has ended.
func (g Gate) Ended() { g.g.ended() }

// LoadFlag reads a --load and returns it for a number of CPUs.
func LoadFlag(text string, cpus float64) (int, error) {
	l, err := parseLoad(text)
	if err != nil {
		return 0, err
	}
	n, _ := l.limit(cpus)
	return n, nil
}

// LimitFlags returns what is wrong with flags.
func LimitFlags(args []string) error {
	_, _, err := parse(append(args, "c", ":::"))
	return err
}

// Unbounded returns what run says where the system hides something.
func Unbounded(hidden string, args []string) (string, error) {
	o, _, err := parse(append(args, "true", ":::", "1"))
	if err != nil {
		return "", err
	}
	return o.unbounded(hidden), nil
}

// NewSight returns a law for a list of which so many jobs are left, if that is known, and whose
// jobs have waited so long for memory.
func NewSight(law control.Controller, left func() (int64, bool), held func() time.Duration) control.Controller {
	return &sight{Controller: law, left: left, held: held}
}

// HeldFor returns for how long jobs have waited for memory that others may need.
func (g Gate) HeldFor() time.Duration { return g.g.heldFor() }
