package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

type options struct {
	inputOptions
	pipeOptions
	limitOptions
	keepOrder bool
	line      string // of -c
	shell     bool   // -c was given
	inShell   string // the name or the path of a shell; "" is the usual one
	mark      string // the spelling of {}
	grace     humanize.Time
	json      string
	ui        uiFlag
	explain   bool
	dryRun    bool
	verbose   bool
	outcomeOptions
	learn    bool
	learned  bool      // what was learnt is shown, and nothing runs
	forget   bool      // it is forgotten
	config   string    // the file of settings; "" is that of the user
	settings []setting // what was not given, but set

	command []string // the words before :::
}

// Command returns the cobra command "run".
func Command() *cobra.Command {
	o := &options{mark: "{}", grace: humanize.Time(5 * time.Second)}
	o.retryOOM, o.learn, o.suspend = true, true, true
	c := &cobra.Command{
		Use:                   "run [flags] [--] COMMAND [ARGS...] [::: VALUES...]",
		Short:                 "Run a command for each line of input: an xargs with an automatic -P",
		Long:                  helpSummary,
		Example:               helpExamples,
		DisableFlagsInUseLine: true,
		SilenceUsage:          true,
		SilenceErrors:         true,
		Args:                  cobra.ArbitraryArgs,
		ValidArgsFunction:     completeCommand,
		RunE: func(c *cobra.Command, args []string) (err error) {
			defer func() { err = shownOn(os.Stderr, err) }()
			o.shell = c.Flags().Changed("command")
			if c.Flags().Changed("shell") && !o.shell {
				return errors.New("--shell says which shell runs the line of -c: want -c LINE, too")
			}
			if err := o.configure(c.Flags(), os.Environ()); err != nil {
				return err
			}
			if err := o.split(args); err != nil {
				if s := o.settingsInForce(); s != "" {
					err = fmt.Errorf("%w (settings in force: %s)", err, s)
				}
				return err
			}
			switch {
			case o.learned && o.forget:
				return errors.New("--learned shows what --forget removes: want one of the two")
			case o.learned:
				return o.tellLearned(os.Stdout)
			case o.forget:
				return o.forgetLearned(os.Stdout)
			}
			if len(o.sources) == 0 && stdinIsTerminal() { // it would wait for somebody to type: help is of more use
				_, _ = io.WriteString(os.Stderr, screen()+"\nstdin is a terminal, so there are no values.\n")
				return &exitcode.Error{Code: exitError}
			}
			return o.run()
		},
	}
	f := c.Flags()
	f.SetInterspersed(false) // the flags of COMMAND are its own
	f.SetNormalizeFunc(normalized)
	for i := range flags {
		flags[i].register(f, o)
	}
	registerForeign(f, foreigners...)
	c.SetHelpFunc(usage.Help(func(*cobra.Command) string { return screen() }, func(*cobra.Command) string { return help() }))
	return c
}

// split parts the words at ":::" and its like and checks what belongs together.
func (o *options) split(args []string) error {
	command, err := o.takeLists(args)
	if err != nil {
		return err
	}
	o.command = command
	if err := o.pipeOptions.check(&o.inputOptions); err != nil {
		return err
	}
	if err := o.inputOptions.check(); err != nil {
		return err
	}
	switch {
	case o.pipe && (o.resume || o.resumeFailed):
		return errors.New("--resume tells jobs by their commands, and with --pipe all are the same: want one of the two")
	case (o.shuffle || o.longest != "") && (o.resume || o.resumeFailed):
		return errors.New("--resume tells jobs by their numbers, which --shuf and --longest-first change: want one of the two")
	case o.shell && o.repeat:
		return errors.New("-X repeats words of a command, and the line of -c is for the shell: want -m, which makes {} all values")
	case !o.shell && len(o.command) == 0 && !o.learned && !o.forget && (len(o.sources) > 0 || !stdinIsTerminal()):
		return errors.New("no command: say what to run for each value, such as: sweetspot run gzip")
	}
	if err := o.outcomeOptions.check(); err != nil {
		return err
	}
	return o.checkCommand()
}

// checkCommand refuses a command that does not go with its flags, and limits that contradict each other.
func (o *options) checkCommand() error {
	switch {
	case o.mark == "":
		return errors.New("-I needs a spelling for {}, such as -I %")
	case o.shell && len(o.command) > 0:
		return fmt.Errorf("-c takes the whole command as one word; %s is left over (quote the line, or leave out -c)", quoteWord(o.command[0]))
	}
	return o.fits()
}

func stdinIsTerminal() bool { return isTerminal(os.Stdin) }

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// template returns the command to run for each value. names are those of the columns.
func (o *options) template(names []string) (*template.Template, error) {
	s := o.shape()
	s.Names, s.Counted = names, !o.pipe
	if o.pipe {
		s.Without = "--pipe"
	}
	return o.templateOf(s)
}
