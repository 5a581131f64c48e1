package dissect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// A Source is a file of Go that needs no other file of its package.
type Source struct {
	Name string // as in "hashing.go"
	Text []byte
}

// An Escape is a variable that the compiler puts onto the heap, or a parameter
// that makes those of callers go there.
type Escape struct {
	Func string `json:"func"`
	Site string `json:"site"` // as in "hashing.go:43"
	What string `json:"what"` // in the words of the compiler
	// Why is the step by which it leaves, then the steps in the functions that it
	// is handed to, as far as they are known.
	Why []string `json:"why"`
}

// An Escaping is what the compiler says of some sources.
type Escaping struct {
	Compiler string   `json:"compiler"` // as in "go1.26.0"
	Escapes  []Escape `json:"escapes"`
	// Missing says why there is none, and what it takes.
	Missing string `json:"missing,omitempty"`
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
		return &Escaping{Missing: err.Error(), Escapes: []Escape{}}, nil
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
	modules, packages, err := lay(dir, sources, known)
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
	args := []string{"build", "-gcflags=-m=2"}
	for _, p := range packages {
		args = append(args, "-gcflags="+p+"=-m=2")
	}
	said, err := run(append(args, ".")...)
	if err != nil {
		if len(modules) > 0 {
			return nil, fmt.Errorf("it takes the module cache with %s, for the source of the work imports it, and nothing is fetched: go build: %w: %s", strings.Join(modules, " and "), err, lastLine(said))
		}
		return nil, fmt.Errorf("go build: %w: %s", err, lastLine(said))
	}
	return &Escaping{Compiler: strings.TrimSpace(version), Escapes: explain(readCompiler(said), sources)}, nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// lay writes a module with the sources. It requires the modules that they import,
// with the sums, so that the go command checks them. It returns these modules, and
// the packages that are imported from them.
func lay(dir string, sources []Source, known []*debug.Module) (modules, packages []string, err error) {
	mod := bytes.NewBufferString("module probe\n\ngo " + language(runtime.Version()) + "\n")
	var sums bytes.Buffer
	for _, s := range sources {
		if err := os.WriteFile(filepath.Join(dir, s.Name), s.Text, 0o666); err != nil {
			return nil, nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), s.Name, s.Text, parser.ImportsOnly)
		if err != nil {
			return nil, nil, err
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if first, _, _ := strings.Cut(path, "/"); !strings.Contains(first, ".") || slices.Contains(packages, path) {
				continue
			}
			m := moduleOf(known, path)
			switch {
			case m == nil:
				return nil, nil, fmt.Errorf("%s imports %s, and it is not known of which version", s.Name, path)
			case m.Replace != nil || m.Version == "" || m.Version == "(devel)":
				return nil, nil, fmt.Errorf("%s imports %s, and %s was built from a source tree, which has no version to look for", s.Name, path, m.Path)
			}
			packages = append(packages, path)
			if slices.Contains(modules, m.Path+" "+m.Version) {
				continue
			}
			modules = append(modules, m.Path+" "+m.Version)
			fmt.Fprintf(mod, "\nrequire %s %s\n", m.Path, m.Version)
			if m.Sum != "" {
				fmt.Fprintf(&sums, "%s %s %s\n", m.Path, m.Version, m.Sum)
			}
		}
	}
	return modules, packages, cmp.Or(
		os.WriteFile(filepath.Join(dir, "go.mod"), mod.Bytes(), 0o666),
		os.WriteFile(filepath.Join(dir, "go.sum"), sums.Bytes(), 0o666))
}

// language returns the version of the language, as in "1.26", of a toolchain.
func language(version string) string {
	if m := regexp.MustCompile(`^go(\d+\.\d+)`).FindStringSubmatch(version); m != nil {
		return m[1]
	}
	return "1.26" // built by a development version: what this module asks for
}

func moduleOf(known []*debug.Module, path string) *debug.Module {
	var found *debug.Module
	for _, m := range known {
		if (path == m.Path || strings.HasPrefix(path, m.Path+"/")) && (found == nil || len(m.Path) > len(found.Path)) {
			found = m
		}
	}
	return found
}

// receiverColumn is where a receiver stands in formatted code, and no parameter.
var receiverColumn = strconv.Itoa(len("func (") + 1)

// A leak is what the compiler says of one variable.
type leak struct {
	pkg, fn, file string
	line          int
	what, why     string
	parameter     bool   // but not a receiver
	callee        string // that it is handed to, if that is why
	calleePkg     string
}

