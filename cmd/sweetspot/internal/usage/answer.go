package usage

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

// mistake is the exit code for a command line that is wrong.
const mistake = 255

func flagError(c *cobra.Command, err error) error {
	return &exitcode.Error{Code: mistake, Err: explained(c, err)}
}

// explained says what was wrong with a flag, and what would be right. It names a bad value
// once. A word before the flag that is not the name of a command is the first mistake.
func explained(c *cobra.Command, err error) error {
	if c.HasSubCommands() {
		if wrong := commandOnly(c, c.Flags().Args()); wrong != nil {
			return wrong
		}
	}
	if r, ok := errors.AsType[Refusal](err); ok {
		return r
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := bad.GetFlag()
		if meant := long(c.Flags(), f.Shorthand+bad.GetValue()); meant != "" {
			return fmt.Errorf("-%s is read as -%s %s: want %s", f.Shorthand+bad.GetValue(), f.Shorthand, bad.GetValue(), meant)
		}
		return fmt.Errorf("%s: %w", spelling(f), plain(bad))
	}
	if none, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name, cluster := none.GetSpecifiedName(), none.GetSpecifiedShortnames()
		if cluster == "" {
			err = fmt.Errorf("unknown flag: --%s%s", name, didYouMean(cmp.Or(nearFlag(c.Flags(), name), flagBelow(c, name))))
		} else if meant := long(c.Flags(), cluster); meant != "" {
			return fmt.Errorf("unknown flag: -%s: want %s", cluster, meant)
		} else {
			err = fmt.Errorf("unknown flag: -%s%s", name, didYouMean(flagBelow(c, name)))
		}
	}
	return fmt.Errorf("%w; see %s --help", err, c.CommandPath())
}

// spelling returns a flag as help has it: "-j, --jobs".
func spelling(f *pflag.Flag) string {
	if f.Shorthand == "" || f.Shorthand == f.Name {
		return "--" + f.Name
	}
	return "-" + f.Shorthand + ", --" + f.Name
}

// plain returns why a value does not fit. pflag has the errors of package strconv for
// numbers and switches.
func plain(bad *pflag.InvalidValueError) error {
	cause := bad.Unwrap()
	if _, ok := errors.AsType[*strconv.NumError](cause); !ok {
		return cause
	}
	want := "a number"
	if bad.GetFlag().Value.Type() == "bool" {
		want = "true or false"
	}
	return fmt.Errorf("%q: want %s", bad.GetValue(), want)
}

// long returns the long flag that was written with one dash, or "".
func long(set *pflag.FlagSet, word string) string {
	name, _, _ := strings.Cut(word, "=")
	if f := set.Lookup(name); f == nil || f.Hidden || len(name) < 2 {
		return ""
	}
	return "--" + word
}

func nearFlag(set *pflag.FlagSet, name string) string {
	g := NewGuess(name)
	set.VisitAll(func(f *pflag.Flag) { g.Try(f.Name, func() bool { return !f.Hidden }) })
	if g.Best() == "" {
		return ""
	}
	return "--" + g.Best()
}

// flagBelow returns a command below c that has the flag, with it, or "": the one that the command
// line names, or else the first.
func flagBelow(c *cobra.Command, name string) (found string) {
	for _, word := range os.Args[1:] { // cobra takes a word behind a flag that is not known for its value
		if named, _, _ := c.Find([]string{word}); named != c {
			return cmp.Or(flagOf(named, name), flagBelow(named, name))
		}
	}
	for _, sub := range c.Commands() {
		found = cmp.Or(found, flagOf(sub, name))
	}
	return found
}

func flagOf(c *cobra.Command, name string) string {
	f, dashes := c.Flags().Lookup(name), " --"
	if len(name) == 1 {
		f, dashes = c.Flags().ShorthandLookup(name), " -"
	}
	if f == nil || f.Hidden {
		return ""
	}
	return c.CommandPath() + dashes + name
}

func didYouMean(word string) string {
	if word == "" {
		return ""
	}
	return " (did you mean " + word + "?)"
}

// commandOnly refuses words that are not the name of a command. It implements
// [cobra.PositionalArgs].
func commandOnly(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	g, meant := NewGuess(args[0]), ""
	for _, sub := range c.Commands() {
		g.Try(sub.Name(), sub.IsAvailableCommand)
		if slices.Contains(sub.SuggestFor, args[0]) {
			meant = sub.Name()
		}
	}
	hint := didYouMean(cmp.Or(meant, g.Best()))
	if hint == "" && !c.HasParent() {
		if _, err := exec.LookPath(args[0]); err == nil {
			hint = " (to run it for each value: " + c.Name() + " run " + args[0] + ")"
		}
	}
	return fmt.Errorf("unknown command: %s %s%s; see %s --help", c.CommandPath(), args[0], hint, c.CommandPath())
}

// onlyOne refuses flags that exclude each other.
func onlyOne(c *cobra.Command) error {
	err := c.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	_, set, _ := strings.Cut(err.Error(), "; [")
	return fmt.Errorf("want only one of --%s", strings.Join(strings.Fields(strings.TrimSuffix(set, "] were all set")), " and --"))
}

// answered returns check with answers that say what would be right, and has flags that exclude
// each other refused first.
func answered(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := onlyOne(c); err != nil {
			return err
		}
		if check != nil {
			if err := check(c, args); err != nil {
				if strings.TrimSuffix(c.Use, " [flags]") == c.Name() { // it takes no words
					err = fmt.Errorf("%s is left over", args[0])
				}
				return fmt.Errorf("%w; usage: %s", err, c.UseLine())
			}
		}
		return nil
	}
}
