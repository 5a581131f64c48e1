package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// pkg is a package as go list describes it. One that is compiled anew for a test is
// another: its import path ends in the test in brackets.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	ImportMap  map[string]string // from what the source says, where it differs
	DepOnly    bool              // not asked for, only imported
	Module     *struct{ GoVersion string }
}

// list returns the packages that match the patterns, their tests, and all that these
// import, each after what it imports.
func list(dir string, patterns []string) ([]*pkg, error) {
	args := append([]string{"list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,Imports,ImportMap,DepOnly,Module", "--"}, patterns...)
	out, err := goCommand(dir, args...)
	if err != nil {
		return nil, err
	}
	var pkgs []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if strings.HasSuffix(p.ImportPath, ".test") {
			continue // written by go test, which has not written it yet
		}
		pkgs = append(pkgs, p)
	}
}

// target returns the architecture that go list is for.
func target(dir string) (string, error) {
	out, err := goCommand(dir, "env", "GOARCH")
	return strings.TrimSpace(string(out)), err
}

// goCommand runs the go command, and returns what it printed.
func goCommand(dir string, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
