package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// A file is one that comes with the binary.
type file struct {
	path   string // in an archive, with slashes
	mode   int64
	system string // where a package for Linux puts it
	data   []byte
}

// completions are those that the command writes, by the name of the shell. PowerShell has no
// folder for them on Linux.
var completions = []struct{ shell, name, system string }{
	{"bash", "sweetspot.bash", "/usr/share/bash-completion/completions/sweetspot"},
	{"zsh", "_sweetspot", "/usr/share/zsh/vendor-completions/_sweetspot"},
	{"fish", "sweetspot.fish", "/usr/share/fish/vendor_completions.d/sweetspot.fish"},
	{"powershell", "sweetspot.ps1", ""},
}

// extras returns the files that come with the command: texts, manual pages and completions.
func extras(ctx context.Context, repo, scratch, command string) (files []file, err error) {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(repo, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, "/usr/share/doc/sweetspot/" + name, data})
	}
	man := filepath.Join(scratch, "man1")
	if out, err := exec.CommandContext(ctx, command, "man", "--dir", man).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("sweetspot man: %w\n%s", err, out)
	}
	pages, err := os.ReadDir(man)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(filepath.Join(man, page.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{path.Join("man/man1", page.Name()), 0o644, "/usr/share/man/man1/" + page.Name(), data})
	}
	for _, c := range completions {
		data, err := exec.CommandContext(ctx, command, "completion", c.shell).Output()
		if err != nil {
			return nil, fmt.Errorf("sweetspot completion %s: %w", c.shell, err)
		}
		files = append(files, file{"completions/" + c.name, 0o644, c.system, data})
	}
	return files, nil
}
