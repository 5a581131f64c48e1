package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

// Lists are the lists of values of a command line, for commands that do something
// else with them than run jobs. They have the forms and flags of run, but for what is
// no list or depends on the command: --pipe and -X.
type Lists struct{ o options }

var listFlags = []string{"arg-file", "null", "delimiter", "max-args", "max-lines", "fill", "colsep", "csv", "trim", "link", "shuf", "until"}

// NewLists returns Lists whose flags are in set.
func NewLists(set *pflag.FlagSet) *Lists {
	l := &Lists{}
	register(listFlags, set, &l.o)
	return l
}

// register adds some flags of the table to set.
func register(names []string, set *pflag.FlagSet, o *options) {
	for i := range flags {
		if slices.Contains(names, flags[i].name) {
			flags[i].register(set, o)
		}
	}
	if slices.Contains(names, "jobs") {
		registerForeign(set, foreignJobs)
	}
}

// Open returns the values of the jobs. words are what the command line has beside
// its flags: ":::" and its like, or nothing for the lines of stdin.
func (l *Lists) Open(ctx context.Context, words []string) (*Values, error) {
	left, err := l.o.takeLists(words)
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%s is left over: ::: comes before values, and :::: before files of them", quoteWord(left[0]))
	}
	if err := l.o.inputOptions.check(); err != nil {
		return nil, err
	}
	in, err := l.o.inputOptions.input(ctx)
	if err != nil {
		return nil, err
	}
	in.suit(func(v int) int { return v + template.PerArgument }, false)
	return &Values{in}, nil
}

// Values yields the values of jobs.
type Values struct{ in *input }

// Next returns the values of the next job. The error is io.EOF at the end, and the
// cause of ctx once it is done; after an error there is nothing more. Only one
// goroutine at a time may call it.
func (v *Values) Next(ctx context.Context) ([]string, error) { return v.in.next(ctx) }
