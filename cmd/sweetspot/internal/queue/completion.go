package queue

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

// completionMost bounds how long completion waits for the queues, unless --connect-timeout does. If
// no server of this machine runs, starting one for it takes some 50 ms.
const completionMost = time.Second

// completeName has completion offer the names of the queues for the first word, and for the others
// what rest says. It makes no home for queues.
func completeName(conn *connection, rest cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, rest
		}
		if !c.Flags().Changed("connect-timeout") {
			conn.most = completionMost
		}
		ctx, stop := context.WithTimeout(context.Background(), conn.most)
		defer stop()
		// The client of NATS takes 2 s for each server, and no ctx. What still waits ends with this process.
		found := make(chan []string, 1)
		go func() {
			names, _ := conn.existing(ctx) // a shell that completes shows no error
			found <- names
		}()
		select {
		case names = <-found:
		case <-ctx.Done():
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func (c *connection) existing(ctx context.Context) ([]string, error) {
	if cmp.Or(c.server, os.Getenv("NATS_URL")) == "" {
		dir, err := c.homeDir()
		if err == nil {
			_, err = os.Stat(filepath.Join(dir, storeName))
		}
		if err != nil {
			return nil, err
		}
	}
	defer c.close()
	if err := c.open(ctx, false, func(string) {}); err != nil {
		return nil, err
	}
	return c.names(ctx)
}
