package vetcmd

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"runtime/debug"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/vet"
)

// A factKey tells facts apart: there is one of each type for an object.
type factKey struct {
	object types.Object
	typ    reflect.Type
}

// analyze runs analyzers one after the other: there are other packages to keep the CPUs busy.
func (u *unit) analyze(analyzers []*analysis.Analyzer) error {
	u.results = make(map[*analysis.Analyzer]any)
	failed := func(a *analysis.Analyzer) bool { _, ok := u.results[a]; return !ok }
	var errs []error
	for _, a := range analyzers {
		if slices.ContainsFunc(a.Requires, failed) {
			continue
		}
		wanted := u.node.root && slices.Contains(u.wanted, a)
		result, err := u.call(a, wanted)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", a.Name, err))
			continue
		}
		u.results[a] = result
		if numbers, ok := result.([]vet.Number); ok && wanted {
			for _, n := range numbers {
				u.findings = append(u.findings, u.number(a, n))
			}
		}
	}
	return errors.Join(errs...)
}

// call runs one analyzer, whose diagnostics may be wanted. A panic of it is an error of its
// own, as there may be hundreds of packages that it has no trouble with.
func (u *unit) call(a *analysis.Analyzer, wanted bool) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	// What no check here uses is left out, such as other files and facts of packages.
	return a.Run(&analysis.Pass{
		Analyzer:   a,
		Fset:       u.fset,
		Files:      u.files,
		Pkg:        u.node.types,
		TypesInfo:  u.info,
		TypesSizes: u.sizes,
		ResultOf:   u.results,
		Report: func(d analysis.Diagnostic) {
			if wanted {
				u.findings = append(u.findings, u.finding(a, d))
			}
		},
		ImportObjectFact: u.importFact,
		ExportObjectFact: u.exportFact,
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
