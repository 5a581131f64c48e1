package run

import (
	"io"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/learnt"
)

// Lesson is what was learnt about a command.
type Lesson = lesson

// LessonOf returns the empty lesson about a command on a machine with so many CPUs.
func LessonOf(cpus float64, command ...string) (*Lesson, error) {
	return (&options{command: command}).lessonOf(cpus)
}

// Learning returns the lesson of a run of the command.
func Learning(cpus float64, say func(string), command ...string) *Lesson {
	return (&options{command: command, learn: true}).learning(cpus, say)
}

// LearntBefore returns what a run of the command would begin with.
func LearntBefore(cpus float64, say func(string), command ...string) *learnt.Lesson {
	return Learning(cpus, say, command...).last
}

func (l *lesson) File() string { return l.file }
func (l *lesson) Write() error { return l.Keep(l.file) }

// TellLearned and ForgetLearned are --learned and --forget.
func TellLearned(w io.Writer, command ...string) error {
	return (&options{command: command}).tellLearned(w)
}

func ForgetLearned(w io.Writer, command ...string) error {
	return (&options{command: command}).forgetLearned(w)
}

// Stand is what a run did at one limit.
type Stand = stand

// NewStand returns what a run did in which nothing failed and the CPUs were idle.
func NewStand(limit, most int, seconds float64) Stand {
	return stand{limit: limit, most: most, seconds: seconds}
}

func (s Stand) Computing() Stand { s.cpu = 0.9; return s }
func (s Stand) Failed() Stand    { s.failed = true; return s }

// GoOn learns from a run of the command, the newest of which is known, and keeps that.
func (l *lesson) GoOn(s Stand) error {
	l.Rate, l.Seconds = 1, s.seconds
	if l.Limit == 0 {
		l.Limit = s.limit
	}
	l.goOn(s)
	return l.Keep(l.file)
}

// Note notes what the Limiter of law has found.
func (l *lesson) Note(law *learnt.Law, limiter *sweetspot.Limiter, most int) {
	l.law = law
	l.note(limiter, most)
}
