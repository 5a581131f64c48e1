package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/manual"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/lab"
)

// root returns the command line.
func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "sweetspot",
		Short: "Find how many jobs at a time serve best",
		Long: `sweetspot runs jobs, as many at a time as serves best: it measures them while
they run, and says why it settled where it did.`,
		Example: `  ls *.wav | sweetspot run lame
  sweetspot run -k --explain sha256sum <files.txt`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.SetVersionTemplate("{{.Version}}\n")
	c.AddCommand(run.Command(), queue.Command(), manual.Command(map[string][]manual.Section{"sweetspot run": run.Manual()}), simcmd.Command(), vetcmd.Command(), lab.Command(), diagnose.Command(), &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version())
			return err
		},
	})
	completeFlags(c)
	return c
}

// version returns what the build recorded: the version, the commit, and what
// compiled it.
func version() string {
	module, commit, changed := "devel", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			module = v
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = ", commit " + s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = " with changes"
			}
		}
	}
	return fmt.Sprintf("sweetspot %s (%s %s/%s%s%s)", module, runtime.Version(), runtime.GOOS, runtime.GOARCH, commit, changed)
}
