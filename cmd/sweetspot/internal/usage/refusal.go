package usage

import (
	"strings"

	"github.com/spf13/pflag"
)

// A Refusal is the value of a flag that belongs to another tool or command. Its text says
// what does the same here, and is the whole error.
type Refusal string

// Set implements [pflag.Value].
func (r Refusal) Set(string) error { return r }

func (r Refusal) String() string { return "" }
func (r Refusal) Type() string   { return "" }
func (r Refusal) Error() string  { return string(r) }

// Hide adds a flag that help and completion do not show, under several names. A name of one
// letter is a short flag. argument says that it takes one.
func Hide(set *pflag.FlagSet, v pflag.Value, names string, argument bool) {
	for name := range strings.FieldsSeq(names) {
		short := ""
		if len(name) == 1 {
			short = name
		}
		f := set.VarPF(v, name, short, "")
		f.Hidden = true
		if !argument {
			f.NoOptDefVal = "true"
		}
	}
}
