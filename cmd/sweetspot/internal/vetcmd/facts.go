package vetcmd

import (
	"errors"
	"fmt"
	"go/types"
	"os"
	"reflect"
	"runtime/debug"

	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/vet"
)

// A factKey tells facts apart: there is one of each type for an object.
type factKey struct {
	object types.Object
	typ    reflect.Type
}

// analyze runs analyzers, and before each what it requires, one after the other:
// there are other packages to keep the CPUs busy.
func (u *unit) analyze(analyzers []*analysis.Analyzer) error {
	u.results = make(map[*analysis.Analyzer]any)
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
		if numbers, ok := result.([]vet.Number); ok && wanted[a] && u.node.root {
			for _, n := range numbers {
				u.findings = append(u.findings, u.number(a, n))
			}
		}
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
		ImportObjectFact:  u.importFact,
		ExportObjectFact:  u.exportFact,
		ImportPackageFact: func(*types.Package, analysis.Fact) bool { return false },
		ExportPackageFact: func(analysis.Fact) { panic("the driver keeps facts of objects only") },
	})
}

// importFact looks a fact up. What is known of an object is complete before a package that
// imports it is looked at.
func (u *unit) importFact(o types.Object, f analysis.Fact) bool {
	found, ok := u.facts.Load(factKey{o, reflect.TypeOf(f)})
	if ok {
		reflect.ValueOf(f).Elem().Set(reflect.ValueOf(found).Elem())
	}
	return ok
}

func (u *unit) exportFact(o types.Object, f analysis.Fact) {
	if o.Pkg() != u.node.types {
		panic(fmt.Sprintf("a fact about %v, which is of another package", o))
	}
	u.facts.Store(factKey{o, reflect.TypeOf(f)}, f)
}
