package docs_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Each call of sweetspot in a block of shell is made: a run as a dry one, with an
// empty input and with stubs for the commands and the files that it names; any
// other as far as to its flags. Each target of make exists.
func TestShellBlocks(t *testing.T) {
	rerun.Skip(t)
	if runtime.GOOS == "windows" {
		t.Skip("the blocks are for a POSIX shell")
	}
	sweetspot := build(t)
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.language != "sh" && b.language != "" || strings.Contains(b.code, "→") { // an arrow explains
				continue
			}
			commands, err := commandsOf(b.code)
			if err != nil {
				if b.language == "sh" { // one without a fence may be anything
					t.Errorf("%s:%d: %v", p.path, b.line, err)
				}
				continue
			}
			for _, words := range commands {
				switch {
				case words[0] == "sweetspot" && len(words) > 1:
					calls++
					if out, err := invoke(t, sweetspot, words[1:]); err != nil {
						t.Errorf("%s:%d: %s: %v\n%s", p.path, b.line, strings.Join(words, " "), err, out)
					}
				case words[0] == "make" && len(words) > 1:
					if target := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(words[1]) + `:`); !target.Match(makefile) {
						t.Errorf("%s:%d: the Makefile has no target %s", p.path, b.line, words[1])
					}
				}
			}
		}
	}
	if calls == 0 {
		t.Error("no page calls sweetspot")
	}
}

// build builds the command, once for all tests.
func build(t *testing.T) string {
	t.Helper()
	file, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

var (
	buildDir string
	built    = sync.OnceValues(func() (file string, err error) {
		if buildDir, err = os.MkdirTemp("", "sweetspot-docs-"); err != nil {
			return "", err
		}
		file = filepath.Join(buildDir, "sweetspot")
		if runtime.GOOS == "windows" {
			file += ".exe"
		}
		cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, ".") // as make build does
		cmd.Dir = filepath.Join(repository, "cmd", "sweetspot")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w\n%s", err, out)
		}
		return file, nil
	})
)

func TestMain(m *testing.M) {
	code := m.Run()
	if buildDir != "" {
		os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

// commandsOf returns the words of all simple commands of a shell script, those
// within pipes, loops and substitutions too.
func commandsOf(script string) ([][]string, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, err
	}
	var commands [][]string
	syntax.Walk(file, func(node syntax.Node) bool {
		if c, ok := node.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			words, fault := expand.Fields(&expand.Config{
				Env:      expand.ListEnviron("HOME=/home/gopher"),
				CmdSubst: func(io.Writer, *syntax.CmdSubst) error { return nil },
			}, c.Args...)
			if fault != nil {
				err = fault
			} else if len(words) > 0 {
				commands = append(commands, words)
			}
		}
		return true
	})
	return commands, err
}

var (
	commandName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	fileName    = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[a-z]+$`)
	columnName  = regexp.MustCompile(`\{([a-z]+)[./]*\}`)
)

// invoke calls sweetspot with arguments out of a page, so that it does nothing.
func invoke(t *testing.T, sweetspot string, args []string) ([]byte, error) {
	t.Helper()
	dir := t.TempDir()
	var line []string // of a file, which may name columns
	for _, m := range columnName.FindAllStringSubmatch(strings.Join(args, " "), -1) {
		line = append(line, m[1])
	}
	line = append(line, "1")
	for _, a := range args {
		var err error
		switch {
		case strings.HasSuffix(a, ".log"): // only an earlier run makes it
		case fileName.MatchString(a):
			err = os.WriteFile(filepath.Join(dir, a), []byte(strings.Join(line, ",")+"\n"), 0o666)
		case commandName.MatchString(a):
			err = os.WriteFile(filepath.Join(dir, a), []byte("#!/bin/sh\n"), 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	switch args[0] {
	case "run":
		args = append([]string{"run", "--dry-run"}, args[1:]...)
	case "completion", "man":
	default:
		end := slices.Index(args, "--") // what follows is not a flag
		if end < 0 {
			end = len(args)
		}
		args = slices.Insert(slices.Clone(args), end, "--help")
	}
	cmd := exec.CommandContext(context.Background(), sweetspot, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	return cmd.CombinedOutput()
}

func TestCommandsOf(t *testing.T) {
	got, err := commandsOf("find . -print0 | sweetspot run -0 'a b' {}  # comment\nfor f in x; do make $(sweetspot lab list); done\n")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, words := range got {
		lines = append(lines, strings.Join(words, "|"))
	}
	want := "find|.|-print0 sweetspot|run|-0|a b|{} make sweetspot|lab|list"
	if s := strings.Join(lines, " "); s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}
