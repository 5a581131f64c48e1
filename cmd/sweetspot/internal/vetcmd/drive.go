package vetcmd

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/sweetspot-go/sweetspot"
)

// A driver runs analyzers over packages, those that are imported first.
type driver struct {
	fset      *token.FileSet
	nodes     map[*packages.Package]*node
	wanted    []*analysis.Analyzer // their diagnostics are reported
	analyzers []*analysis.Analyzer // the wanted ones, and what they require
	keepers   []*analysis.Analyzer // those that keep facts, and what they require: they see imported packages, too
	facts     sync.Map             // factKey: analysis.Fact
	tests     bool
	sizes     types.Sizes

	mu       sync.Mutex
	findings map[string][]Finding // by the ID of the package looked at
	packages map[string]bool      // paths of those looked at; with tests several have the same
	lines    map[string]int       // of their files
	broken   []Broken
}

// A node is a package among those that it imports and those that import it.
type node struct {
	pkg     *packages.Package
	root    bool // was asked for
	waits   atomic.Int32
	parents []*node
	types   *types.Package
}

func newDriver(roots []*packages.Package, sizes types.Sizes, r Request) *driver {
	all := ordered(r.Analyzers)
	d := &driver{
		fset:      token.NewFileSet(),
		nodes:     make(map[*packages.Package]*node),
		wanted:    r.Analyzers,
		analyzers: all,
		keepers:   ordered(slices.DeleteFunc(slices.Clone(all), func(a *analysis.Analyzer) bool { return len(a.FactTypes) == 0 })),
		tests:     r.Tests,
		sizes:     sizes,
		findings:  make(map[string][]Finding),
		packages:  make(map[string]bool),
		lines:     make(map[string]int),
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		n := &node{pkg: p}
		d.nodes[p] = n
		for _, imported := range p.Imports {
			child := d.nodes[imported]
			child.parents = append(child.parents, n)
			n.waits.Add(1)
		}
	})
	for _, p := range roots {
		d.nodes[p].root = true
	}
	return d
}

// ordered returns analyzers and all that they require. Each comes after what it requires.
func ordered(of []*analysis.Analyzer) (all []*analysis.Analyzer) {
	for _, a := range of {
		for _, one := range append(ordered(a.Requires), a) {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}

// run visits the packages. At any time the syntax of as many as are being visited is
// in memory, and of the others what importers need.
func (d *driver) run(ctx context.Context) error {
	return sweetspot.Walk(ctx, d.leaves(), func(ctx context.Context, n *node, push func(*node)) error {
		d.visit(n)
		for _, p := range n.parents {
			if p.waits.Add(-1) == 0 {
				push(p)
			}
		}
		return nil
	}, sweetspot.Fixed(runtime.GOMAXPROCS(0)), sweetspot.SizeHint(len(d.nodes)))
}

// leaves yields the packages that import none.
func (d *driver) leaves() func(yield func(*node) bool) {
	var leaves []*node
	for _, n := range d.nodes {
		if len(n.pkg.Imports) == 0 {
			leaves = append(leaves, n)
		}
	}
	slices.SortFunc(leaves, func(a, b *node) int { return strings.Compare(a.pkg.ID, b.pkg.ID) })
	return slices.Values(leaves)
}

// visit parses a package, finds its types and runs the analyzers.
func (d *driver) visit(n *node) {
	if n.pkg.PkgPath == "unsafe" {
		n.types = types.Unsafe
		return
	}
	if err := errorsOf(n.pkg); err != nil && n.root {
		d.fail(n, err)
	}
	u := &unit{driver: d, node: n, pkg: n.pkg, sources: make(map[string][]byte)}
	var analyzers []*analysis.Analyzer
	switch {
	case n.root:
		analyzers = d.analyzers
	case !standard(n.pkg):
		analyzers = d.keepers
	}
	if err := u.load(len(analyzers) > 0); err != nil {
		if n.root && len(n.pkg.Errors) == 0 {
			d.fail(n, err)
		}
		return
	}
	if len(analyzers) == 0 {
		return
	}
	err := u.analyze(analyzers)
	if !n.root {
		return
	}
	if err != nil {
		d.fail(n, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.packages[n.pkg.PkgPath] = true
	u.countLines(d.lines)
	d.findings[n.pkg.ID] = u.findings
}

// standard reports whether a package is of the standard library. Of these the
// analyzers know more than facts would tell, and need no function bodies: that is
// most of the work for a small program.
func standard(p *packages.Package) bool {
	first, _, _ := strings.Cut(p.PkgPath, "/")
	return p.Module == nil && !strings.Contains(first, ".") && p.ID != "command-line-arguments"
}

func (d *driver) fail(n *node, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken = append(d.broken, Broken{n.pkg.PkgPath, err})
}

// A unit is a package while it is being looked at.
type unit struct {
	*driver
	node     *node
	pkg      *packages.Package
	files    []*ast.File
	sources  map[string][]byte
	info     *types.Info
	results  map[*analysis.Analyzer]any
	findings []Finding
}

// load parses the files and finds the types, with those of function bodies if they
// will be looked at. The package has types afterwards even if there is an error, so
// that its importers have as few errors as can be.
func (u *unit) load(bodies bool) error {
	var first error
	for _, name := range u.pkg.GoFiles {
		src, err := os.ReadFile(name)
		if err == nil {
			var f *ast.File
			f, err = parser.ParseFile(u.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
			if f != nil {
				u.files = append(u.files, f)
				u.sources[name] = src
			}
		}
		if first == nil {
			first = err
		}
	}
	if bodies {
		u.info = &types.Info{
			Types:        make(map[ast.Expr]types.TypeAndValue),
			Defs:         make(map[*ast.Ident]types.Object),
			Uses:         make(map[*ast.Ident]types.Object),
			Implicits:    make(map[ast.Node]types.Object),
			Instances:    make(map[*ast.Ident]types.Instance),
			Scopes:       make(map[ast.Node]*types.Scope),
			Selections:   make(map[*ast.SelectorExpr]*types.Selection),
			FileVersions: make(map[*ast.File]string),
		}
	}
	usesC := slices.ContainsFunc(u.files, func(f *ast.File) bool {
		return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
	})
	config := &types.Config{
		Importer:         u,
		FakeImportC:      true,
		Sizes:            u.sizes,
		IgnoreFuncBodies: !bodies,
		Error: func(err error) {
			// What comes from C is of no type, and some expressions of it are errors then.
			if first == nil && !usesC {
				first = err
			}
		},
	}
	if m := u.pkg.Module; m != nil && m.GoVersion != "" {
		config.GoVersion = "go" + m.GoVersion
	}
	u.node.types = types.NewPackage(u.pkg.PkgPath, u.pkg.Name)
	types.NewChecker(config, u.fset, u.node.types, u.info).Files(u.files) // its error is the first of those
	return first
}

// Import is for the checker of types.
func (u *unit) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := u.pkg.Imports[path]
	if p == nil {
		return nil, fmt.Errorf("the go command has not listed %s", path)
	}
	if p.Name == "" && len(p.Errors) > 0 {
		return nil, errorsOf(p) // not found, not downloaded
	}
	return u.nodes[p].types, nil
}

// countLines notes how many lines each file has that the analyzers look at.
func (u *unit) countLines(of map[string]int) {
	for _, f := range u.files {
		name := u.fset.File(f.FileStart).Name()
		if !ast.IsGenerated(f) && (u.tests || !strings.HasSuffix(name, "_test.go")) {
			of[name] = u.fset.File(f.FileStart).LineCount()
		}
	}
}
