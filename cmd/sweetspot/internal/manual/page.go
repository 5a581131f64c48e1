// Package manual writes the manual pages of a command and of the commands below it.
package manual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A Section is a part of a page between the description and the examples.
type Section struct {
	Title string
	Items []Item
}

// An Item is a term and what it means, or a paragraph if it has no term.
type Item struct{ Term, Words string }

// manual returns the page of c in roff, in the macros that every man(1) knows. Without
// sections it lists the flags.
func manual(c *cobra.Command, sections func() []Section) string {
	p := &page{}
	name := pageName(c)
	fmt.Fprintf(p, ".TH %s 1 \"\" sweetspot \"User commands\"\n.ad l\n.nh\n", strings.ToUpper(escape(name)))
	fmt.Fprintf(p, ".SH NAME\n%s \\- %s\n", escape(name), escape(c.Short))
	fmt.Fprintf(p, ".SH SYNOPSIS\n.B %s\n", escape(c.UseLine()))
	p.WriteString(".SH DESCRIPTION\n")
	p.text(c.Long)
	if sections == nil {
		sections = func() []Section { return flagSections(c) }
	}
	for _, s := range sections() {
		fmt.Fprintf(p, ".SH %s\n", escape(strings.ToUpper(s.Title)))
		for _, i := range s.Items {
			p.item(i)
		}
	}
	if c.Example != "" {
		p.WriteString(".SH EXAMPLES\n")
		p.text(c.Example)
	}
	if related := related(c); len(related) > 0 {
		p.WriteString(".SH SEE ALSO\n.BR " + strings.Join(related, " (1),\n.BR ") + " (1)\n")
	}
	return p.String()
}

// pageName returns the name of the page of c, such as sweetspot-queue-work.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// related returns the pages of the commands above and below c.
func related(c *cobra.Command) (names []string) {
	if c.HasParent() {
		names = append(names, escape(pageName(c.Parent())))
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, escape(pageName(below)))
		}
	}
	return names
}

// flagSections returns the flags of c, and those it has from the commands above it.
func flagSections(c *cobra.Command) (sections []Section) {
	for _, part := range []struct {
		title string
		flags *pflag.FlagSet
	}{
		{"Options", c.NonInheritedFlags()},
		{"Options of all commands", c.InheritedFlags()},
	} {
		var items []Item
		part.flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Deprecated == "" {
				items = append(items, flagItem(f))
			}
		})
		if len(items) > 0 {
			sections = append(sections, Section{part.title, items})
		}
	}
	return sections
}

// flagItem returns a flag as the help shows it.
func flagItem(f *pflag.Flag) Item {
	var one pflag.FlagSet
	one.AddFlag(f)
	term, words, _ := strings.Cut(strings.TrimSpace(one.FlagUsages()), "   ")
	return Item{term, strings.TrimSpace(words)}
}

// commands returns c and the commands below it that help shows.
func commands(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() {
			all = slices.Concat(all, commands(below))
		}
	}
	return all
}
