package jobserver

import (
	"fmt"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// tokens are those in the pipe; see pool.
type tokens interface {
	level() int
	put(n int) int
	take(n int) int
	most() int // that may exist at a time
	catch()
	caught() bool
}

// A server keeps one token less in use than its Limiter permits jobs.
type server struct {
	tokens tokens
	turns  turns
	writes func() int // into the pipe, by anybody, since the last call
	sensor *sensor
	// unused returns how many clients may have tokens out, and nothing in the place that needs none.
	unused func() int
	tell   func(string)
	note   func(done int64) // takes note of the limit
	// after is how long tokens must be too many to count as lost.
	after time.Duration

	out   int // tokens that exist: in the pipe, or held by clients
	held  int
	known int // writes whose events come in the next step, if they do, and are known

	least  int // tokens held, at least, since the newest look
	due    time.Time
	loss   loss
	losses int
}

func newServer(p tokens, l *sweetspot.Limiter, sensor *sensor) *server {
	s := &server{tokens: p, turns: turns{limiter: l}, sensor: sensor, after: lossAfter}
	sensor.suffice(s.turns.judge(true))
	s.adjust(0)
	return s
}

const (
	// stepEvery is how soon a new limit is in force, and as often as a law looks. restEvery is that where the law
	// rests: a hundred times a second costs the build more than what we use ourselves.
	stepEvery = 10 * time.Millisecond
	restEvery = 25 * time.Millisecond
	// lookEvery is how often the processes are read, if they are few. Decisions take windows
	// that are much longer.
	lookEvery = 100 * time.Millisecond
	// lookCost bounds what it takes, to a fiftieth of a CPU, where looks are not rarer than lookMost.
	lookCost = 50
	lookMost = 250 * time.Millisecond
)

func (s *server) serve(done <-chan struct{}) {
	defer s.turns.close()
	t := time.NewTicker(stepEvery)
	defer t.Stop()
	for rested := false; ; {
		select {
		case <-t.C:
			s.step(time.Now())
			if s.turns.rests == rested {
				continue
			}
			if rested = !rested; rested {
				t.Reset(restEvery)
			} else {
				t.Reset(stepEvery)
			}
		case <-done:
			return
		}
	}
}

// step brings everything up to date.
func (s *server) step(now time.Time) {
	if s.tokens.caught() {
		s.out--
	}
	written := s.writes()
	level := s.tokens.level()
	returned := s.count(level, written)
	if !now.Before(s.due) {
		s.see(now)
	}
	s.turns.move(now, returned, s.held, level == 0)
	s.adjust(level)
}

// count takes note of the level, and returns how many tokens have come back. Those without an event are known by the
// level: it comes in the next step, or never, as the kernel tells writes in a row as one.
func (s *server) count(level, written int) (returned int) {
	s.out = max(s.out, level) // more than that: tokens that were taken for lost
	returned = written - min(written, s.known)
	s.known = 0
	held := s.out - level
	if taken := held - s.held + returned; taken < 0 {
		returned -= taken
		s.known = -taken
	}
	s.held, s.least = held, min(s.least, held)
	return returned
}

func (s *server) see(now time.Time) {
	began := time.Now()
	u, ok := s.sensor.look(now, s.held+1)
	s.due = now.Add(min(max(lookEvery, lookCost*time.Since(began)), lookMost))
	s.turns.look(now, u.CPU)
	s.sensor.suffice(s.turns.judge(s.sensor.full(s.turns.limiter.Limit())))
	s.note(s.turns.done)
	if !ok {
		s.loss = loss{}
		return
	}
	n := s.loss.see(now, s.least, u.Ends, s.after)
	s.least = s.held
	if n > 0 {
		n -= s.unused()
	}
	if n > 0 {
		s.out, s.held, s.least = s.out-n, s.held-n, s.held-n
		s.losses += n
		s.tell(fmt.Sprintf("%s died with a client, and will be replaced", humanize.Count(int64(n), "tokens")))
	}
}

// adjust puts tokens in or takes some out, until they are one less than the limit, or as many as may exist.
func (s *server) adjust(level int) {
	switch more := min(s.turns.limiter.Limit()-1, s.tokens.most()) - s.out; {
	case more > 0:
		if n := s.tokens.put(more); n > 0 {
			s.out += n
			s.known++
		}
	case more < 0:
		n := s.tokens.take(min(-more, level))
		s.out -= n
		if n < -more {
			s.tokens.catch()
		}
	}
}

// said says what happened to the tokens.
func (s *server) said() string {
	said := humanize.Count(s.turns.done, "tokens") + " came back"
	if s.losses > 0 {
		said += fmt.Sprintf(", %d died with clients and were replaced", s.losses)
	}
	if s.turns.most <= 1 && s.turns.limiter.Limit() > 1 {
		said += ": nobody took one, so the command is no client of a jobserver, or ran one job at a time"
	}
	return said
}
