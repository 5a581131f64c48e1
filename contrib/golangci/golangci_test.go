package golangci_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/sweetspot-go/sweetspot/contrib/golangci"
	"github.com/sweetspot-go/sweetspot/vet"
)

// analyzers returns those that golangci-lint would get.
func analyzers(t *testing.T, settings any) []*analysis.Analyzer {
	t.Helper()
	make, err := register.GetPlugin("sweetspot")
	if err != nil {
		t.Fatal(err)
	}
	p, err := make(settings)
	if err != nil {
		t.Fatal(err)
	}
	if mode := p.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("load mode %q, want one with types", mode)
	}
	list, err := p.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	if err := analysis.Validate(list); err != nil {
		t.Error(err)
	}
	return list
}

func names(list []*analysis.Analyzer) (names []string) {
	for _, a := range list {
		names = append(names, a.Name)
	}
	return names
}

func TestSettings(t *testing.T) {
	if got, want := names(analyzers(t, nil)), names(vet.Analyzers(vet.Quiet)); !slices.Equal(got, want) {
		t.Errorf("without settings: %v, want %v", got, want)
	}
	info := names(vet.Analyzers(vet.Info))
	if got := names(analyzers(t, map[string]any{"info": true})); !slices.Equal(got, info) {
		t.Errorf("with info: %v, want %v", got, info)
	}
	got := names(analyzers(t, map[string]any{"info": true, "without": []any{"falseshare", "ignore"}}))
	want := slices.DeleteFunc(info, func(name string) bool { return name == "falseshare" || name == "ignore" })
	if !slices.Equal(got, want) {
		t.Errorf("without two: %v, want %v", got, want)
	}
}

func TestBadSettings(t *testing.T) {
	for _, c := range []struct {
		settings map[string]any
		want     string
	}{
		{map[string]any{"level": "info"}, "unknown field"},
		{map[string]any{"info": "yes"}, "bool"},
		{map[string]any{"without": []any{"falsshare"}}, `there is no check "falsshare"; the checks are `},
	} {
		p, err := golangci.New(c.settings)
		if err == nil {
			_, err = p.BuildAnalyzers()
		}
		if err == nil || !strings.HasPrefix(err.Error(), "sweetspot: settings: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v; want an error about %q", c.settings, err, c.want)
		}
	}
}

const pitfall = `package p

func NAME(parts [][]int) []int {
	sums := make([]int, len(parts))
	done := make(chan struct{})
	for i := range parts {
		go func() {
			for _, v := range parts[i] {
				sums[i] += v
			}
			done <- struct{}{}
		}()
	}
	for range parts {
		<-done
	}
	return sums
}
`

// The analyzers find what they are for, in files of tests if that is asked for.
func TestFindings(t *testing.T) {
	p := &packages.Package{
		ID: "p", Name: "p", PkgPath: "p",
		Fset:       token.NewFileSet(),
		TypesSizes: types.SizesFor("gc", "amd64"),
		TypesInfo: &types.Info{
			Types:        make(map[ast.Expr]types.TypeAndValue),
			Defs:         make(map[*ast.Ident]types.Object),
			Uses:         make(map[*ast.Ident]types.Object),
			Implicits:    make(map[ast.Node]types.Object),
			Instances:    make(map[*ast.Ident]types.Instance),
			Scopes:       make(map[ast.Node]*types.Scope),
			Selections:   make(map[*ast.SelectorExpr]*types.Selection),
			FileVersions: make(map[*ast.File]string),
		},
	}
	for file, name := range map[string]string{"p.go": "real", "p_test.go": "tested"} {
		f, err := parser.ParseFile(p.Fset, file, strings.Replace(pitfall, "NAME", name, 1), parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.Syntax = append(p.Syntax, f)
	}
	var err error
	if p.Types, err = (&types.Config{Sizes: p.TypesSizes}).Check("p", p.Fset, p.Syntax, p.TypesInfo); err != nil {
		t.Fatal(err)
	}
	for _, tests := range []bool{false, true} {
		graph, err := checker.Analyze(analyzers(t, map[string]any{"tests": tests}), []*packages.Package{p}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, action := range graph.Roots {
			if action.Err != nil {
				t.Error(action.Err)
			}
			for _, d := range action.Diagnostics {
				got = append(got, p.Fset.Position(d.Pos).String()+" "+d.Category)
			}
		}
		slices.Sort(got)
		want := []string{"p.go:9:5 falseshare/quiet"}
		if tests {
			want = append(want, "p_test.go:9:5 falseshare/quiet")
		}
		if !slices.Equal(got, want) {
			t.Errorf("tests %v: found %v, want %v", tests, got, want)
		}
	}
}

func ExampleNew() {
	p, err := golangci.New(map[string]any{"without": []string{"falseshare"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	analyzers, err := p.BuildAnalyzers()
	fmt.Println(slices.ContainsFunc(analyzers, func(a *analysis.Analyzer) bool { return a.Name == "falseshare" }), err)
	// Output: false <nil>
}
