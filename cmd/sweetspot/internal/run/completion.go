package run

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completeFlags has completion offer the choices of the flags of the table that c has. Of others
// the name of the argument says what it can be.
func completeFlags(c *cobra.Command) {
	for i := range flags {
		f, others := &flags[i], cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder
		switch {
		case f.name == "command", f.name == "shell":
			others = cobra.ShellCompDirectiveDefault
		case f.choices == nil:
			continue
		}
		offer := func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			other := func(choice string) bool { return !strings.HasPrefix(choice, begun) }
			return slices.DeleteFunc(slices.Clone(f.choices), other), others
		}
		for _, name := range f.names() {
			_ = c.RegisterFlagCompletionFunc(name, offer) // c may not have it
		}
	}
}

// completeCommand offers programs for the first word, and files for those after
// it: what the flags of another program are, its own completion knows.
func completeCommand(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 || strings.ContainsRune(begun, filepath.Separator) || c.Flags().Changed("command") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	found := programs(begun)
	if len(found) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// programsOffered bounds what completion offers: a longer list helps nobody.
const programsOffered = 5000

// programs returns the names of the programs in PATH that begin so, in order.
func programs(begun string) []string {
	var names []string
	for dir, name := range inPath {
		if len(names) == programsOffered {
			break
		}
		if strings.HasPrefix(name, begun) && executable(dir, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
