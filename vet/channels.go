package vet

import (
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// A channel is what a package does with the channels that certain variables, fields,
// parameters and results hold: those between which it passes them on. They may be
// many channels at run time.
//
// It is found by uniting what is assigned to each other, without regard to order or
// to instances (Steensgaard, Points-to analysis in almost linear time, POPL 1996): in
// doubt two channels are one.
type channel struct {
	elem     types.Type
	makes    []inspector.Cursor // *ast.CallExpr
	sends    []inspector.Cursor // *ast.SendStmt
	receives []inspector.Cursor // *ast.UnaryExpr, or *ast.RangeStmt
	closes   []inspector.Cursor // *ast.CallExpr
	foreign  bool               // it, or another instead of it, comes from unknown code
	escapes  bool               // unknown code gets it
	returned []inspector.Cursor // functions of which it is a result
	shared   bool               // it is in something else than local variables
}

type channels struct {
	all    []*channel
	byNode map[any]*channel // *types.Var, or result
}

type result struct {
	function ast.Node // *ast.FuncDecl or *ast.FuncLit
	index    int
}

// channelAnalyzer finds channels for the checks.
var channelAnalyzer = &analysis.Analyzer{
	Name:       "sweetspotchannels",
	Doc:        "find who makes, sends to and receives from a channel",
	Requires:   []*analysis.Analyzer{inspect.Analyzer, spawnAnalyzer},
	ResultType: reflect.TypeFor[*channels](),
	Run: func(a *analysis.Pass) (any, error) {
		u := &unifier{
			info:      a.TypesInfo,
			pkg:       a.Pkg,
			functions: a.ResultOf[spawnAnalyzer].(*functions),
			parent:    make(map[any]any),
			held:      make(map[ast.Node]bool),
		}
		for c := range u.functions.literals() {
			u.held[c.Node()] = true
		}
		root := a.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		// What is called through an interface may be any method of that name.
		dynamic := make(map[string]bool)
		for _, s := range u.info.Selections {
			if f, ok := s.Obj().(*types.Func); ok && types.IsInterface(recvType(f)) {
				dynamic[f.Id()] = true
			}
		}
		for c := range root.Preorder((*ast.Ident)(nil), (*ast.SelectorExpr)(nil), (*ast.CallExpr)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
			switch n := c.Node().(type) {
			case *ast.FuncDecl:
				// Other packages may give it channels, too. That changes nothing for
				// those that this package gives it.
				if u.visible(n.Name.IsExported()) || n.Recv != nil && dynamic[types.Id(u.pkg, n.Name.Name)] {
					u.publish(c)
				}
			case *ast.FuncLit:
				if !u.held[n] && c.ParentEdgeKind() != edge.CallExpr_Fun {
					u.abandon(c)
				}
			case ast.Expr:
				if isChan(u.info.TypeOf(n)) {
					u.mention(c, n)
				} else {
					u.function(c, n)
				}
			}
		}
		return u.result(), nil
	},
}

func isChan(t types.Type) bool { return is[*types.Chan](t) }
