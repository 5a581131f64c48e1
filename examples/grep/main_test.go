package main_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	grep "github.com/sweetspot-go/sweetspot/examples/grep"
	"github.com/sweetspot-go/sweetspot/lab/scan"
)

// asProgram, in the environment, makes the test program act as the real one.
const asProgram = "GREP_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	// The race detector would sleep for a second at the end of each process.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	scan.Main()
	if os.Getenv(asProgram) != "" {
		os.Exit(grep.Command(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// run runs the command in this process.
func run(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = grep.Command(args, &o, &e)
	return code, o.String(), e.String()
}

func tree(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCommand(t *testing.T) {
	dir := tree(t, map[string]string{
		".gitignore": "*.log\n", "a.go": "one\nTwo\n", "b/c.go": "two", "z.log": "two\n", "d.bin": "two\x00\n",
	})
	t.Chdir(dir)
	path := filepath.FromSlash
	for _, test := range []struct {
		args string
		code int
		out  string
		errs string // part of it
	}{
		{args: "two", out: "./b/c.go:two\n./d.bin: binary file matches\n"},
		{args: "-in two .", out: "./a.go:2:Two\n./b/c.go:1:two\n./d.bin: binary file matches\n"},
		{args: "-Iu two", out: "./b/c.go:two\n./z.log:two\n"},
		{args: "-l two b a.go", out: "b/c.go\n"},
		{args: "-c -I o b a.go", out: "b/c.go:1\na.go:2\n"},
		{args: "-h two b/c.go", out: "two\n"},
		{args: "-F o.e", code: 1},
		{args: "-w tw", code: 1},
		{args: "-w two b -j 3", out: "b/c.go:two\n"},
		{args: "nothing-like-it", code: 1},
		{args: "two b gone", code: 2, out: "b/c.go:two\n", errs: "gone"},
		{args: "(", code: 2, errs: "not a regular expression"},
		{args: "-j -1 two", code: 2, errs: "want a number from 1 to 5000"},
		{args: "--scanner magic two", code: 2, errs: "want socket or fanotify"},
		{args: "--no-such-flag two", code: 2, errs: "no-such-flag"},
		{args: "", code: 2, errs: "usage"},
		{args: "--help", errs: "usage"},
		{args: "--stats -I two b", out: "b/c.go:two\n", errs: "1 files, 3 bytes; 1 lines in 1 files match; 0 could not be read"},
		{args: "--scanner socket --stats two b", out: "b/c.go:two\n", errs: "scanner: 1 files, 3 bytes"},
	} {
		code, out, errs := run(strings.Fields(test.args)...)
		if code != test.code || out != path(test.out) || !strings.Contains(errs, test.errs) || test.errs == "" && errs != "" {
			t.Errorf("grep %s: code %d, out %q, errs %q: want code %d, out %q, errs with %q",
				test.args, code, out, errs, test.code, test.out, test.errs)
		}
	}
}

// The same lines as grep -r finds in real sources.
func TestAsGrep(t *testing.T) {
	if _, err := exec.LookPath("grep"); err != nil {
		t.Skip("grep is not installed")
	}
	if out, err := exec.Command("grep", "--version").Output(); err != nil || !bytes.Contains(out, []byte("GNU grep")) {
		t.Skip("grep is not GNU grep, whose -r this is compared with")
	}
	t.Chdir(sources(t))
	roots := []string{"os", "regexp", "go/doc"}
	for _, args := range [][]string{
		{"-n", "func"}, {"-F", "-n", "err != nil {"}, {"-i", "-n", "TODO"}, {"-i", "-c", "kernel|socket"}, {"-c", "Error"},
		{"-l", "-w", "Map"}, {"-w", "-n", "err"}, {"-n", "^$"}, {"-n", "[A-Z][a-z]+Error"}, {"-n", "x*"}, {"-n", "^func.*error[)]? [{]$"},
		{"-F", "-i", "-n", "eof"}, {"-F", "-w", "-c", "conn"}, {"-h", "goroutine|thread"}, {"-n", "[^a-z]$"},
	} {
		_, out, errs := run(slices.Concat([]string{"-u", "-I"}, args, roots)...)
		if errs != "" {
			t.Fatal(errs)
		}
		theirs := slices.Concat([]string{"-r", "-I"}, args, roots)
		if !slices.Contains(args, "-F") {
			theirs = slices.Insert(theirs, 0, "-E")
		}
		cmd := exec.Command("grep", theirs...)
		cmd.Env = append(os.Environ(), "LC_ALL=C", "GREP_COLORS=", "GREP_OPTIONS=")
		want, err := cmd.Output()
		if err != nil {
			t.Fatalf("grep %q: %v", theirs, err)
		}
		if got, want := sortedLines(out), sortedLines(string(want)); !slices.Equal(got, want) {
			t.Errorf("%q: %d lines, grep has %d, the first that differs: %s", args, len(got), len(want), firstDifference(got, want))
		}
	}
}

// sources returns the directory of the Go toolchain's sources.
func sources(t testing.TB) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("the command go is not there")
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	if _, err := os.Stat(filepath.Join(src, "regexp")); err != nil {
		t.Skip("the Go toolchain's sources are not there")
	}
	return src
}

func sortedLines(text string) []string { return slices.Sorted(strings.Lines(text)) }

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + b[i]
		}
	}
	return "none before the end of one"
}

