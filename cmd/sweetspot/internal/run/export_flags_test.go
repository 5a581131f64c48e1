package run

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// FlagSummaries returns what completion says of each flag of the table.
func FlagSummaries() map[string]string {
	m := make(map[string]string, len(flags))
	for i := range flags {
		m[flags[i].name] = flags[i].summary()
	}
	return m
}

// Configured returns what flags and settings make of -j, --max, --law and -k,
// and where settings came from.
func Configured(environ, args []string) (jobs string, most int, law string, ordered bool, from string, err error) {
	o := &options{mark: "{}"}
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	for i := range flags {
		flags[i].register(set, o)
	}
	if err := set.Parse(args); err != nil {
		return "", 0, "", false, "", err
	}
	err = o.configure(set, environ)
	return o.jobs.String(), o.max, string(o.law), o.keepOrder, o.settingsInForce(), err
}

// Ignored returns what reports whether a flag of another tool is accepted, and changes nothing.
func Ignored() func(name string) bool {
	set := pflag.NewFlagSet("run", pflag.ContinueOnError)
	set.SetNormalizeFunc(normalized)
	registerForeign(set, foreigners...)
	return func(name string) bool {
		f := set.Lookup(name)
		return f != nil && f.Value.Set("anything") == nil
	}
}

// ForeignTable returns the table of docs/run.md: what does the same here as the flags of others.
func ForeignTable(accepted bool) string {
	var b strings.Builder
	b.WriteString("| option | here |\n|---|---|\n")
	for _, f := range foreigners {
		if f.accepted != accepted {
			continue
		}
		var names []string
		for name := range strings.FieldsSeq(f.names) {
			names = append(names, "`"+dashed(name)+"`")
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(names, " "), f.here)
	}
	return b.String()
}
