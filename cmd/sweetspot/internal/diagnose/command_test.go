package diagnose_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// TestMain keeps the race detector from sleeping at the end of each process.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// command runs the command, and returns what it prints.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c := diagnose.Command()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(&out)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

func TestFlagsOfGoTest(t *testing.T) {
	got := diagnose.Spelled([]string{"-bench", ".", "-bench=x", "--bench=y", "-benchtime=1s", "-tags", "a", "-h", "--", "./cmd", "-bench", "z"})
	want := []string{"--bench", ".", "--bench=x", "--bench=y", "--benchtime=1s", "--tags", "a", "-h", "--", "./cmd", "-bench", "z"}
	if !slices.Equal(got, want) {
		t.Errorf("spelled %q, want %q", got, want)
	}
}

// Nothing is measured where the command line is wrong, and files stay as they are.
func TestCommandRefuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for want, args := range map[string][]string{
		"-- needs a command after it":                {"--"},
		"packages (./a) and a command were given":    {"./a", "--", "./b"},
		"--bench and --benchtime are for benchmarks": {"-bench", ".", "--", "./b"},
		"--timeout is for a command":                 {"--timeout", "1s"},
		"--rounds is -1, want more than 0":           {"--rounds", "-1"},
		"--rounds is 0, want more than 0":            {"--rounds", "0"},
		"--benchtime is 0, want more than 0":         {"--benchtime", "0s"},
		"--seconds is 0, want more than 0":           {"--seconds", "0", "http://localhost:1"},
		"./no.pprof: want packages with benchmarks, or files that are recordings: go list: exit status 1:": {"./no.pprof"},
		"GOMAXPROCS is to be 0, want 1 or more":        {"--procs", "0,2"},
		"--html: open none" + string(os.PathSeparator): {"--html", filepath.Join("none", "x.html")},
		"--json: open none" + string(os.PathSeparator): {"--json", filepath.Join("none", "x.json")},
	} {
		out, err := command(t, args...)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "diagnose: ") {
			t.Errorf("%q: error %v, want one with %q", args, err, want)
		}
		if out != "" {
			t.Errorf("%q printed %q", args, out)
		}
	}
	if err := os.WriteFile("page.html", []byte("before"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := command(t, "--html", "page.html", "--rounds", "-1"); err == nil {
		t.Error("no error")
	}
	if text, _ := os.ReadFile("page.html"); string(text) != "before" {
		t.Errorf("the page is %q after an error", text)
	}
	if entries, _ := os.ReadDir("."); len(entries) != 1 {
		t.Errorf("an error leaves %v", entries)
	}
}

func TestHelp(t *testing.T) {
	for _, flag := range []string{"--help", "-h"} {
		out, err := command(t, flag)
		if err != nil || !strings.Contains(out, "ranked by the time that could be won") || !strings.Contains(out, "--benchtime") {
			t.Errorf("%s: %v, printed %q", flag, err, out)
		}
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := diagnose.Command()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(nil)
	c.SetOut(new(bytes.Buffer))
	if err := c.ExecuteContext(ctx); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v, want that it was canceled", err)
	}
}

// The whole of it: a package is built, run, looked at, and its one fault named.
func TestCommandNamesThePlantedCause(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a package several times")
	}
	rerun.Skip(t)
	t.Chdir(t.TempDir())
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	for name, text := range map[string]string{
		"go.mod": "module example.com/planted\n\ngo 1.26\n",
		"fib.go": `package planted

// Fib starts a goroutine for each call.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	a := make(chan int)
	go func() { a <- Fib(n - 1) }()
	b := Fib(n - 2)
	return <-a + b
}
`,
		"fib_test.go": `package planted

import "testing"

func BenchmarkFib(b *testing.B) {
	for b.Loop() {
		Fib(14)
	}
}

func BenchmarkBroken(b *testing.B) { b.Fatal("no luck") }
`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := command(t, "-bench", "Fib|Broken", "--procs", "2", "--rounds", "1", "--benchtime", "20ms", "--json", "report.json", "--html", "report.html", "--fail")
	if err == nil || err.Error() != "" {
		t.Fatalf("error %v, want one that says nothing but the exit code; printed\n%s", err, out)
	}
	if !strings.Contains(out, "\n  1. ") || !strings.Contains(out, "planted.Fib starts a goroutine for") || !strings.Contains(out, "fib.go:9  go func() { a <- Fib(n - 1) }()") {
		t.Errorf("the first cause is not the planted one:\n%s", out)
	}
	if !strings.Contains(out, "note: BenchmarkBroken was not recorded: ") || !strings.Contains(out, "no luck") {
		t.Errorf("nothing is said of the benchmark that fails:\n%s", out)
	}
	file, err := os.Open("report.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(doc); err != nil {
		t.Error(err)
	}
	if f := finding(doc.(map[string]any)); f == nil || f["check"] != "recspawn" {
		t.Errorf("the file begins with %v, want the recursion", f)
	}
	if page, err := os.ReadFile("report.html"); err != nil || !strings.Contains(string(page), "planted.Fib starts a goroutine for") {
		t.Errorf("the page lacks the cause: %v", err)
	}
}