var (
	said     = regexp.MustCompile(`^(.+?\.go):(\d+):(\d+): (.*)$`)
	toHeap   = regexp.MustCompile(`^(.+) escapes to heap in (.+):$`)
	leaks    = regexp.MustCompile(`^(parameter .+) leaks to \{heap\} for (.+) with derefs=\d+:$`)
	step     = regexp.MustCompile(`^\s+from (.+) \(([^()]+)\) at (\S+)$`)
	ofModule = regexp.MustCompile(`^# (\S+)`)
)

// readCompiler reads the output of -m=2. Each variable has a line that says where
// it goes, and lines below, indented, with the steps of the way.
func readCompiler(text string) []leak {
	var all []leak
	var open bool // the last of all is being explained
	var pkg string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := ofModule.FindStringSubmatch(line); m != nil {
			pkg, open = m[1], false
			continue
		}
		m := said.FindStringSubmatch(line)
		if m == nil {
			open = false
			continue
		}
		file, rest := filepath.Base(m[1]), m[4]
		n, _ := strconv.Atoi(m[2])
		l := leak{pkg: pkg, file: file, line: n}
		if h := toHeap.FindStringSubmatch(rest); h != nil {
			l.what, l.fn = h[1]+" escapes to heap", h[2]
		} else if h := leaks.FindStringSubmatch(rest); h != nil {
			l.what, l.fn, l.parameter = h[1]+" leaks to the heap", h[2], m[3] != receiverColumn
		} else if s := step.FindStringSubmatch(rest); s != nil && open {
			// The last step is the one that leaves.
			last := &all[len(all)-1]
			last.why = fmt.Sprintf("%s (%s) at %s", s[1], s[2], filepath.Base(trimColumn(s[3])))
			last.callee, last.calleePkg = "", ""
			if s[2] == "call parameter" {
				last.calleePkg, last.callee = calleeOf(s[1])
			}
			continue
		} else {
			open = open && strings.HasPrefix(rest, " ")
			continue
		}
		all, open = append(all, l), true
	}
	return all
}

// trimColumn turns file:line:column into file:line.
func trimColumn(pos string) string {
	if i := strings.LastIndexByte(pos, ':'); i > 0 && strings.Count(pos, ":") > 1 {
		return pos[:i]
	}
	return pos
}

// calleeOf returns the function that an expression calls, and the name of its
// package if it is another one.
func calleeOf(text string) (pkg, fn string) {
	x, err := parser.ParseExpr(text)
	if err != nil {
		return "", ""
	}
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	ast.Inspect(call.Fun, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && pkg == "" {
			if id, ok := s.X.(*ast.Ident); ok {
				pkg = id.Name
			}
		}
		return true
	})
	fn = types.ExprString(call.Fun)
	if pkg != "" {
		fn = strings.ReplaceAll(fn, pkg+".", "")
	}
	return pkg, fn
}

// explain returns the leaks of the sources, each followed through what it is
// handed to.
func explain(all []leak, sources []Source) []Escape {
	escapes := []Escape{}
	for _, l := range all {
		if l.pkg != "probe" || !slices.ContainsFunc(sources, func(s Source) bool { return s.Name == l.file }) {
			continue
		}
		e := Escape{Func: l.fn, Site: fmt.Sprintf("%s:%d", l.file, l.line), What: l.what, Why: []string{}}
		seen := map[*leak]bool{}
		for at := &l; at != nil && at.why != "" && !seen[at]; at = within(all, at) {
			seen[at] = true
			e.Why = append(e.Why, at.why)
		}
		if !slices.ContainsFunc(escapes, func(o Escape) bool { return o.Func == e.Func && o.Site == e.Site && o.What == e.What }) {
			escapes = append(escapes, e)
		}
	}
	slices.SortStableFunc(escapes, func(a, b Escape) int {
		return cmp.Or(cmp.Compare(fileOf(a.Site), fileOf(b.Site)), cmp.Compare(lineOf(a.Site), lineOf(b.Site)))
	})
	return escapes
}

func fileOf(site string) string { return site[:strings.LastIndexByte(site, ':')] }

func lineOf(site string) int {
	n, _ := strconv.Atoi(site[strings.LastIndexByte(site, ':')+1:])
	return n
}

// within returns the leak of a parameter of the function that l is handed to. The
// compiler does not say which parameter; it is the first that leaks.
func within(all []leak, l *leak) *leak {
	if l.callee == "" {
		return nil
	}
	for i := range all {
		c := &all[i]
		if c.parameter && c.fn == l.callee && (l.calleePkg == "" && c.pkg == l.pkg || strings.HasSuffix(c.pkg, "/"+l.calleePkg)) {
			return c
		}
	}
	return nil
}
