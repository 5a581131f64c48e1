package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// build builds the command sweetspot of this checkout into dir.
func build(ctx context.Context, dir string) (string, error) {
	root, err := goOutput(ctx, "list", "-m", "-f", "{{.Dir}}", "github.com/sweetspot-go/sweetspot")
	if err != nil {
		return "", fmt.Errorf("cannot find the command sweetspot (run this from the module bench, or name the command by -sweetspot): %w", err)
	}
	binary := filepath.Join(dir, "sweetspot")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if _, err := goOutput(ctx, "build", "-C", filepath.Join(root, "cmd", "sweetspot"), "-o", binary, "."); err != nil {
		return "", fmt.Errorf("cannot build the command sweetspot: %w", err)
	}
	return binary, nil
}

// goOutput returns what the go command prints.
func goOutput(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", args[0], err, firstLine(stderr.String(), nil))
	}
	return strings.TrimSpace(string(out)), nil
}

// hashTime is how long the hashing of one file takes on average.
const hashTime = 30 * time.Millisecond

// fileSizes are the sizes of the files to hash, over their mean: work is seldom
// of one size.
var fileSizes = []float64{0.6, 0.8, 1.2, 1.4}

// files makes the files to hash in dir, of sources of the Go toolchain, so large
// that sha256sum takes hashTime for one.
func files(ctx context.Context, dir string) ([]string, error) {
	const trial = 8 << 20
	text, err := sources(ctx, trial)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, "trial")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, err
	}
	fastest := time.Hour
	for range 3 {
		began := time.Now()
		if err := exec.CommandContext(ctx, "sha256sum", name).Run(); err != nil {
			return nil, fmt.Errorf("sha256sum: %w", err)
		}
		fastest = min(fastest, time.Since(began))
	}
	if err := os.Remove(name); err != nil {
		return nil, err
	}
	mean := min(max(trial*hashTime.Seconds()/fastest.Seconds(), 1<<20), 64<<20)
	var names []string
	for i, share := range fileSizes {
		name := filepath.Join(dir, fmt.Sprintf("sources%d", i+1))
		size := int(share * mean)
		for len(text) < size {
			text = append(text, text[:min(len(text), size-len(text))]...)
		}
		if err := os.WriteFile(name, text[:size], 0o600); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// sources returns so many bytes of the Go toolchain's source files.
func sources(ctx context.Context, size int) ([]byte, error) {
	root, err := goOutput(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var text []byte
	err = filepath.WalkDir(filepath.Join(root, "src"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case len(text) >= size:
			return fs.SkipAll
		case !d.Type().IsRegular() || filepath.Ext(path) != ".go":
			return nil
		}
		data, err := os.ReadFile(path)
		text = append(text, data...)
		return err
	})
	if err == nil && len(text) < size {
		err = fmt.Errorf("the Go sources in %s are only %d bytes: want %d", root, len(text), size)
	}
	return text[:min(size, len(text))], err
}
