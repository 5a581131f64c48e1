package run

import (
	"os"
	"sync"
	"time"
)

// A terminal ends the jobs that want to use the terminal, for a password as a rule.
// Each job is in a process group of its own, which the terminal does not serve: the
// system stops it, and nothing would ever let it go on.
type terminal struct {
	procs *processes
	quit  chan struct{}
	ended chan struct{}

	mu     sync.Mutex
	wanted map[int]bool // the process groups that were stopped
}

// terminalEvery is how often it looks. People notice a second of silence, and a look
// costs a call of the system for each job.
const terminalEvery = time.Second

// watchTerminal returns nil where there is no terminal, or where the system does not
// say why a process is stopped.
func watchTerminal(procs *processes) *terminal {
	if !tellsStops {
		return nil
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return nil
	}
	tty.Close()
	t := &terminal{procs: procs, quit: make(chan struct{}), ended: make(chan struct{}), wanted: make(map[int]bool)}
	go t.loop()
	return t
}

func (t *terminal) loop() {
	defer close(t.ended)
	tick := time.NewTicker(terminalEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.procs.each(t.look)
		case <-t.quit:
			return
		}
	}
}

// look ends a job that was stopped since the last look. One that heeds no TERM and
// wants the terminal again gets KILL.
func (t *terminal) look(p process) {
	if !p.stoppedByTerminal() {
		return
	}
	t.mu.Lock()
	again := t.wanted[p.pid]
	t.wanted[p.pid] = true
	t.mu.Unlock()
	if again {
		p.signalGroup(sigKill)
	} else {
		p.signalGroup(sigTerm)
	}
}

// took reports whether a job that has ended was ended by t.
func (t *terminal) took(p process) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.wanted[p.pid]
	delete(t.wanted, p.pid)
	return was
}

// close ends the watch.
func (t *terminal) close() {
	if t != nil {
		close(t.quit)
		<-t.ended
	}
}
