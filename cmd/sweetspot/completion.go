package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
	"github.com/sweetspot-go/sweetspot/sim"
	"github.com/sweetspot-go/sweetspot/vet"
)

// choices are what completion offers for the argument of a flag. The flags of run and lab
// bring their own: run as an annotation.
var choices = map[string]func() []string{
	"sweetspot vet --fail":               func() []string { return []string{"quiet", "info", "never"} },
	"sweetspot vet --only":               checks,
	"sweetspot vet --without":            checks,
	"sweetspot sim --scenario":           func() []string { return names(sim.Scenarios(), func(s sim.Scenario) string { return s.Name }) },
	"sweetspot sim --controller":         run.LawNames,
	"sweetspot sim company --scenario":   func() []string { return names(sim.Companies(), func(c sim.Company) string { return c.Name }) },
	"sweetspot sim company --controller": run.LawNames,
	"sweetspot lab run --size":           sizes,
	"sweetspot lab compare --size":       sizes,
	"sweetspot lab diagnose --size":      sizes,
}

func checks() (names []string) {
	for _, a := range vet.Analyzers(vet.Info) {
		title, _, _ := strings.Cut(a.Doc, "\n")
		names = append(names, a.Name+"\t"+title)
	}
	return names
}

func sizes() []string { return []string{"quick", "full", "article"} }

func names[T any](all []T, name func(T) string) []string {
	list := make([]string, len(all))
	for i, one := range all {
		list[i] = name(one)
	}
	return list
}

// completeFlags says what completion offers for the argument of each flag of c and of the commands
// below it: its choices, files, directories, or nothing where it is unknown.
func completeFlags(c *cobra.Command) {
	c.DisableFlagParsing = false // cobra offers flags only where it parses them
	offer := func(f *pflag.Flag) {
		if _, has := c.GetFlagCompletionFunc(f.Name); has {
			return
		}
		// The only error is that there is one already.
		_ = c.RegisterFlagCompletionFunc(f.Name, completionOf(f, choices[c.CommandPath()+" --"+f.Name]))
	}
	c.PersistentFlags().VisitAll(offer)
	c.LocalFlags().VisitAll(offer)
	for _, below := range c.Commands() {
		completeFlags(below)
	}
}

// completionOf returns the completion of a flag by its choices, or by the name of its
// argument in the help.
func completionOf(f *pflag.Flag, choices func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		known, others := f.Annotations[usage.Choices], cobra.ShellCompDirectiveNoFileComp
		if choices != nil {
			known = choices()
		}
		switch arg, _ := pflag.UnquoteUsage(f); strings.ToUpper(arg) {
		case "FILE", "LINE", "SHELL":
			others = cobra.ShellCompDirectiveDefault
		case "DIR", "DIRECTORY":
			others = cobra.ShellCompDirectiveFilterDirs
		}
		if known != nil {
			others |= cobra.ShellCompDirectiveKeepOrder
		}
		return offers(known, begun, strings.HasSuffix(f.Value.Type(), "Slice")), others
	}
}

// offers returns the choices that begin so. In a list those that it has already are left out.
func offers(choices []string, begun string, list bool) []string {
	var before string
	if comma := strings.LastIndex(begun, ","); list && comma >= 0 {
		before, begun = begun[:comma+1], begun[comma+1:]
	}
	var all []string
	for _, choice := range choices {
		name, _, _ := strings.Cut(choice, "\t")
		if strings.HasPrefix(name, begun) && !slices.Contains(strings.Split(before, ","), name) {
			all = append(all, before+choice)
		}
	}
	return all
}
