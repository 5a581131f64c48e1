package run_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestHelpNamesEveryFlag(t *testing.T) {
	run.Command().Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return // another spelling, or one of another tool
		}
		if !strings.Contains(run.HelpText, "--"+f.Name) {
			t.Errorf("--%s is missing", f.Name)
		}
		if f.Shorthand != "" && !strings.Contains(run.HelpText, "-"+f.Shorthand) {
			t.Errorf("-%s is missing", f.Shorthand)
		}
	})
}

func TestHelpFits(t *testing.T) {
	for line := range strings.Lines(run.HelpText) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestJobEnviron(t *testing.T) {
	got := run.JobEnviron([]string{"A=1", "SWEETSPOT_SEQ=4", "PARALLEL_SEQ=5", "PARALLEL_SEQX=6"})
	if want := []string{"A=1", "PARALLEL_SEQX=6"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
