package run

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

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
