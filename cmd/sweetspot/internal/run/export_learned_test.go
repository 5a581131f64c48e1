package run

import (
	"io"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// Lesson is what was learnt about a command.
type Lesson = lesson

// LessonOf returns the empty lesson about a command on a machine with so many CPUs.
func LessonOf(cpus float64, command ...string) (*Lesson, error) {
	return (&options{command: command}).lessonOf(cpus)
}

// LearntBefore returns what a run of the command would begin with.
func LearntBefore(cpus float64, say func(string), command ...string) *Lesson {
	_, last := (&options{command: command, learn: true}).learning(cpus, say)
	return last
}

func (l *lesson) File() string { return l.file }
func (l *lesson) Keep() error  { return l.keep() }

// TellLearned and ForgetLearned are --learned and --forget.
func TellLearned(w io.Writer, command ...string) error {
	return (&options{command: command}).tellLearned(w)
}

func ForgetLearned(w io.Writer, command ...string) error {
	return (&options{command: command}).forgetLearned(w)
}

const (
	LessonsMost = lessonsMost
	RevisitMost = revisitMost
)

// Revisit returns the law that first tries the limit of then.
func Revisit(limit int, rate float64, law control.Controller) control.Controller {
	return &revisit{Controller: law, lesson: &lesson{Limit: limit, Rate: rate}}
}

func (l *lesson) Note(limiter *sweetspot.Limiter, most int) { l.note(limiter, most) }
