package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// completeFlags has completion offer the choices of these flags of the table, or of all, and
// names of files and directories where the argument is one.
func completeFlags(c *cobra.Command, names ...string) {
	for i := range flags {
		f := &flags[i]
		if f.arg == "" || len(names) > 0 && !slices.Contains(names, f.name) {
			continue
		}
		for _, name := range f.names() {
			if err := c.RegisterFlagCompletionFunc(name, f.complete); err != nil {
				panic(err) // c does not have the flag
			}
		}
	}
}

// complete returns what the argument may be. Without choices it may be a file
// or a directory, or nothing that anybody could know.
func (f *flag) complete(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var offers []string
	if f.choices != nil {
		for _, o := range f.choices() {
			if strings.HasPrefix(o, begun) {
				offers = append(offers, o)
			}
		}
	}
	switch {
	case strings.Contains(f.arg, "FILE") || f.name == "command" || f.name == "shell":
		return offers, cobra.ShellCompDirectiveDefault
	case f.arg == "DIR":
		return offers, cobra.ShellCompDirectiveFilterDirs
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
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
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		entries, _ := os.ReadDir(d) // what cannot be read cannot be run
		for _, e := range entries {
			if len(names) == programsOffered {
				break
			}
			if !strings.HasPrefix(e.Name(), begun) || e.IsDir() {
				continue
			}
			if _, err := exec.LookPath(filepath.Join(d, e.Name())); err == nil {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
