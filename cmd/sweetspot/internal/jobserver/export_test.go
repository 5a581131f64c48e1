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
	Environment = environment
	PipeFlags   = pipeFlags
)

// A Tokens is the pipe.
type Tokens interface {
	Level() int
	Put(n int) int
	Take(n int) int
	Catch()
	Caught() <-chan struct{}
}

type adapter struct{ Tokens }

func (a adapter) level() int                 { return a.Level() }
func (a adapter) put(n int) int              { return a.Put(n) }
func (a adapter) take(n int) int             { return a.Take(n) }
func (a adapter) catch()                     { a.Catch() }
func (a adapter) caughtOne() <-chan struct{} { return a.Caught() }

// Serve serves tokens until done is closed, and returns what then can be asked for: how many turns
// were done, how many tokens were lost, and what was said.
func Serve(p Tokens, l *sweetspot.Limiter, writes <-chan int, look func(int) (sense.Usage, bool), unused func() int, after time.Duration, done <-chan struct{}) (turns int64, lost int, said string) {
	s := newServer(adapter{p}, l)
	s.writes, s.look, s.after = writes, look, after
	s.unused, s.tell, s.note = unused, func(string) {}, func(int64) {}
	s.serve(done)
	return s.turns.done, s.losses, s.said()
}
