package vetcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// A Request says what [Check] is to look at.
type Request struct {
	Dir       string   // where patterns begin; the working directory if empty
	Patterns  []string // packages, as go list has them; that of Dir if empty
	Flags     []string // for go list, such as -tags=integration
	Env       []string // of go list, for another system say; ours if nil
	Tests     bool     // look at files of tests, too
	Analyzers []*analysis.Analyzer
}

// A Result is what [Check] has found.
type Result struct {
	Findings []Finding       // by file, line, column and check
	Packages int             // looked at
	Lines    int             // of these packages, without tests and generated files, as far as they are left out
	Broken   []Broken        // packages that could not be looked at
	looked   map[string]bool // paths of the Packages
}

// A Broken package is one that could not be looked at, or not wholly.
type Broken struct {
	Package string
	Err     error
}

// Check looks at packages. The error is of the whole: the go command is missing, a
// pattern is wrong, nothing matches, ctx is done. A package with errors of its own is
// one of the broken, and does not keep others from being looked at. One that uses C
// is looked at as far as its types are known without a C compiler.
func Check(ctx context.Context, r Request) (*Result, error) {
	if err := analysis.Validate(r.Analyzers); err != nil {
		return nil, fmt.Errorf("vet: %w", err)
	}
	roots, err := list(ctx, r)
	if err != nil {
		return nil, err
	}
	sizes, err := sizes(ctx, r)
	if err != nil {
		return nil, err
	}
	d := newDriver(roots, sizes, r)
	if err := d.run(ctx); err != nil {
		return nil, err
	}
	return d.result(), nil
}

// list asks the go command for the packages and all that they import.
func list(ctx context.Context, r Request) ([]*packages.Package, error) {
	patterns := r.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	roots, err := packages.Load(&packages.Config{
		Context: ctx,
		// Neither the files that cgo makes nor sizes, for both of which go list would
		// compile the C code of all packages.
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule,
		Dir:        r.Dir,
		Env:        r.Env,
		BuildFlags: r.Flags,
		Tests:      r.Tests,
	}, patterns...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		// It is "err: exit status 1: stderr: ", and then what the go command said.
		why, said, _ := strings.Cut(err.Error(), ": stderr: ")
		return nil, fmt.Errorf("vet: %s: want packages that the go command finds, such as ./... in a module: %s",
			strings.Join(patterns, " "), cmp.Or(strings.TrimSpace(said), strings.TrimPrefix(why, "err: ")))
	}
	// Programs that go test writes to run tests have nothing to look at, and need
	// package testing and all below it. Packages built for one name it, as "p [p.test]"; a path
	// may end like that of one.
	written := map[string]bool{}
	for _, p := range roots {
		if _, program, ok := strings.Cut(p.ID, " ["); ok {
			written[strings.TrimSuffix(program, "]")] = true
		}
	}
	roots = slices.DeleteFunc(roots, func(p *packages.Package) bool { return written[p.ID] })
	if len(roots) == 0 {
		return nil, fmt.Errorf("vet: no packages match %q", patterns)
	}
	return roots, nil
}

// sizes returns those of the architecture that the go command builds for, which its
// own settings may name.
func sizes(ctx context.Context, r Request) (types.Sizes, error) {
	c := exec.CommandContext(ctx, "go", "env", "GOARCH")
	c.Dir, c.Env = r.Dir, r.Env
	arch, err := c.Output()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("vet: go env GOARCH: %w", err)
	}
	name := strings.TrimSpace(string(arch))
	if s := types.SizesFor("gc", name); s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("vet: the sizes of types on %s are not known", name)
}

// result puts the findings in order, and keeps one of those that are alike. A package is checked
// with its tests and without. Where a check reports the same place both times, the finding with
// the tests stays.
func (d *driver) result() *Result {
	r := &Result{Packages: len(d.packages), Broken: d.broken, looked: d.packages}
	for _, n := range d.lines {
		r.Lines += n
	}
	compareBroken := func(a, b Broken) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Err.Error(), b.Err.Error()))
	}
	slices.SortFunc(r.Broken, compareBroken)
	r.Broken = slices.CompactFunc(r.Broken, func(a, b Broken) bool { return compareBroken(a, b) == 0 })
	for id, found := range d.findings {
		tested := make(map[place]bool)
		for _, f := range d.findings[id+" ["+id+".test]"] {
			tested[f.place()] = true
		}
		for _, f := range found {
			if !tested[f.place()] {
				r.Findings = append(r.Findings, f)
			}
		}
	}
	slices.SortFunc(r.Findings, Finding.compare)
	r.Findings = slices.CompactFunc(r.Findings, func(a, b Finding) bool { return a.compare(b) == 0 })
	fingerprint(r.Findings)
	return r
}

func errorsOf(p *packages.Package) error {
	var errs []error
	for _, e := range p.Errors {
		if e.Pos == "" || e.Pos == "-" {
			errs = append(errs, errors.New(e.Msg))
		} else {
			errs = append(errs, e)
		}
	}
	return errors.Join(errs...)
}
