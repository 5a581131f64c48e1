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
		"GOFLAGS=-modcacherw -trimpath", // so that the cache can be deleted, and builds be cached
		"CGO_ENABLED=0",                 // as for the packages of a release, which share them
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
func (u *user) module(t *testing.T, name, source string) string {
	t.Helper()
	dir := t.TempDir()
	u.run(t, dir, "go", "mod", "init", "example.com/user")
	if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o644); err != nil {
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
	typecheck := filepath.Join(t.TempDir(), "typecheck")
	build := exec.Command("go", "build", "-o", typecheck, "./internal/typecheck")
	build.Dir = filepath.Join("..", "..", "cmd", "sweetspot")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

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
		dir := u.module(t, "main.go", quickStart(t))
		u.run(t, dir, "go", "get", rootPath+"@"+installed)
		u.run(t, dir, "go", "vet", ".")
	})
	for _, module := range published {
		// The linter has no use of its own, see below.
		if !strings.HasPrefix(module, "contrib/") || module == "contrib/golangci" {
			continue
		}
		t.Run(path.Base(module), func(t *testing.T) {
			from := filepath.Join(repo, filepath.FromSlash(module))
			dir := u.module(t, "use_test.go", fmt.Sprintf("package %s_test\n\nimport _ %q\n", packageOf(t, from), path.Join(rootPath, module)))
			for _, name := range examples[module] {
				copyFile(t, filepath.Join(from, name), filepath.Join(dir, name))
			}
			u.run(t, dir, "go", "get", path.Join(rootPath, module)+"@"+installed)
			u.run(t, dir, "go", "get", "-t", ".") // what else the example imports
			u.run(t, dir, typecheck, ".")         // go vet would compile all that it needs first
		})
	}
	// golangci-lint custom compiles golangci-lint, which takes many minutes, with an import of
	// this module. The program here finds the linter as that one does.
	t.Run("golangci", func(t *testing.T) {
		dir := u.module(t, "main.go", linter)
		u.run(t, dir, "go", "get", rootPath+"/contrib/golangci@"+installed)
		u.run(t, dir, "go", "get", ".")
		if got := u.run(t, dir, "go", "run", "."); !strings.Contains(got, "falseshare") {
			t.Errorf("the checks of the linter: %s, want falseshare among them", got)
		}
	})
	t.Run("tool", func(t *testing.T) {
		dir := u.module(t, "main.go", "package main\n\nfunc main() {}\n")
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

// examples are the files with the examples of a module, and with what these use. Those of
// contrib/temporal use most of its tests: there it is enough that the package compiles.
var examples = map[string][]string{
	"contrib/asynq":      {"example_test.go"},
	"contrib/franz":      {"example_test.go"},
	"contrib/grpc":       {"example_test.go"},
	"contrib/keda":       {"example_test.go"},
	"contrib/nats":       {"example_test.go", "service_test.go"},
	"contrib/otel":       {"example_test.go"},
	"contrib/prometheus": {"example_test.go"},
	"contrib/river":      {"example_test.go"},
	"contrib/sql":        {"example_test.go", "fake_test.go"},
}

// packageOf returns the name of the package in a folder, as its doc.go has it.
func packageOf(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, name, ok := strings.Cut(string(data), "\npackage ")
	if !ok {
		t.Fatalf("%s/doc.go names no package", dir)
	}
	return strings.TrimSpace(name)
}

// linter is a program that lists the checks of the plugin for golangci-lint.
const linter = `package main

import (
	"fmt"
	"log"

	"github.com/golangci/plugin-module-register/register"
	_ "github.com/sweetspot-go/sweetspot/contrib/golangci"
)

func main() {
	newPlugin, err := register.GetPlugin("sweetspot")
	if err != nil {
		log.Fatal(err)
	}
	plugin, err := newPlugin(nil)
	if err != nil {
		log.Fatal(err)
	}
	checks, err := plugin.BuildAnalyzers()
	fmt.Println(checks, err)
}
`
