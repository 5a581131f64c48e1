package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir, Name string
	ForTest               string
	Standard              bool
	Module                *struct{ Path, Dir string }

	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
}

// scope is what counts as the user's code: the module, or the package if it is in
// none.
func (p *goPackage) scope() dissect.Scope { return dissect.Scope{p.root()} }

func (p *goPackage) root() string {
	if p.Module != nil && p.Module.Dir != "" {
		return p.Module.Dir
	}
	return p.Dir
}

// list returns packages as go list does. Its flags come first in args.
func (r *recorder) list(ctx context.Context, args ...string) ([]*goPackage, error) {
	const fields = "-json=ImportPath,Dir,Name,ForTest,Standard,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles"
	out, err := r.goCommand(ctx, "list", append([]string{fields}, args...)...)
	if err != nil {
		return nil, err
	}
	var all []*goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := &goPackage{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// goCommand runs the go command with the flags of the build. Paths in what it builds
// are whole, for findings are joined by them.
func (r *recorder) goCommand(ctx context.Context, verb string, args ...string) ([]byte, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("it takes the go command, which is not on the PATH, to build what is recorded")
	}
	flags := append([]string{verb}, r.BuildFlags...)
	p, err := job{name: "go", args: append(append(flags, "-trimpath=false"), args...), shown: "go " + verb, dir: r.Dir}.run(ctx)
	return p.stdout, err
}

// userPackages returns the directories of the packages of the user's module that a package is
// built from, by import path.
func (r *recorder) userPackages(ctx context.Context, p *goPackage, of ...string) (dirs map[string]string, err error) {
	all, err := r.list(ctx, append([]string{"-deps"}, of...)...)
	dirs = map[string]string{}
	for _, d := range all {
		if d.Standard || d.Dir == "" || d.root() != p.root() || strings.HasSuffix(d.ImportPath, ".test") || d.ForTest != "" {
			continue
		}
		dirs[d.ImportPath] = d.Dir
	}
	return dirs, err
}

// covering are the flags by which the go command builds what counts how often lines of some
// packages are executed.
func covering(dirs map[string]string) []string {
	return []string{"-cover", "-covermode=atomic", "-coverpkg=" + strings.Join(slices.Sorted(maps.Keys(dirs)), ",")}
}

// quoted returns a word as the go command takes it among flags that it splits at
// spaces.
func quoted(word string) string {
	if strings.Contains(word, "'") {
		return `"` + word + `"`
	}
	return "'" + word + "'"
}

// HeapOf has the compiler say what it puts on the heap in the packages of the module in
// which a recording by others has goroutines allocate.
func HeapOf(ctx context.Context, o *evidence.Observation, buildFlags []string) error {
	r := &recorder{Options: Options{Dir: o.Module, BuildFlags: buildFlags}}
	seen := o.Largest().Allocs
	if seen == nil {
		return nil
	}
	var where []string
	for _, l := range seen.Lines {
		if l.Spawned.Count > 0 {
			where = o.AddDirectory(where, l.Place)
		}
	}
	if len(where) == 0 {
		return nil
	}
	what := append([]string{"--"}, where...)
	all, err := r.list(ctx, what...)
	if err != nil {
		return err
	}
	dirs := map[string]string{}
	for _, p := range all {
		dirs[p.ImportPath] = p.Dir
	}
	o.Heap, err = r.heap(ctx, seen, dirs, what...)
	return err
}

// heap compiles once more, with the words of the compiler, those packages in which
// goroutines were seen to allocate, and returns what it puts on the heap there. The go
// command says them once for a directory and a build, so it takes a fresh directory.
func (r *recorder) heap(ctx context.Context, seen *dissect.Weighing, dirs map[string]string, what ...string) ([]dissect.HeapVariable, error) {
	dir, err := os.MkdirTemp("", "sweetspot-heap-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var flags []string
	for path, where := range dirs {
		if slices.ContainsFunc(seen.Lines, func(l dissect.Weight) bool {
			return l.Spawned.Count > 0 && filepath.Dir(l.Place.File) == where
		}) {
			flags = append(flags, "-gcflags="+path+"="+quoted("-json=0,"+dir))
		}
	}
	if len(flags) == 0 {
		return []dissect.HeapVariable{}, nil
	}
	slices.Sort(flags)
	r.step("compile it for its variables on the heap")
	if _, err := r.goCommand(ctx, "list", append(append(flags, "-export"), what...)...); err != nil { // which links nothing
		return nil, err
	}
	return dissect.HeapVariables(dir, seen)
}
