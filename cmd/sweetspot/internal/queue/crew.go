package queue

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"

	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
	"golang.org/x/term"
)

// A crew is the workers that a scale has started.
type crew struct {
	name    string // of the queue
	args    []string
	workers []*process // those that shall stay
	leaving []*process
	ended   chan *process
	served  bool                // one of them has announced itself
	heard   map[string]sighting // by the worker's name
	failed  int                 // workers that have ended with an error
}

type process struct {
	*exec.Cmd
	name  string // as it announces itself
	stdin io.Closer
	err   error // of its end
}

// A sighting is what a worker answered last.
type sighting struct {
	natslimit.Worker
	missed int // looks since then
}

// comeBack is for how many looks a worker may be missing: after a restart of the server it connects again
// within a second or two, TLS included.
const comeBack = 3

// present returns the workers, given those that answer. While jobs are taken, a worker that is missing is not
// believed to be gone at once: after a restart of the server we may be connected again before it is.
func (c *crew) present(workers []natslimit.Worker, taken int) []natslimit.Worker {
	heard := make(map[string]sighting, len(workers))
	for _, w := range workers {
		heard[w.Name] = sighting{Worker: w}
	}
	for name, s := range c.heard {
		if _, here := heard[name]; here || taken == 0 || s.Draining || s.missed == comeBack {
			continue
		}
		s.missed++
		heard[name] = s
		workers = append(workers, s.Worker)
	}
	c.heard = heard
	return workers
}

// others returns how many of the workers are not of the crew.
func (c *crew) others(workers []natslimit.Worker) (n int) {
	for _, w := range workers {
		of := func(p *process) bool { return p.name == w.Name }
		switch {
		case slices.ContainsFunc(c.workers, of), slices.ContainsFunc(c.leaving, of):
			c.served = true
		case !w.Draining:
			n++
		}
	}
	return n
}

// set starts workers, or lets those end that have the fewest jobs.
func (c *crew) set(n int, workers []natslimit.Worker) error {
	jobs := map[string]int{}
	for _, w := range workers {
		jobs[w.Name] = w.InFlight
	}
	slices.SortStableFunc(c.workers, func(a, b *process) int { return jobs[b.name] - jobs[a.name] })
	for len(c.workers) > n {
		last := len(c.workers) - 1
		_ = c.workers[last].stdin.Close() // --until-eof
		c.leaving, c.workers = append(c.leaving, c.workers[last]), c.workers[:last]
	}
	for len(c.workers) < n {
		if err := c.start(); err != nil {
			return fmt.Errorf("cannot start a worker: %w", err)
		}
	}
	return nil
}

func (c *crew) start() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	p := &process{Cmd: exec.Command(program, append([]string{"queue", "work", c.name, "--until-eof"}, c.args...)...)}
	p.SysProcAttr = workerAttr
	p.Stdout, p.Stderr = os.Stdout, os.Stderr
	if term.IsTerminal(int(os.Stderr.Fd())) {
		p.Stderr = struct{ io.Writer }{os.Stderr} // not several status lines on one terminal
	}
	if p.stdin, err = p.StdinPipe(); err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return err
	}
	p.name = workerName(p.Process.Pid)
	c.workers = append(c.workers, p)
	go func() { p.err = p.Wait(); c.ended <- p }()
	return nil
}

// beginMost is how many workers may fail in a row before the first one has begun: the next
// would, too.
const beginMost = 3

// gone takes down that a worker has ended.
func (c *crew) gone(p *process) error {
	c.forget(p)
	if p.err == nil {
		return nil
	}
	if c.failed++; c.failed >= beginMost && !c.served {
		return fmt.Errorf("no worker can begin: the last one has ended with %w", p.err)
	}
	say(fmt.Sprintf("worker %s has ended with %v", p.name, p.err))
	return nil
}

func (c *crew) forget(p *process) {
	same := func(o *process) bool { return o == p }
	c.workers, c.leaving = slices.DeleteFunc(c.workers, same), slices.DeleteFunc(c.leaving, same)
	delete(c.heard, p.name)
}

// drain lets all workers finish, and waits until they have, or ctx is done.
func (c *crew) drain(ctx context.Context) error {
	if err := c.set(0, nil); err != nil {
		return err
	}
	for len(c.leaving) > 0 {
		select {
		case p := <-c.ended:
			if err := c.gone(p); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// end ends all workers. Their jobs go back to the queue.
func (c *crew) end() {
	c.leaving = append(c.leaving, c.workers...)
	c.workers = nil
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGTERM)
	if !signal.Ignored(os.Interrupt) {
		signal.Notify(again, os.Interrupt)
	}
	defer signal.Stop(again)
	c.terminate()
	for len(c.leaving) > 0 {
		select {
		case p := <-c.ended:
			c.forget(p)
		case <-again: // the second one has workers kill their jobs
			c.terminate()
		}
	}
}

func (c *crew) terminate() {
	for _, p := range c.leaving {
		if p.Process.Signal(syscall.SIGTERM) != nil { // as on Windows
			_ = p.Process.Kill()
		}
	}
}
