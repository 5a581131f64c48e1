package run

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
)

// A flag is a row of the table of flags. Parsing, --help, the man page,
// completion and settings all come from it.
type flag struct {
	group group
	name  string // long
	short string // one letter, or ""
	also  []spelling
	// arg names the argument, "" if there is none. FILE, LINE, SHELL and DIR are completed
	// with names of files and directories.
	arg string
	// words say what the flag does. Their first line stands for itself: it is what
	// completion shows.
	words string
	// to returns where the value goes: a *bool, a *string, an *int (1 or more) or a
	// func(string) error, which says in its error what would be right.
	to func(*options) any
	// choices are what completion offers for the argument; each may be followed
	// by a tab and a description.
	choices []string
	// bound to the command line: as a setting it would change what a command line
	// means, or would be wrong for the next run.
	bound bool
	brief bool // -h shows it
	// yields names flags beside which a setting of this one is left out, because
	// the two exclude each other and what is nearer to the user counts.
	yields []string
}

// A spelling is another name of a flag, known from another tool.
type spelling struct{ name, short string }

// flagOf returns the flag of a name or of another spelling, or nil.
func flagOf(name string) *flag {
	for i := range flags {
		if slices.Contains(flags[i].names(), name) {
			return &flags[i]
		}
	}
	return nil
}

func (f *flag) summary() string {
	first, _, _ := strings.Cut(f.words, "\n")
	return first
}

// names returns the long names.
func (f *flag) names() []string {
	names := []string{f.name}
	for _, s := range f.also {
		names = append(names, s.name)
	}
	return names
}

// register adds the flag, by all its spellings, to set.
func (f *flag) register(set *pflag.FlagSet, o *options) {
	v := newFlagValue(f, o)
	for i, s := range slices.Insert(slices.Clone(f.also), 0, spelling{f.name, f.short}) {
		added := set.VarPF(v, s.name, s.short, f.summary())
		added.Hidden, added.Annotations = i > 0, map[string][]string{usage.Choices: f.choices}
		if f.arg == "" {
			added.NoOptDefVal = "true"
		}
		if v.text != "" {
			added.DefValue = strconv.Quote(v.text)
		}
	}
}

// given reports whether the flag is on the command line, by any spelling.
func (f *flag) given(set *pflag.FlagSet) bool {
	return slices.ContainsFunc(f.names(), set.Changed)
}
