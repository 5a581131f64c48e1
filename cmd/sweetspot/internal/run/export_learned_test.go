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

// LearntBefore returns what a run of the command would begin with.
func LearntBefore(cpus float64, say func(string), command ...string) *learnt.Lesson {
	return (&options{command: command, learn: true}).learning(cpus, say).last
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

// Note notes what the Limiter of law has found.
func (l *lesson) Note(law *learnt.Law, limiter *sweetspot.Limiter, most int) {
	l.law = law
	l.note(limiter, most)
}
