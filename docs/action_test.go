package docs_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// vetAction is where the action is that vet.md shows.
const vetAction = "vet"

// The script of the action builds the command, whatever the settings of its caller are, vets the
// packages that it is given, and writes what the runner takes for annotations, with paths from
// where the runner works.
func TestActionVets(t *testing.T) {
	rerun.Skip(t)
	if runtime.GOOS == "windows" {
		t.Skip("the script is for bash")
	}
	root := t.TempDir()
	dir := filepath.Join(root, "R&D", "sub")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.26\n",
		"m.go":   "package m\n\n//sweetspot:ignore\nfunc F() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	action, err := os.ReadFile(filepath.Join(repository, vetAction, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(filepath.Join(repository, vetAction))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", scriptOf(t, string(action)))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GITHUB_ACTION_PATH="+path, "DIRECTORY=R&D/sub", "FLAGS=--sarif vet.sarif", "PACKAGES=. ./...", "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		if ok {
			err = errors.New(string(exit.Stderr))
		}
		t.Fatalf("%v, want the exit status 1\n%s", err, out)
	}
	command, findings, _ := strings.Cut(string(out), "\n")
	if want := "::add-matcher::" + filepath.Join(path, "matcher.json"); command != want {
		t.Errorf("the first line is %q, want %q", command, want)
	}
	m := matcher(t, filepath.Join(path, "matcher.json")).FindStringSubmatch(strings.SplitN(findings, "\n", 2)[0])
	if len(m) != 6 || m[1] != "R&D/sub/m.go" || m[2] != "3" || m[3] != "1" || m[5] != "ignore" {
		t.Errorf("the annotation is %q of\n%s", m, findings)
	}
	if _, err := os.Stat(filepath.Join(dir, "vet.sarif")); err != nil {
		t.Error(err)
	}
}

// scriptOf returns the only script of a composite action.
func scriptOf(t *testing.T, action string) string {
	t.Helper()
	_, script, found := strings.Cut(action, "      run: |\n")
	if !found || strings.Contains(script, "run:") {
		t.Fatal("the action has not exactly one script")
	}
	if strings.Contains(script, "${{") {
		t.Errorf("an expression in the script may hold a command:\n%s", script)
	}
	return unindented(script)
}

// matcher returns the regular expression of a problem matcher.
func matcher(t *testing.T, file string) *regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		ProblemMatcher []struct {
			Pattern []struct{ Regexp string }
		}
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	if len(m.ProblemMatcher) != 1 || len(m.ProblemMatcher[0].Pattern) != 1 {
		t.Fatalf("%s: want one pattern", text)
	}
	return regexp.MustCompile(m.ProblemMatcher[0].Pattern[0].Regexp)
}

// The task for VS Code reads the same lines.
func TestTaskHasTheMatcher(t *testing.T) {
	rerun.Skip(t)
	text, err := os.ReadFile("vet.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range readPage(string(text)).blocks {
		if b.language != "json" {
			continue
		}
		var tasks struct {
			Tasks []struct {
				Command        string
				ProblemMatcher struct {
					Pattern struct{ Regexp string }
				}
			}
		}
		if err := json.Unmarshal([]byte(b.code), &tasks); err != nil {
			t.Fatal(err)
		}
		want := matcher(t, filepath.Join(repository, vetAction, "matcher.json")).String()
		if len(tasks.Tasks) != 1 || tasks.Tasks[0].Command != "sweetspot" || tasks.Tasks[0].ProblemMatcher.Pattern.Regexp != want {
			t.Errorf("%+v, want the pattern %s", tasks, want)
		}
		return
	}
	t.Error("vet.md shows no task")
}
