package run

import "github.com/spf13/pflag"

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
	return o.jobs.String(), o.max, o.law.String(), o.keepOrder, o.settingsInForce(), err
}
