package usage

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// Install gives root and all commands below it -h, --help, and answers to mistakes. A command
// that does nothing by itself shows the commands below it.
func Install(root *cobra.Command) {
	f := root.PersistentFlags()
	manual := f.Bool("help", false, "")
	f.BoolFuncP(screen, "h", "", func(string) error {
		*manual = true
		return nil
	})
	f.Lookup("help").Hidden, f.Lookup(screen).Hidden = true, true
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(Help(Screen, Manual))
	menus(root)
	root.InitDefaultHelpCmd() // now, so that it answers to mistakes, too
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err == nil && c.HasSubCommands() {
				err = commandOnly(c, rest)
			}
			return err
		}
	}
}

func menus(c *cobra.Command) {
	for _, sub := range c.Commands() {
		menus(sub)
	}
	if c.HasSubCommands() {
		c.Args = func(c *cobra.Command, args []string) error { return cmp.Or(commandOnly(c, args), onlyOne(c)) }
	} else {
		c.Args = answered(c.Args)
	}
	if c.HasSubCommands() && !c.Runnable() {
		c.DisableFlagsInUseLine = true
		c.RunE = func(c *cobra.Command, _ []string) error {
			_, err := io.WriteString(c.OutOrStdout(), Screen(c))
			return err
		}
	}
}

// screen is the long name that -h needs. It asks for help, as --help does, but for less of it.
const screen = "help-screen"

// Help returns what writes one of two texts: the screen of -h, or the manual.
func Help(screenOf, manualOf func(*cobra.Command) string) func(*cobra.Command, []string) {
	return func(c *cobra.Command, _ []string) {
		text := manualOf
		if f := c.Flags().Lookup(screen); f != nil && f.Changed {
			text = screenOf
		}
		_, _ = io.WriteString(c.OutOrStdout(), text(c))
	}
}

// Manual returns all that a command says of itself.
func Manual(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(cmp.Or(c.Long, c.Short+".")))
	writeUse(&b, c)
	if flags := c.LocalFlags().FlagUsagesWrapped(Width); flags != "" {
		fmt.Fprintf(&b, "\nFlags:\n%s", flags)
	}
	if c.HasSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help is the manual of a command.\n", c.CommandPath())
	}
	return b.String()
}

// Columns of help.
const (
	Width  = 100 // the conventions for terminals have it
	Indent = 26  // where the words begin
)

// Screen returns help of at most 40 lines: what the command is for, examples, and the first
// words on each flag but for those that [Detail] leaves to the manual.
func Screen(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n", c.Short)
	writeUse(&b, c)
	title := "\nFlags:\n"
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Annotations[detail] != nil {
			return
		}
		b.WriteString(title)
		arg, words := pflag.UnquoteUsage(f)
		words, _, _ = strings.Cut(words, "; ")
		Entry(&b, strings.TrimRight(spelling(f)+" "+arg, " "), words)
		title = ""
	})
	if c.HasSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND -h is the help of a command, --help its manual.\n", c.CommandPath())
	} else {
		fmt.Fprintf(&b, "\n%s --help is the manual.\n", c.CommandPath())
	}
	return b.String()
}

// writeUse writes how a command is called, and the commands below it.
func writeUse(b *strings.Builder, c *cobra.Command) {
	b.WriteString("Usage:\n")
	if !c.HasSubCommands() || !c.DisableFlagsInUseLine { // it does something by itself
		fmt.Fprintf(b, "  %s\n", c.UseLine())
	}
	if c.HasSubCommands() {
		fmt.Fprintf(b, "  %s COMMAND [flags]\n", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(b, "\nExamples:\n%s\n", c.Example)
	}
	groups := append(c.Groups(), &cobra.Group{Title: "Commands:"})
	for _, g := range groups {
		title := "\n" + g.Title + "\n"
		for _, sub := range c.Commands() {
			if sub.GroupID == g.ID && sub.IsAvailableCommand() {
				b.WriteString(title)
				Entry(b, sub.Name(), sub.Short)
				title = ""
			}
		}
	}
}

// Choices are the annotation of a flag with what completion offers for its argument. Each may be
// followed by a tab and a description.
const Choices = "choices"

const detail = "detail"

// Detail leaves flags to the manual.
func Detail(set *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := set.SetAnnotation(name, detail, []string{}); err != nil {
			panic(err)
		}
	}
}

// Entry writes a term and, in a column beside it, its words. Flags without a short name stand
// below the long names of the others.
func Entry(b *strings.Builder, term, words string) {
	term = "  " + term
	if strings.HasPrefix(term, "  --") {
		term = "    " + term
	}
	at := utf8.RuneCountInString(term)
	b.WriteString(term)
	if at > Indent-2 {
		b.WriteString("\n")
		at = 0
	}
	for para := range strings.SplitSeq(words, "\n") {
		for _, line := range humanize.Wrap(para, Width-Indent) {
			fmt.Fprintf(b, "%*s%s\n", Indent-at, "", line)
			at = 0
		}
	}
}
