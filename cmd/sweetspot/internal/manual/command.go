package manual

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// Command returns the cobra command "man". A command whose path is in sections has these on
// its page, the others have their flags.
func Command(sections map[string]func() []Section) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man [COMMAND...]",
		Short: "Write the manual page of a command, or all of them",
		Long: `man writes the manual page of a command in roff to standard output, and that of sweetspot
if none is named. With --dir it writes the pages of all commands to a directory.`,
		Example: `  sweetspot man run | man -l -
  sweetspot man queue work | man -l -
  sweetspot man --dir /usr/local/share/man/man1`,
		RunE: func(c *cobra.Command, names []string) error {
			if dir != "" && len(names) > 0 {
				return fmt.Errorf("man: --dir writes the pages of all commands: leave out %q", names[0])
			}
			if dir != "" {
				if err := writeAll(c.Root(), dir, sections); err != nil {
					return fmt.Errorf("man: --dir: %w", err)
				}
				return nil
			}
			of, rest, err := c.Root().Find(names)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("man: there is no command %q: sweetspot --help lists them", strings.Join(names, " "))
			}
			_, err = io.WriteString(c.OutOrStdout(), manual(of, sections[of.CommandPath()]))
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "write the pages of all commands to `DIR`, which is made if it does not exist")
	return c
}

// writeAll writes the pages of root and all commands below it to a directory.
func writeAll(root *cobra.Command, dir string, sections map[string]func() []Section) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, c := range commands(root) {
		text := manual(c, sections[c.CommandPath()])
		if err := os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
