package run_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/control"
)

func TestLawFlag(t *testing.T) {
	for text, want := range map[string]string{
		"":             "*control.Overload",
		"search":       "*control.Overload",
		"vegas":        "*control.Vegas",
		"aimd:2":       "*control.AIMD",
		"gradient2":    "*control.Gradient2",
		"hillclimbing": "*control.HillClimbing",
		"step:75":      "*control.Step",
	} {
		law, err := run.LawOf(text)
		if got := fmt.Sprintf("%T", law); err != nil || got != want {
			t.Errorf("--law %q: %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"newton": "want one of search, dynamictarget", "aimd:x": "want a number after the colon"} {
		if _, err := run.LawOf(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--law %q: %v, want an error with %q", text, err, want)
		}
	}
}

func TestHelpNamesEveryLaw(t *testing.T) {
	for _, form := range control.Names() {
		name := strings.FieldsFunc(form, func(r rune) bool { return r == '[' || r == ':' })[0]
		if name != "fixed" && !strings.Contains(run.HelpText, name) { // that is what -j N is for
			t.Errorf("%s is missing", name)
		}
	}
}

// The error comes before anything runs.
func TestLawAndJobs(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--law", "vegas", "-j", "4", "false", ":::", "x"}, "--law vegas finds the number of jobs, and -j 4 gives it"},
		{[]string{"--law", "vegas", "-j", "0", "false", ":::", "x"}, "and -j 0 gives it"},
		{[]string{"--law", "newton", "false", ":::", "x"}, `unknown law "newton": want one of search, `},
	} {
		cmd := run.Command()
		cmd.SetArgs(c.args)
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("run %v: %v, want an error with %q", c.args, err, c.want)
		}
	}
}

// The law of the flag is the one that decides.
func TestLawDecides(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary.json")
	cmd := run.Command()
	cmd.SetArgs([]string{"--law", "fixed:1", "--json", file, "-c", "sleep 0.05", ":::", "a", "b", "c"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Jobs    int
		Limit   struct{ Last int }
		Changes []struct{ Reason string }
	}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	if s.Jobs != 3 || s.Limit.Last != 1 || len(s.Changes) == 0 || s.Changes[0].Reason != "starts at 1: a fixed number" {
		t.Errorf("%s", b)
	}
}
