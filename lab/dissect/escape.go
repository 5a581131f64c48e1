package dissect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// A Source is a file of Go that needs no other file of its package.
type Source struct {
	Name string // as in "hashing.go"
	Text []byte
}

// An Escape is a variable that the compiler puts onto the heap.
type Escape struct {
	Func string
	Site string   // as in "hashing.go:43"
	What string   // in the words of the compiler
	Why  []string // the steps by which it leaves, in its words too
}

// An Escaping is what the compiler says of some sources.
type Escaping struct {
	Compiler string // as in "go1.26.0"
	Escapes  []Escape
	// Missing says why the escapes are missing, and what is needed.
	Missing string
}

// Escapes compiles the sources in a temporary directory with the go command, and
// returns what goes onto the heap. Modules that they import must be among those
// given, which are usually those of this program (see [debug.ReadBuildInfo]), and
// in the module cache: nothing is fetched. Where anything is not there, the result
// says so; an error is the cause of ctx.
func Escapes(ctx context.Context, sources []Source, modules []*debug.Module) (*Escaping, error) {
	e, err := escapes(ctx, sources, modules)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return &Escaping{Missing: err.Error()}, nil
	}
	return e, nil
}

func escapes(ctx context.Context, sources []Source, known []*debug.Module) (*Escaping, error) {
	if len(sources) == 0 {
		return nil, errors.New("the work has no source that compiles by itself")
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, errors.New("it takes the go command, which is not on the PATH: the source of the work is in this program, but no compiler")
	}
	dir, err := os.MkdirTemp("", "sweetspot-escape-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	modules, err := lay(dir, sources, known)
	if err != nil {
		return nil, err
	}
	run := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, goCommand, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GO111MODULE=on", "GOTOOLCHAIN=local", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	version, err := run("env", "GOVERSION")
	if err != nil {
		return nil, fmt.Errorf("go env: %w: %s", err, strings.TrimSpace(version))
	}
	said := filepath.Join(dir, "said")
	out, err := run("build", "-gcflags=-json=0,"+said, ".")
	if err != nil {
		if len(modules) > 0 {
			return nil, fmt.Errorf("it takes the module cache with %s, for the source of the work imports it, and nothing is fetched: go build: %w: %s", strings.Join(modules, " and "), err, lastLine(out))
		}
		return nil, fmt.Errorf("go build: %w: %s", err, lastLine(out))
	}
	all, err := readEscapes(said, sources)
	return &Escaping{Compiler: strings.TrimSpace(version), Escapes: all}, err
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// lay writes a module with the sources. It requires those of the modules that they
// import, with the sums, so that the go command checks them, and returns them.
func lay(dir string, sources []Source, known []*debug.Module) (modules []string, err error) {
	mod, sums := "module probe\n\ngo 1.26\n", ""
	for _, m := range known {
		imported := func(s Source) bool { return bytes.Contains(s.Text, []byte(`"`+m.Path)) }
		if !slices.ContainsFunc(sources, imported) {
			continue
		}
		modules = append(modules, m.Path+" "+m.Version)
		mod += fmt.Sprintf("\nrequire %s %s\n", m.Path, m.Version)
		if m.Sum != "" {
			sums += fmt.Sprintf("%s %s %s\n", m.Path, m.Version, m.Sum)
		}
	}
	errs := []error{
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666),
		os.WriteFile(filepath.Join(dir, "go.sum"), []byte(sums), 0o666),
	}
	for _, s := range sources {
		errs = append(errs, os.WriteFile(filepath.Join(dir, s.Name), s.Text, 0o666))
	}
	return modules, errors.Join(errs...)
}

// readEscapes returns what the compiler wrote below dir of the sources, in their order.
func readEscapes(dir string, sources []Source) (escapes []Escape, err error) {
	err = eachLogOpt(dir, func(v HeapVariable) {
		i := slices.IndexFunc(sources, func(s Source) bool { return s.Name == filepath.Base(v.Place.File) })
		if i < 0 {
			return
		}
		e := Escape{Func: sources[i].funcAt(v.Place.Line), Site: fmt.Sprintf("%s:%d", sources[i].Name, v.Place.Line), What: v.What, Why: v.Why}
		same := func(o Escape) bool { return o.Site == e.Site && o.What == e.What }
		if !slices.ContainsFunc(escapes, same) { // one way is enough
			escapes = append(escapes, e)
		}
	})
	return escapes, err
}

// funcAt returns the name of the declared function that holds a line.
func (s *Source) funcAt(line int) string {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, s.Name, s.Text, parser.SkipObjectResolution)
	if err != nil {
		return "" // it has been compiled
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && files.Position(fn.Pos()).Line <= line && line <= files.Position(fn.End()).Line {
			return fn.Name.Name
		}
	}
	return ""
}
