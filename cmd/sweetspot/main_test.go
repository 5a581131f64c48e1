package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	main "github.com/sweetspot-go/sweetspot/cmd/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// raceEnv keeps the race detector from sleeping for a second at the end of each
// of the many programs that the tests start.
const raceEnv = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	os.Setenv("GORACE", raceEnv)
	testscript.Main(unset{m}, map[string]func(){"sweetspot": main.Main, "ask": ask})
}

// ask is a program that has a server serve it once.
func ask() {
	c, err := net.Dial("tcp", os.Args[1])
	if err == nil {
		_, err = bufio.NewReader(c).ReadByte()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// unset runs the tests without the settings of the user, without what earlier runs have learnt, and
// without the flags and the jobserver of a make that runs them.
type unset struct{ *testing.M }

func (u unset) Run() int {
	os.Setenv("XDG_CONFIG_HOME", os.DevNull)
	os.Setenv("XDG_STATE_HOME", os.DevNull)
	os.Unsetenv("MAKEFLAGS")
	return u.M.Run()
}

// TestScripts runs the real program. The scripts are in testdata/script, one
// for each promise.
func TestScripts(t *testing.T) {
	rerun.Skip(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", raceEnv)
			e.Setenv("XDG_STATE_HOME", os.DevNull)
			path, err := exec.LookPath("sweetspot") // for those that start it by its path
			e.Setenv("SWEETSPOT", path)
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"summary": summary,
			"lines":   lines,
			"hostile": hostile,
		},
	})
}

// summary FILE JOBS FAILED checks a file of --json.
func summary(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: summary FILE JOBS FAILED")
	}
	var s struct {
		Version, Jobs, Failed, Suspensions *int
		Seconds, Rate                      *float64
		Limit                              *struct {
			Last, Max *int
			Mean      *float64
		}
		Trace []struct {
			At, Rate, CPU *float64
			Limit         *int
			InFlight      *int `json:"in_flight"`
		}
		Changes []struct {
			At       *float64
			From, To *int
			Reason   *string
		}
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.DisallowUnknownFields()
	ts.Check(dec.Decode(&s))
	if s.Version == nil || s.Jobs == nil || s.Failed == nil || s.Suspensions == nil || s.Seconds == nil || s.Rate == nil || s.Limit == nil ||
		s.Limit.Last == nil || s.Limit.Max == nil || s.Limit.Mean == nil || s.Trace == nil || s.Changes == nil {
		ts.Fatalf("keys are missing: %s", ts.ReadFile(args[0]))
	}
	if *s.Version != 1 || fmt.Sprint(*s.Jobs) != args[1] || fmt.Sprint(*s.Failed) != args[2] || *s.Seconds <= 0 ||
		*s.Limit.Last < 1 || *s.Limit.Max < *s.Limit.Last || *s.Limit.Mean <= 0 {
		ts.Fatalf("want version 1, %s jobs, %s failed: %s", args[1], args[2], ts.ReadFile(args[0]))
	}
	last := 0.0
	for _, p := range s.Trace {
		if p.At == nil || p.Rate == nil || p.CPU == nil || p.Limit == nil || p.InFlight == nil || *p.At <= last {
			ts.Fatalf("bad trace: %s", ts.ReadFile(args[0]))
		}
		last = *p.At
	}
	for _, c := range s.Changes {
		if c.At == nil || c.From == nil || c.To == nil || c.Reason == nil || *c.Reason == "" {
			ts.Fatalf("bad changes: %s", ts.ReadFile(args[0]))
		}
	}
}

// lines N FILE writes the numbers 1 to N, one a line.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	var n int
	if _, err := fmt.Sscan(args[0], &n); err != nil || neg {
		ts.Fatalf("usage: lines N FILE")
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o600))
}

// hostile DIR makes a directory of files whose names something would read as
// shell text if it were not careful.
func hostile(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	for _, name := range []string{"-rf", "a b", "c'd", `e"f`, "g$(touch PWNED)h", "i;touch PWNED", "j`touch PWNED`", "k\nl", "*", "~", "{}", "|touch PWNED"} {
		ts.Check(os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
}
