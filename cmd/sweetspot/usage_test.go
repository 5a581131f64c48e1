package main_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	main "github.com/sweetspot-go/sweetspot/cmd/sweetspot"
)

// Each command has a screen of help and a manual, and the first leads to the second.
func TestHelpOfEachCommand(t *testing.T) {
	var visit func(c *cobra.Command, path []string)
	visit = func(c *cobra.Command, path []string) {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			return
		}
		name := strings.Join(path, " ")
		short, long := said(t, append(path, "-h")...), said(t, append(path, "--help")...)
		if n := strings.Count(short, "\n"); n > 40 {
			t.Errorf("%s -h has %d lines, want at most 40", name, n)
		}
		for line := range strings.Lines(short + long) {
			if n := len([]rune(line)); n > 101 {
				t.Errorf("%s -h or --help has a line of %d columns: %s", name, n, line)
			}
		}
		if !strings.Contains(short, "--help") || !strings.Contains(long, "Usage:") || short == long {
			t.Errorf("%s -h is\n%s\n--help is\n%s", name, short, long)
		}
		if strings.Contains(strings.Join(strings.Fields(long), " "), "(default [") { // lines are wrapped
			t.Errorf("%s --help has a default in brackets", name)
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if value, _ := pflag.UnquoteUsage(f); value != strings.ToUpper(value) {
				t.Errorf("%s --help calls the value of --%s %s", name, f.Name, value)
			}
		})
		for _, sub := range c.Commands() {
			visit(sub, append(path[:len(path):len(path)], sub.Name()))
		}
	}
	visit(main.Root(), nil)
}

// said returns what a command line prints to stdout.
func said(t *testing.T, args ...string) string {
	t.Helper()
	c := main.Root()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetArgs(args)
	if err := c.Execute(); err != nil {
		t.Fatalf("sweetspot %s: %v", strings.Join(args, " "), err)
	}
	return out.String()
}