func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts can be sent to processes")
	}
	content := map[string]string{}
	for i := range 600 {
		content[strings.Repeat("x", 1+i/26)+string(rune('a'+i%26))] = "found\n"
	}
	dir := tree(t, content)
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-j", "1", "--scanner", "socket", "--scanner-delay", "1s", "found", dir) // for ten minutes
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Errorf("no first line: %v", err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	rest, _ := io.ReadAll(lines)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || errs.Len() > 0 {
		t.Errorf("interrupted: exit code %d, errors %q: want 130 and none", code, errs.String())
	}
	if n := bytes.Count(rest, []byte("\n")); n > 500 {
		t.Errorf("interrupted after the first line: %d more", n)
	}
}

// BenchmarkTree searches the Go toolchain's sources, as processes: the number of
// files at a time as found, one for each CPU, one, and GNU grep beside them.
func BenchmarkTree(b *testing.B) {
	b.Chdir(sources(b))
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	out, err := os.Create(filepath.Join(b.TempDir(), "out"))
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	cpus := strconv.Itoa(runtime.GOMAXPROCS(0))
	for _, query := range []struct {
		name string
		args []string
	}{
		{"text", []string{"-F", "-n", "goroutine"}},
		{"regexp", []string{"-n", `func .*Error\(`}},
		{"letters", []string{"-i", "-n", "goroutine"}},
		{"class", []string{"-n", "[0-9]{4}-[0-9]{2}"}},
	} {
		for _, subject := range []struct {
			name string
			args []string
		}{
			{"found", []string{path, "-u", "-I"}},
			{"cpus", []string{path, "-u", "-I", "-j", cpus}},
			{"one", []string{path, "-u", "-I", "-j", "1"}},
			{"grep", []string{"grep", "-r", "-I", "-E"}},
			{"scanner-found", []string{path, "-u", "-I", "--scanner", "socket"}},
			{"scanner-cpus", []string{path, "-u", "-I", "--scanner", "socket", "-j", cpus}},
		} {
			args := slices.Concat(subject.args, query.args, []string{"."})
			if subject.name == "grep" {
				args = slices.DeleteFunc(args, func(arg string) bool { return arg == "-E" && slices.Contains(query.args, "-F") })
			}
			b.Run(query.name+"/"+subject.name, func(b *testing.B) {
				for b.Loop() {
					cmd := exec.Command(args[0], args[1:]...)
					cmd.Env = append(os.Environ(), asProgram+"=1", "LC_ALL=C")
					cmd.Stdout = out // no null device: there GNU grep stops at the first line
					if err := cmd.Run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
