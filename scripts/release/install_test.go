package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const installed = "v0.1.0"

// A user has an empty cache of modules, and gets ours from a module proxy of files.
type user struct {
	env []string
	bin string
}

func newUser(t *testing.T, proxy string) *user {
	t.Helper()
	others, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	u := &user{bin: filepath.Join(dir, "bin")}
	u.env = append(os.Environ(),
		"GOFLAGS=-modcacherw", // so that the cache can be deleted
		"GOWORK=off",
		"GOBIN="+u.bin,
		"GOMODCACHE="+filepath.Join(dir, "mod"),
		"GOPROXY=file://"+filepath.ToSlash(proxy)+","+strings.TrimSpace(string(others)),
		"GONOSUMDB="+rootPath+","+rootPath+"/*",
	)
	return u
}

// run runs a command of the user and returns what it prints.
func (u *user) run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, u.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// module makes a new module with a file, and returns its folder.
func (u *user) module(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	u.run(t, dir, "go", "mod", "init", "example.com/user")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

var install = flag.Bool("install", false, "install a release: takes minutes, and needs a network")

// TestInstall does with a release what users do first.
func TestInstall(t *testing.T) {
	if !*install {
		t.Skip("takes minutes, and needs a network: make check-install runs it")
	}
	repo, proxy := copyRepository(t), t.TempDir()
	if err := reachable(t); err != nil {
		t.Skip("no module proxy can be reached: ", err)
	}
	if err := run(t.Context(), []string{"-C", repo, "-version", installed, "-proxy", proxy}, io.Discard); err != nil {
		t.Fatal(err)
	}
	u := newUser(t, proxy)

	t.Run("command", func(t *testing.T) {
		u.run(t, t.TempDir(), "go", "install", rootPath+"/cmd/sweetspot@"+installed)
		name := filepath.Join(u.bin, "sweetspot")
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		if got := u.run(t, t.TempDir(), name, "--version"); !strings.Contains(got, installed) {
			t.Errorf("sweetspot --version: %q, want %s in it", got, installed)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("the command has %d MB", info.Size()>>20)
	})
	t.Run("readme", func(t *testing.T) {
		dir := u.module(t, quickStart(t))
		u.run(t, dir, "go", "get", rootPath+"@"+installed)
		u.run(t, dir, "go", "vet", ".")
	})
	for _, module := range published {
		if !strings.HasPrefix(module, "contrib/") {
			continue
		}
		t.Run(path.Base(module), func(t *testing.T) {
			p := path.Join(rootPath, module)
			dir := u.module(t, fmt.Sprintf("package main\n\nimport _ %q\n\nfunc main() {}\n", importable(t, repo, module)))
			u.run(t, dir, "go", "get", p+"@"+installed)
			u.run(t, dir, "go", "build", "-o", os.DevNull, ".")
		})
	}
	t.Run("tool", func(t *testing.T) {
		dir := u.module(t, "package main\n\nfunc main() {}\n")
		u.run(t, dir, "go", "get", "-tool", rootPath+"/cmd/sweetspot@"+installed)
		u.run(t, dir, "go", "tool", "sweetspot", "vet", "./...")
	})
}

// reachable returns an error if modules of others cannot be had. Then nothing can be said of
// a user with an empty cache.
func reachable(t *testing.T) error {
	t.Helper()
	u := newUser(t, t.TempDir())
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "golang.org/x/mod@latest")
	cmd.Dir, cmd.Env = t.TempDir(), u.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// quickStart returns the first Go program of the README.
func quickStart(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "```go\n")
	block, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the README has no block of Go")
	}
	return "package main\n\nimport (\n\t\"context\"\n\t\"crypto/sha256\"\n\t\"os\"\n\n\t\"" + rootPath + "\"\n)\n\n" + block + "\nfunc main() { _, _ = digests(context.Background(), nil) }\n"
}

// importable returns the path of a package of a module that others can import.
func importable(t *testing.T, repo, module string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repo, filepath.FromSlash(module), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no package at its root (%v)", module, err)
	}
	return path.Join(rootPath, module)
}
