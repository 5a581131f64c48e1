package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A look is what was found in a module, and what that took.
type look struct {
	module
	Packages int
	Lines    int
	Findings []finding
	Broken   []struct{ Package, Error string }
	took     time.Duration
}

// A finding is one of the JSON of sweetspot vet, as far as it is of use here.
type finding struct {
	Check, Grade, File, Text, Message string
	Line                              int
}

// vet looks at the packages of a module, as its own go.mod has them: with the
// versions of its dependencies that it is tested with.
func (m module) vet(ctx context.Context, bin string, info bool) (look, error) {
	dir, pattern, goflags := "", m.path+"/...", "-mod=readonly"
	switch {
	case m.path == std:
		pattern = std // std/... matches nothing
	case m.version != "":
		var err error
		if dir, err = m.download(ctx); err != nil {
			return look{}, err
		}
		pattern = "./..."
		scratch, err := os.MkdirTemp("", "corpus")
		if err != nil {
			return look{}, err
		}
		defer os.RemoveAll(scratch)
		modfile, err := released(dir, scratch, neighbours[m.path])
		if err != nil {
			return look{}, err
		}
		if modfile != "" {
			goflags = "-mod=mod -modfile=" + modfile
		}
	}
	args := []string{"vet", "--json", "-", "--fail", "never"}
	if info {
		args = append(args, "--info")
	}
	c := exec.CommandContext(ctx, bin, append(args, pattern)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS="+goflags, "GOTOOLCHAIN=local")
	var out, diagnostics bytes.Buffer
	c.Stdout, c.Stderr = &out, &diagnostics
	begin := time.Now()
	err := c.Run()
	l := look{module: m, took: time.Since(begin)}
	if out.Len() == 0 {
		return look{}, fmt.Errorf("%w: %s", err, strings.TrimSpace(diagnostics.String()))
	}
	// An exit status that is not 0 tells of packages that could not be looked at:
	// they are printed.
	if err := json.Unmarshal(out.Bytes(), &l); err != nil {
		return look{}, err
	}
	if m.version == "" {
		for i, f := range l.Findings {
			_, l.Findings[i].File, _ = strings.Cut(f.File, "/src/") // wherever Go is installed
		}
	}
	return l, nil
}

// neighbour is a line of go.mod that puts a directory in place of a module. It is
// one of the repository, which the module cache does not have.
var neighbour = regexp.MustCompile(`(?m)^(\t|replace )(\S+).* => \.\.?/.*\n`)

// released writes a go.mod into scratch, with the released versions of all that the
// module requires, if its own has neighbours. It returns an empty name if not. The
// neighbours are of the version that is given, or, if none is, of those required.
func released(dir, scratch, version string) (modfile string, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !neighbour.Match(text) {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return "", err
	}
	release := ""
	if version != "" {
		release = "$1$2 => $2 " + version + "\n"
	}
	modfile = filepath.Join(scratch, "go.mod")
	return modfile, cmp.Or(
		os.WriteFile(modfile, neighbour.ReplaceAll(text, []byte(release)), 0o666),
		os.WriteFile(filepath.Join(scratch, "go.sum"), sums, 0o666),
	)
}

// download returns the directory of the module in the module cache.
func (m module) download(ctx context.Context) (string, error) {
	scratch, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	c := exec.CommandContext(ctx, "go", "mod", "download", "-json", m.String())
	c.Dir = scratch
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOTOOLCHAIN=local")
	out, err := c.Output()
	var got struct{ Dir, Error string }
	if json.Unmarshal(out, &got) == nil && got.Error != "" {
		return "", fmt.Errorf("go mod download: %s", got.Error)
	}
	if err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return got.Dir, nil
}
