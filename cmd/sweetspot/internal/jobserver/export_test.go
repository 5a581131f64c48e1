package jobserver

import (
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/sense"
)

var (
	Merged      = merged
	OwnNumber   = ownNumber
	OlderMake   = olderMake
	OlderNinja  = olderNinja
	Environment = environment
	PipeFlags   = pipeFlags
)

// A Tokens is the pipe.
type Tokens interface {
	Level() int
	Put(n int) int
	Take(n int) int
	Most() int
	Catch()
	Caught() bool
}

type adapter struct{ Tokens }

func (a adapter) level() int     { return a.Level() }
func (a adapter) put(n int) int  { return a.Put(n) }
func (a adapter) take(n int) int { return a.Take(n) }
func (a adapter) most() int      { return a.Most() }
func (a adapter) catch()         { a.Catch() }
func (a adapter) caught() bool   { return a.Caught() }

// A Sensor is that of a build.
type Sensor = sensor

// NewSensor returns one of what others sense, on a machine with memory for everything.
func NewSensor(s sense.Sensor, usage func() (sense.Usage, bool)) *Sensor {
	return &sensor{Sensor: s, clock: s, usage: usage, free: func() (float64, float64, bool) { return 0, 0, false }, use: 1}
}

// Least is where a search begins.
func Least(cpus float64) int { return least(cpus) }

// Serve serves tokens until done is closed, and returns what then can be asked for: how many turns
// were done, how many tokens were lost, and what was said.
func Serve(p Tokens, l *sweetspot.Limiter, sensor *Sensor, writes func() int, unused func() int, after time.Duration, done <-chan struct{}) (turns int64, lost int, said string) {
	s := newServer(adapter{p}, l, sensor)
	s.writes, s.after = writes, after
	s.unused, s.tell, s.note = unused, func(string) {}, func(int64) {}
	s.serve(done)
	return s.turns.done, s.losses, s.said()
}
