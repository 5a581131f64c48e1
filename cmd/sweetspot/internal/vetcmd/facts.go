package vetcmd

import (
	"errors"
	"fmt"
	"go/types"
	"os"
	"reflect"
	"runtime/debug"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// A factKey tells the facts of a package apart: one of each type for an object, and
// for the package itself, which is not an object.
type factKey struct {
	object types.Object
	typ    reflect.Type
}

// analyze runs analyzers, and before each what it requires, one after the other:
// there are other packages to keep the CPUs busy.
func (u *unit) analyze(analyzers []*analysis.Analyzer) error {
	u.results = make(map[*analysis.Analyzer]any)
	u.node.facts = make(map[factKey]analysis.Fact)
	failed := make(map[*analysis.Analyzer]error)
	wanted := make(map[*analysis.Analyzer]bool)
	for _, a := range analyzers {
		wanted[a] = true
	}
	var run func(a *analysis.Analyzer) error
	run = func(a *analysis.Analyzer) error {
		if err, ok := failed[a]; ok {
			return err
		}
		if _, ok := u.results[a]; ok {
			return nil
		}
		for _, r := range a.Requires {
			if err := run(r); err != nil {
				failed[a] = err
				return err
			}
		}
		result, err := u.call(a, wanted[a])
		if err != nil {
			err = fmt.Errorf("%s: %w", a.Name, err)
			failed[a] = err
			return err
		}
		u.results[a] = result
		return nil
	}
	var errs []error
	for _, a := range analyzers {
		if err := run(a); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// call runs one analyzer. A panic of it is an error of its own, as there may be
// hundreds of packages that it has no trouble with.
func (u *unit) call(a *analysis.Analyzer, wanted bool) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	requires := make(map[*analysis.Analyzer]any)
	for _, r := range a.Requires {
		requires[r] = u.results[r]
	}
	module := &analysis.Module{}
	if m := u.pkg.Module; m != nil {
		module = &analysis.Module{Path: m.Path, Version: m.Version, GoVersion: m.GoVersion}
	}
	return a.Run(&analysis.Pass{
		Analyzer:     a,
		Fset:         u.fset,
		Files:        u.files,
		OtherFiles:   u.pkg.OtherFiles,
		IgnoredFiles: u.pkg.IgnoredFiles,
		Pkg:          u.node.types,
		TypesInfo:    u.info,
		TypesSizes:   u.sizes,
		Module:       module,
		ResultOf:     requires,
		ReadFile:     os.ReadFile,
		Report: func(d analysis.Diagnostic) {
			if wanted && u.node.root {
				u.findings = append(u.findings, u.finding(a, d))
			}
		},
		ImportObjectFact:  func(o types.Object, f analysis.Fact) bool { return u.importFact(o.Pkg(), o, f) },
		ExportObjectFact:  func(o types.Object, f analysis.Fact) { u.exportFact(o, f) },
		ImportPackageFact: func(p *types.Package, f analysis.Fact) bool { return u.importFact(p, nil, f) },
		ExportPackageFact: func(f analysis.Fact) { u.exportFact(nil, f) },
		AllObjectFacts:    func() []analysis.ObjectFact { return u.objectFacts(a) },
		AllPackageFacts:   func() []analysis.PackageFact { return u.packageFacts(a) },
	})
}

// importFact looks a fact up. What a package keeps is not written any more when its
// importers run.
func (u *unit) importFact(p *types.Package, o types.Object, f analysis.Fact) bool {
	n := u.nodeOf(p)
	if n == nil {
		return false
	}
	found, ok := n.facts[factKey{o, reflect.TypeOf(f)}]
	if ok {
		reflect.ValueOf(f).Elem().Set(reflect.ValueOf(found).Elem())
	}
	return ok
}

func (u *unit) exportFact(o types.Object, f analysis.Fact) {
	if o != nil && o.Pkg() != u.node.types {
		panic(fmt.Sprintf("a fact about %v, which is of another package", o))
	}
	u.node.facts[factKey{o, reflect.TypeOf(f)}] = f
}

func (u *unit) objectFacts(a *analysis.Analyzer) (facts []analysis.ObjectFact) {
	for _, n := range u.seen() {
		for k, f := range n.facts {
			if k.object != nil && ownFact(a, k) {
				facts = append(facts, analysis.ObjectFact{Object: k.object, Fact: f})
			}
		}
	}
	return facts
}

func (u *unit) packageFacts(a *analysis.Analyzer) (facts []analysis.PackageFact) {
	for _, n := range u.seen() {
		for k, f := range n.facts {
			if k.object == nil && ownFact(a, k) {
				facts = append(facts, analysis.PackageFact{Package: n.types, Fact: f})
			}
		}
	}
	return facts
}

func ownFact(a *analysis.Analyzer, k factKey) bool {
	return slices.ContainsFunc(a.FactTypes, func(f analysis.Fact) bool { return reflect.TypeOf(f) == k.typ })
}

// seen returns the package and all that it depends on.
func (u *unit) seen() []*node {
	var list []*node
	packages.Visit([]*packages.Package{u.pkg}, nil, func(p *packages.Package) { list = append(list, u.nodes[p]) })
	return list
}
