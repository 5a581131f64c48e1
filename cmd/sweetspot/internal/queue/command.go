package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

// Command returns the cobra command "queue".
func Command() *cobra.Command {
	c := &cobra.Command{
		Use:   "queue",
		Short: "Run jobs on several machines; each finds how many to run at a time",
		Long: `Queues of jobs on NATS JetStream. push adds a job for each value, any number of workers run a
command for each job, and every job gets exactly one recorded result, whichever processes are
killed.

Without --server, the queues are in a directory of this user. The first process that needs them
serves them to the others on this machine.`,
		Example: `  ls *.wav | sweetspot queue push music
  sweetspot queue work music --until-empty lame {}
  sweetspot queue results music >results.jsonl

  sweetspot queue serve --listen 10.0.0.1:4222                          # for other machines, too
  sweetspot queue work music --server tls://10.0.0.1:4222 --tls-ca server.pem --nkey work.nk lame {}`,
	}
	c.AddCommand(serveCommand(), pushCommand(), workCommand(), scaleCommand(), resultsCommand(), statusCommand(), waitCommand(), retryCommand(), drainCommand(), deleteCommand())
	return c
}

// on makes the command "use" that does something with one queue.
func on(c *cobra.Command, do func(ctx context.Context, q *queue) error) *cobra.Command {
	c.Args = oneName
	return connected(c, func(ctx context.Context, conn *connection, args []string) error {
		q, err := conn.queue(ctx, args[0], false)
		if err == nil {
			err = do(ctx, q)
		}
		return err
	})
}

// connected makes the command "use" that does something with a connection.
func connected(c *cobra.Command, do func(ctx context.Context, conn *connection, args []string) error) *cobra.Command {
	conn := &connection{}
	conn.register(c.Flags())
	c.ValidArgsFunction = completeName(conn, cobra.ShellCompDirectiveNoFileComp)
	c.RunE = func(c *cobra.Command, args []string) error {
		ctx, stop := exitcode.UntilSignal(context.Background())
		defer stop()
		defer conn.close()
		// Who waits for jobs also waits for a server that is away for a moment.
		err := conn.open(ctx, c.Name() == "wait", say)
		if err == nil {
			err = do(ctx, conn, args)
		}
		return exitError(ctx, err)
	}
	return c
}

// named wants the name of a queue as the first argument, before anything is made for it.
func named(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("no queue is named: want its NAME as the first word; sweetspot queue status lists all")
	case !goodName(args[0]):
		return fmt.Errorf("%q is not a name of a queue: want letters, digits, - and _, at most %d", args[0], nameMost)
	}
	return nil
}

func oneName(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s is left over: %s takes the NAME of one queue", args[1], c.Name())
	}
	return named(c, args)
}

// worded makes the command "use NAME [flags] WORDS..." that does something with a queue of that
// name. Flags may also stand behind the name, and the words may look like flags of c.
func worded(c *cobra.Command, conn *connection, do func(c *cobra.Command, name string, words []string) error) *cobra.Command {
	c.Args = named
	c.ValidArgsFunction = completeName(conn, cobra.ShellCompDirectiveDefault)
	c.RunE = func(c *cobra.Command, args []string) error {
		f := c.Flags()
		switch err := f.Parse(args[1:]); {
		case errors.Is(err, pflag.ErrHelp):
			return c.Help()
		case err != nil:
			return c.FlagErrorFunc()(c, err)
		}
		if help, _ := f.GetBool("help"); help { // behind the name it is a flag like others
			return c.Help()
		}
		return do(c, args[0], f.Args())
	}
	return c
}

// program is what messages begin with.
const program = "sweetspot queue"

func say(text string) { fmt.Fprintln(os.Stderr, program+": "+text) }

// exitError gives err the exit code of the command: that of an error of ours, or
// that of a signal.
func exitError(ctx context.Context, err error) error {
	_, ofFile := errors.AsType[*fs.PathError](err) // and not of a connection
	switch _, coded := errors.AsType[*exitcode.Error](err); {
	case err == nil || coded:
		return err
	case ctx.Err() != nil:
		return exitcode.Of(ctx, &exitcode.Error{Code: 255}) // which has no message
	case ofFile && errors.Is(err, syscall.EPIPE):
		return &exitcode.Error{Code: 141}
	}
	return &exitcode.Error{Code: 255, Err: err}
}
