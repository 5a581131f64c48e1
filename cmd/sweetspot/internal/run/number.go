package run

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A Number is how many jobs run at a time, for a command that does not start them itself. It is
// what -j and the flags beside it say, and is found, changed, shown and explained as that of run.
type Number struct {
	o       options
	meter   // of a runner that starts no jobs
	sharing *sweetspot.Sharing
	page    *livePage
	told    int64 // the newest decision that Verbose told

	// Verbose tells each decision when it is taken.
	Verbose bool
	// Least returns where the search begins, and what it does not go below without a --min. The
	// flags bound it.
	Least func(cpus float64) int
}

var numberFlags = []string{"jobs", "min", "max", "law", "share", "explain", "ui"}

// NewNumber returns a Number whose flags are among those of c.
func NewNumber(c *cobra.Command) *Number {
	n := &Number{}
	register(numberFlags, c.Flags(), &n.o)
	return n
}

// Fixed reports whether the flags give the number.
func (n *Number) Fixed() bool {
	_, fixed := n.o.jobs.limit(1)
	return fixed && n.o.jobs.file == ""
}

// Open returns the Limiter with the number. Messages begin with program. Close must follow.
func (n *Number) Open(program string, sensor sense.Sensor) (*sweetspot.Limiter, error) {
	if err := n.o.fits(); err != nil {
		return nil, err
	}
	r := &runner{
		console: &console{program: program, stdout: os.Stdout, stderr: os.Stderr, terminal: isTerminal(os.Stderr)},
		cpus:    sensor.Sense(0).CPUs,
	}
	var err error
	if n.sharing, err = n.o.sharing(); err != nil {
		return nil, err
	}
	words := strings.Fields(program)
	opts := []sweetspot.LimiterOption{n.sharing, sweetspot.Name(words[len(words)-1])}
	if n.Least != nil && !n.Fixed() {
		least := n.o.within(n.Least(r.cpus))
		opts = append(opts, sweetspot.Start(least), sweetspot.Min(least))
	}
	n.runner = r
	r.limiter, n.fixed = n.o.limiter(sensor, r.cpus, nil, nil, opts...)
	if n.page, err = n.o.ui.open(r.console); err != nil {
		n.sharing.Close()
		return nil, err
	}
	r.takeHand(&n.o.limitOptions)
	n.trace, n.began = newTrace(), time.Now()
	return r.limiter, nil
}

// Tell writes a message to stderr.
func (n *Number) Tell(text string) { n.runner.console.tell(text) }

// Sample takes note of the number of this moment, when so many jobs have ended. One goroutine
// at a time may call it, ten times a second or so.
func (n *Number) Sample(done int64) {
	n.runner.done.Store(done)
	n.sample()
	if !n.Verbose {
		return
	}
	for _, d := range n.runner.limiter.Decisions() {
		if d.Seq > n.told {
			n.told = d.Seq
			n.Tell(d.Reason.String())
		}
	}
}

// Close ends what Open began. With --explain it writes to stderr why the number is what it is,
// below what said says of the work. most is how many jobs ran at a time.
func (n *Number) Close(done, most int64, said string) error {
	n.runner.hand.close(nil) // nothing is ever overdue
	n.page.close()
	n.sharing.Close()
	if !n.o.explain {
		return nil
	}
	n.Sample(done)
	n.close()
	var b strings.Builder
	fmt.Fprintf(&b, "It took %s; %s.\n", seconds(n.took.Seconds()), said)
	a := n.account(n.o.said(n.runner.cpus), n.o.share, n.sharing.Met(), most)
	a.tellLimit(&b)
	a.tellUnbound(&b)
	_, err := io.WriteString(os.Stderr, b.String())
	return err
}
