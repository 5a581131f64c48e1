package queue

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

// completionMost bounds how long completion waits for the queues. Where nobody serves those of this
// machine, to do so takes some 50 ms.
const completionMost = time.Second

// completeName has completion offer the names of the queues for the first word, and for the others
// what rest says. It makes no home for queues.
func completeName(conn *connection, rest cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, rest
		}
		names, _ := conn.existing() // there is nobody to tell
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func (c *connection) existing() ([]string, error) {
	if cmp.Or(c.server, os.Getenv("NATS_URL")) == "" {
		dir, err := c.homeDir()
		if err == nil {
			_, err = os.Stat(filepath.Join(dir, storeName))
		}
		if err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), completionMost)
	defer stop()
	defer c.close()
	c.most = completionMost
	if err := c.open(ctx, false, func(string) {}); err != nil {
		return nil, err
	}
	return c.names(ctx)
}
