package loop_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// short is a machine whose ceiling can be set.
type short struct{ ceiling atomic.Int64 }

func (s *short) Sense(int) sense.Sample {
	return sense.Sample{CPUs: 2, Ceiling: int(s.ceiling.Load()), Why: "memory is short"}
}

func shortOf(ceiling int64) *short {
	s := new(short)
	s.ceiling.Store(ceiling)
	return s
}

// vetoes returns the changes of kind Vetoed.
func vetoes(l *loop.Loop) (told []loop.Decision) {
	for _, c := range l.Decisions() {
		if c.Reason.Kind == control.Vetoed {
			told = append(told, c)
		}
	}
	return told
}

func TestCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &short{}
		c := &recorder{law: want(50)}
		l := loop.New(loop.Config{Controller: c, Sensor: s, Start: 50, Min: 20})
		take(t, l, 1)
		steps := []struct {
			ceiling, limit, told int
			when                 string
		}{
			{0, 50, 0, "no ceiling"},
			{60, 50, 0, "a ceiling above"},
			{40, 40, 1, "a ceiling below"},
			{39, 39, 1, "it wavers"},
			{41, 41, 1, "it wavers"},
			{30, 30, 2, "it falls further"},
			{7, 7, 3, "it falls below Min"},
			{0, 50, 3, "it is lifted"},
			{45, 45, 4, "another one"},
		}
		for _, step := range steps {
			s.ceiling.Store(int64(step.ceiling))
			pause(2 * loop.CeilingLinger)
			told := vetoes(l)
			if got := l.Limit(); got != step.limit || len(told) != step.told {
				t.Fatalf("%s: limit %d, told %d times, want %d, %d", step.when, got, len(told), step.limit, step.told)
			}
			if r := c.last(); step.ceiling > 0 && r.Max != step.ceiling || r.Min > r.Max {
				t.Errorf("%s: the law is told %+v", step.when, r)
			}
		}
		if ch := vetoes(l)[0]; ch.From != 50 || ch.To != 40 || ch.Reason.String() != "held at 40: memory is short" {
			t.Errorf("told %+v: %v", ch, ch.Reason)
		}
		l.Release()
		rests(t, l)
	})
}

// TestCeilingFlickers: a ceiling that comes and goes is logged once.
func TestCeilingFlickers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &short{}
		l := loop.New(loop.Config{Controller: want(10), Sensor: s, Start: 10})
		take(t, l, 1)
		for i := range 100 {
			s.ceiling.Store(int64(9 + 2*(i%2))) // in the way, and not
			pause(40 * time.Millisecond)
		}
		if told := vetoes(l); len(told) != 1 {
			t.Errorf("told %d times", len(told))
		}
		l.Release()
		rests(t, l)
	})
}

// TestCeilingDoesNotWait: a ceiling that falls is in force within some 100 ms, even
// if the law wants no reading for long.
func TestCeilingDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &short{}
		l := loop.New(loop.Config{Sensor: s, Start: 10,
			Controller: law(func(control.Reading) control.Decision {
				return control.Decision{Limit: 10, After: time.Hour}
			})})
		take(t, l, 1)
		pause(time.Second)
		s.ceiling.Store(4)
		pause(130 * time.Millisecond)
		if got := l.Limit(); got != 4 {
			t.Errorf("limit %d under a ceiling of 4", got)
		}
		l.Release()
		rests(t, l)
	})
}

// TestCeilingOfCarefulController: a law that stops at the ceiling by itself is told to be
// held back as well.
func TestCeilingOfCarefulController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := loop.New(loop.Config{Sensor: shortOf(6), Start: 5,
			Controller: law(func(r control.Reading) control.Decision {
				return control.Decision{Limit: min(r.Limit+1, r.Max)}
			})})
		take(t, l, 1)
		pause(time.Second)
		if told := vetoes(l); len(told) != 1 || told[0].To != 6 {
			t.Errorf("told %+v, want once at 6", told)
		}
		l.Release()
		rests(t, l)
	})
}

// TestCeilingIsNotLogged: none is told where the limit is set manually or Max is lower; one
// that is only observed does not move the limit.
func TestCeilingIsNotLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			config      loop.Config
			manual      int
			limit, told int
		}{
			{loop.Config{}, 4, 4, 0},
			{loop.Config{}, 9, 9, 0},
			{loop.Config{Max: 3}, 0, 3, 0},
			{loop.Config{Max: 4}, 0, 4, 0},
			{loop.Config{Observe: true}, 0, 8, 1},
		} {
			c.config.Controller, c.config.Sensor, c.config.Start = want(50), shortOf(4), 8
			l := loop.New(c.config)
			if c.manual > 0 {
				l.SetLimit(c.manual)
			}
			take(t, l, 1)
			pause(time.Second)
			if got := l.Limit(); got != c.limit || len(vetoes(l)) != c.told {
				t.Errorf("limit %d, told %+v; want %d, %d times", got, vetoes(l), c.limit, c.told)
			}
			l.Release()
			rests(t, l)
		}
	})
}
