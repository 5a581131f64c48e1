//go:build unix

package main_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

var update = flag.Bool("update", false, "have xargs and GNU parallel write testdata/coming.txtar anew")

// comingArchive holds the files that the commands of the table work on, and
// under each command of ours what xargs or GNU parallel makes of its counterpart:
// the output, and the files.
const comingArchive = "testdata/coming.txtar"

// A row is a line of the table: a command and its counterpart.
type row struct{ there, here string }

// TestComingFromXargsOrParallel runs each row of the table in docs/run.md, in a
// script of its own, and compares with what the other tool does. That was written
// down; where the tool is installed, it has to do so again.
func TestComingFromXargsOrParallel(t *testing.T) {
	rerun.Skip(t)
	rows := comingRows(t)
	archive, err := txtar.ParseFile(comingArchive)
	if err != nil {
		t.Fatal(err)
	}
	given, want := &txtar.Archive{}, map[string]string{}
	for _, f := range archive.Files {
		if here, command := strings.CutPrefix(f.Name, "$ "); command {
			want[here] = string(f.Data)
		} else {
			given.Files = append(given.Files, f)
		}
	}
	dir := t.TempDir()
	var scripts []string
	for i, r := range rows {
		if tool, _, _ := strings.Cut(r.tool(), " "); installed(tool) {
			got := runThere(t, r, given)
			if *update {
				want[r.here] = got
			}
			if got != want[r.here] {
				t.Errorf("%s\nmakes\n%swant\n%s(-update writes it down)", r.there, got, want[r.here])
			}
		}
		script := &txtar.Archive{
			Comment: fmt.Appendf(nil, "same '%s'\n", strings.ReplaceAll(r.here, "'", "''")),
			Files:   append(slices.Clone(given.Files), txtar.File{Name: "want", Data: []byte(want[r.here])}),
		}
		name := filepath.Join(dir, fmt.Sprintf("row%02d.txtar", i+1))
		if err := os.WriteFile(name, txtar.Format(script), 0o600); err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, name)
	}
	if *update {
		for _, here := range slices.Sorted(maps.Keys(want)) {
			if slices.ContainsFunc(rows, func(r row) bool { return r.here == here }) {
				given.Files = append(given.Files, txtar.File{Name: "$ " + here, Data: []byte(want[here])})
			}
		}
		given.Comment = archive.Comment
		if err := os.WriteFile(comingArchive, txtar.Format(given), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(e *testscript.Env) error {
			e.Setenv("GORACE", raceEnv)
			e.Setenv("XDG_STATE_HOME", os.DevNull)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"same": same},
	})
}

// same 'COMMAND' runs a row and compares the output and the files with those in
// ../want.
func same(ts *testscript.TestScript, neg bool, args []string) {
	want := ts.ReadFile("want")
	ts.Check(os.Remove(ts.MkAbs("want")))
	if err := ts.Exec("sh", "-c", args[0]); err != nil && strings.Contains(ts.ReadFile("stderr"), "sweetspot: ") {
		ts.Fatalf("%s: %v", args[0], err)
	}
	archive, err := txtar.ParseFile(comingArchive)
	ts.Check(err)
	got, err := outcome(ts.MkAbs("."), row{here: args[0]}.ordered(), ts.ReadFile("stdout"), archive)
	ts.Check(err)
	if got != want {
		ts.Fatalf("%s\nmakes\n%swant\n%s", args[0], got, want)
	}
}

// runThere runs the command of the other tool on the files.
func runThere(t *testing.T, r row, given *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	if err := txtar.Write(given, dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", r.there)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && stdout.Len() == 0 {
		t.Errorf("%s: %v\n%s", r.there, err, &stderr)
	}
	got, err := outcome(dir, r.ordered(), stdout.String(), given)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// times are the columns of a joblog that no two runs have in common.
var times = regexp.MustCompile(`(?m)^(\d+)\t[^\t]*\t *[0-9.]+\t *[0-9.]+\t`)

// outcome returns what a command has printed, sorted unless it keeps the order,
// and the files below a directory that were not given, with their content.
func outcome(dir string, ordered bool, stdout string, given *txtar.Archive) (string, error) {
	if !ordered {
		lines := strings.SplitAfter(stdout, "\n")
		slices.Sort(lines)
		stdout = strings.Join(lines, "")
	}
	var b strings.Builder
	b.WriteString(stdout)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if !slices.ContainsFunc(given.Files, func(f txtar.File) bool { return f.Name == name }) {
			fmt.Fprintf(&b, "> %s\n%s", name, times.ReplaceAll(text, []byte("$1\t\t\t\t")))
		}
		return err
	})
	return b.String(), err
}

// comingRows returns the rows of the table.
func comingRows(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile("../../docs/run.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, m := range regexp.MustCompile("(?m)^\\| `(.+?)` \\| `(.+?)` \\|").FindAllStringSubmatch(string(text), -1) {
		r := row{strings.ReplaceAll(m[1], `\|`, "|"), strings.ReplaceAll(m[2], `\|`, "|")}
		if r.tool() != "" {
			rows = append(rows, r)
		}
	}
	if len(rows) < 20 {
		t.Fatalf("docs/run.md has %d rows of commands", len(rows))
	}
	return rows
}

// tool returns which of the two the row comes from.
func (r row) tool() string { return regexp.MustCompile(`\b(xargs|parallel)\b`).FindString(r.there) }

// ordered reports whether our command keeps the order; so does the other one then.
func (r row) ordered() bool { return strings.Contains(r.here, " -k") }

// installed reports whether the GNU program of a name is there.
func installed(name string) bool {
	out, err := exec.Command(name, "--version").Output()
	return err == nil && (bytes.HasPrefix(out, []byte("GNU "+name)) || bytes.HasPrefix(out, []byte(name+" (GNU")))
}
