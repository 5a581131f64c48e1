package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// licenses returns the licenses of the modules that the binaries are made of, and of Go, whose
// copies have to come with a binary.
func (r *release) licenses(ctx context.Context, repo string) (file, error) {
	parts := map[string]bool{}
	for _, b := range r.binaries {
		for _, m := range b.info.Deps {
			if m.Version != "(devel)" { // else one of ours
				parts[m.Path] = true
			}
		}
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-m", "-f", "{{.Path}} {{.Version}}\t{{.Dir}}"}, slices.Sorted(maps.Keys(parts))...)...)
	cmd.Dir = filepath.Join(repo, "cmd", "sweetspot")
	list, err := cmd.Output()
	if err != nil {
		return file{}, fmt.Errorf("go list -m: %w", err)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return file{}, fmt.Errorf("go env: %w", err)
	}
	text := bytes.NewBufferString("sweetspot is made of the following, too.\n")
	for line := range strings.Lines("Go\t" + string(root) + string(list)) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if err := appendLicenses(text, name, dir); err != nil {
			return file{}, err
		}
	}
	return file{"LICENSES.txt", 0o644, "/usr/share/doc/sweetspot/LICENSES.txt", text.Bytes()}, nil
}

// licenseNames begin the names of files with a license, or what has to come with one.
var licenseNames = []string{"license", "licence", "copying", "notice"}

// appendLicenses appends the licenses in the folder of a module.
func appendLicenses(text *bytes.Buffer, name, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the licenses of %s: %w", name, err)
	}
	found := false
	for _, f := range files {
		lower := strings.ToLower(f.Name())
		if f.IsDir() || !slices.ContainsFunc(licenseNames, func(l string) bool { return strings.HasPrefix(lower, l) }) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(text, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("-", 72), name, f.Name(), bytes.TrimSpace(data))
	}
	if !found {
		return fmt.Errorf("%s has no license in %s: nobody may pass it on", name, dir)
	}
	return nil
}