// A mistake is answered with what was wrong and what would be right, a bad value once.
func TestAnswers(t *testing.T) {
	defer func(before []string) { os.Args = before }(os.Args)
	for line, want := range map[string]string{
		"runn":                      "unknown command: sweetspot runn (did you mean run?); see sweetspot --help",
		"go vet":                    "unknown command: sweetspot go (to run it for each value: sweetspot run go); see sweetspot --help",
		"queue pus":                 "unknown command: sweetspot queue pus (did you mean push?); see sweetspot queue --help",
		"queue list":                "unknown command: sweetspot queue list (did you mean status?); see sweetspot queue --help",
		"queue rm q":                "unknown command: sweetspot queue rm (did you mean delete?); see sweetspot queue --help",
		"-kj4 echo":                 "unknown flag: -k (did you mean sweetspot run -k?); see sweetspot --help",
		"--jobs 4 echo":             "unknown flag: --jobs (did you mean sweetspot run --jobs?); see sweetspot --help",
		"--json sim":                "unknown flag: --json (did you mean sweetspot sim --json?); see sweetspot --help",
		"--json queue status q":     "unknown flag: --json (did you mean sweetspot queue status --json?); see sweetspot --help",
		"--dry-run vet":             "unknown flag: --dry-run; see sweetspot --help",
		"queue --until-empty":       "unknown flag: --until-empty (did you mean sweetspot queue work --until-empty?); see sweetspot queue --help",
		"queue retry":               "unknown command: sweetspot queue retry (did you mean retry-failed?); see sweetspot queue --help",
		"queue retry --all":         "unknown command: sweetspot queue retry (did you mean retry-failed?); see sweetspot queue --help",
		"diag":                      "unknown command: sweetspot diag (did you mean diagnose?); see sweetspot --help",
		"sim compny":                "unknown command: sweetspot sim compny (did you mean company?); see sweetspot sim --help",
		"run --retry 3 true":        "unknown flag: --retry (did you mean --retries?); see sweetspot run --help",
		"run --tries 3 true":        "unknown flag: --tries (did you mean --retries?); see sweetspot run --help",
		"queue work q --retries 3":  "unknown flag: --retries (did you mean --tries?); see sweetspot queue work --help",
		"run --threads 4 true":      "there is no --threads: want -j N; without -j the number is found by measuring",
		"queue work q --workers 4":  "there is no --workers: want -j N; without -j the number is found by measuring",
		"jobserver --parallel 4":    "there is no --parallel: want -j N; without -j the number is found by measuring",
		"help queu":                 "unknown command: sweetspot queu (did you mean queue?); see sweetspot --help",
		"help queue retry":          "unknown command: sweetspot queue retry (did you mean retry-failed?); see sweetspot queue --help",
		"vet --fix --numbers":       "want only one of --fix and --numbers",
		"sim --trace --json x":      "want only one of --json and --trace",
		"version x":                 "x is left over; usage: sweetspot version",
		"sim company x":             "x is left over; usage: sweetspot sim company [flags]",
		"queue serve x":             "x is left over; usage: sweetspot queue serve [flags]",
		"completion bash x":         "x is left over; usage: sweetspot completion bash",
		"lab list x":                "x is left over; usage: sweetspot lab list",
		"lab compare":               "which experiment? one ID as in lab list; usage: sweetspot lab compare ID POINT POINT [flags]",
		"lab compare D3":            "lab compare: experiment D3: want two points to compare, not 0: it has Slow; Parallel2; Parallel1; JoinSerial",
		"lab compare D3 a b c":      "c is left over; usage: sweetspot lab compare ID POINT POINT [flags]",
		"lab compare D3 --for x":    `--for: "x" is not a length of time: want 5, 0.5s, 2m, 1d`,
		"lab diagnose":              "which experiment? one ID as in lab list; usage: sweetspot lab diagnose ID [POINT POINT] [flags]",
		"lab report":                "which figures? a FILE that lab run has written with --json; usage: sweetspot lab report FILE [flags]",
		"lab report a b":            "b is left over; usage: sweetspot lab report FILE [flags]",
		"lab lst":                   "unknown command: sweetspot lab lst (did you mean list?); see sweetspot lab --help",
		"run --jbos 3 true":         "unknown flag: --jbos (did you mean --jobs?); see sweetspot run --help",
		"run --zzzzzz true":         "unknown flag: --zzzzzz; see sweetspot run --help",
		"run -jobs 3 true":          "-jobs is read as -j obs: want --jobs",
		"vet -info":                 "unknown flag: -info: want --info",
		"vet -sarif=x":              "unknown flag: -sarif=x: want --sarif=x",
		"vet --inof":                "unknown flag: --inof (did you mean --info?); see sweetspot vet --help",
		"diagnose --procs x":        `--procs: "x": want a number`,
		"diagnose --tiemout 3":      "unknown flag: --tiemout (did you mean --timeout?); see sweetspot diagnose --help",
		"diagnose -rounds 3":        "unknown flag: -rounds: want --rounds",
		"diagnose --timeout x":      `--timeout: "x" is not a length of time: want 5, 0.5s, 2m, 1d`,
		"queue work q --tries x":    `--tries: "x": want a number`,
		"queue work q --pause x":    `--pause: "x" is not a length of time: want 5, 0.5s, 2m, 1d`,
		"queue work q --fleet=x y":  `--fleet: "x": want true or false`,
		"queue work q --until-empy": "unknown flag: --until-empy (did you mean --until-empty?); see sweetspot queue work --help",
		"queue push q --header :":   "--header names columns for the command, and push knows none: want {1}, {2} in the command of queue work, and the list from its second line on (tail -n +2)",
		"queue push q --shuf --longest-first size": "--longest-first sorts the jobs of one run: want a list in the order that the jobs are to have",
		"run --timeout": "flag needs an argument: --timeout; see sweetspot run --help",
	} {
		os.Args = append([]string{"sweetspot"}, strings.Fields(line)...)
		err := main.Root().Execute()
		if err == nil || err.Error() != want {
			t.Errorf("sweetspot %s:\n%v, want\n%s", line, err, want)
		}
	}
}
