package jobserver

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

// program is what messages begin with.
const program = "sweetspot jobserver"

// exitError is the exit code of errors of ours.
const exitError = 255

type options struct {
	number *run.Number
	style  string
}

// Command returns the cobra command "jobserver".
func Command() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "jobserver [flags] [--] COMMAND [ARGS...]",
		Short: "Run make, ninja or cargo, with one number of jobs for all that they start",
		Long: `Run COMMAND as the client of a jobserver, which speaks the protocol of GNU make. All makes,
ninjas, cargos and rustcs below COMMAND share one number of jobs at a time, however they are nested.
It is found by measuring the CPU time that the build gets, and moves while it runs. Leave out the -j
of COMMAND.

COMMAND has our terminal, stdin and stdout. The exit status is that of COMMAND, 128 and the number
of the signal that ended it, or 255 for an error of ours. INT, TERM and HUP are passed on; a second
TERM kills all that COMMAND has started. USR1 and USR2 are one job more or fewer.

go build does not take part, nor do other builds that know no jobserver. It is for Linux.`,
		Example: `  sweetspot jobserver make
  sweetspot jobserver --explain -- cargo build --release
  sweetspot jobserver --max 8 -- sh -c './configure && make && make check'`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &exitcode.Error{Code: exitError, Err: errors.New("no command: say what to run, such as: sweetspot jobserver make")}
			}
			err := o.run(args)
			if _, coded := errors.AsType[*exitcode.Error](err); err != nil && !coded {
				err = &exitcode.Error{Code: exitError, Err: err}
			}
			return err
		},
	}
	f := c.Flags()
	f.SetInterspersed(false) // the flags of COMMAND are its own
	o.number = run.NewNumber(c)
	o.number.Least = least
	f.BoolVarP(&o.number.Verbose, "verbose", "v", false, "write each decision about the number to stderr as it is taken")
	f.StringVar(&o.style, "style", styleAuto, "how clients reach the tokens, as `STYLE`: auto, pipe or fifo; make before 4.4 knows pipes only, and auto asks the make that COMMAND is or would find")
	return c
}
