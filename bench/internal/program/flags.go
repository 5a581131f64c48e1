package program

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// Flags are those of a program that measures things of one kind; -only chooses some of them.
type Flags[T any] struct {
	*flag.FlagSet
	kind     string
	all      []T
	describe func(T) (name, about string)
	only     string
	isQuick  bool
	quick    []string
}

// NewFlags returns flags with -only and a usage text. The kind is the word for one of
// them; describe returns its name and a line about it.
func NewFlags[T any](program, about, kind string, all []T, describe func(T) (name, about string), out io.Writer) *Flags[T] {
	f := &Flags[T]{FlagSet: flag.NewFlagSet(program, flag.ContinueOnError), kind: kind, all: all, describe: describe}
	f.SetOutput(out)
	f.StringVar(&f.only, "only", "", kind+"s, or beginnings of their `names`, with commas between them (default all)")
	f.Usage = func() {
		fmt.Fprintf(out, "%s\n\nUsage: go run ./%s [flags]\n\n", about, program)
		f.PrintDefaults()
		fmt.Fprintf(out, "\n%s%ss:\n", strings.ToUpper(kind[:1]), kind[1:])
		for _, x := range all {
			name, about := describe(x)
			fmt.Fprintf(out, "  %-17s %s\n", name, about)
		}
	}
	return f
}

// Quick adds -quick, which stands for other flags where these are not given, and returns it.
func (f *Flags[T]) Quick(flags string) *bool {
	f.quick = strings.Fields(flags)
	f.BoolVar(&f.isQuick, "quick", false, "a first look: "+flags+", unless given")
	return &f.isQuick
}

// Parse parses the arguments and returns those of all that -only chooses, in their order:
// the ones whose names begin with a word of its list.
func (f *Flags[T]) Parse(args []string) ([]T, error) {
	err := f.FlagSet.Parse(args)
	if err == nil && f.isQuick {
		err = f.FlagSet.Parse(append(f.quick, args...)) // the last one counts
	}
	switch {
	case err != nil:
		return nil, err
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q is left over: all arguments are flags; see -h", f.Arg(0))
	case f.only == "":
		return f.all, nil
	}
	words := strings.Split(f.only, ",")
	used := make([]bool, len(words))
	var chosen []T
	var names []string
	for _, x := range f.all {
		name, _ := f.describe(x)
		names = append(names, name)
		picked := false
		for i, w := range words {
			if w = strings.TrimSpace(w); w != "" && strings.HasPrefix(name, w) {
				picked, used[i] = true, true
			}
		}
		if picked {
			chosen = append(chosen, x)
		}
	}
	for i, w := range words {
		if !used[i] {
			return nil, fmt.Errorf("-only: no %s begins with %q: want some of %s", f.kind, w, strings.Join(names, ","))
		}
	}
	return chosen, nil
}
