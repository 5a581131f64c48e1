package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/jobserver"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/manual"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/lab"
)

func root() *cobra.Command {
	cobra.EnableCommandSorting = false // help begins with what most want
	c := &cobra.Command{
		Use:   "sweetspot",
		Short: "Find how many jobs to run at a time",
		Long: `sweetspot finds how many jobs to run at a time: it measures them while they run, moves
the number, and says why it settled where it did. The package of that name does the same for Go
code; vet and diagnose find what concurrency in Go code costs.`,
		Example: `  ls *.wav | sweetspot run lame
  sweetspot run -k --explain sha256sum <files.txt
  sweetspot vet ./...`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.SetVersionTemplate("{{.Version}}\n")
	word := ""
	if len(os.Args) > 1 {
		word = os.Args[1]
	}
	if word == "run" {
		c.AddCommand(run.Command()) // alone: to make the others would delay each start in a loop
	} else {
		addCommands(c)
	}
	c.InitDefaultVersionFlag()
	c.Flag("version").Usage = "print the version"
	usage.Install(c)
	if word == cobra.ShellCompRequestCmd || word == cobra.ShellCompNoDescRequestCmd {
		completeFlags(c)
	}
	return c
}

// addCommands adds all commands.
func addCommands(c *cobra.Command) {
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"run", "Run commands:", []*cobra.Command{run.Command(), queue.Command(), jobserver.Command()}},
		{"code", "Find what concurrency in Go code costs:", []*cobra.Command{vetcmd.Command(), diagnose.Command()}},
		{"laws", "See how the number is found:", []*cobra.Command{simcmd.Command(), lab.Command()}},
		{"setup", "Set up:", []*cobra.Command{manual.Command(map[string]func() []manual.Section{"sweetspot run": run.Manual}), versionCommand()}},
	} {
		c.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, sub := range g.commands {
			sub.GroupID = g.id
			c.AddCommand(sub)
		}
	}
	c.SetCompletionCommandGroupID("setup")
	c.SetHelpCommandGroupID("setup")
	c.InitDefaultCompletionCmd() // now, so that it has our help and answers
	if completion, _, err := c.Find([]string{"completion"}); err == nil {
		completion.Short, completion.Long = "Write a script that completes commands and flags in a shell", ""
		for _, shell := range completion.Commands() {
			shell.Short = "Write the script for " + shell.Name()
			if shell.Name() == "bash" {
				shell.Short += "; the script needs the package bash-completion"
			}
		}
	}
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), version())
			return err
		},
	}
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
