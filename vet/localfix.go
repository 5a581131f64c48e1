package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// localFix returns the edits that give the goroutine a variable of its own, loaded
// before its loop and stored after it. There are none unless the loop uses the place
// alone of all that its variable leads to, and always comes to its end.
func (p *pass) localFix(w *innerWrite) []analysis.SuggestedFix {
	base := baseOf(w.dest)
	if base == nil || w.atomic || !w.busy {
		return nil
	}
	switch w.loop.ParentEdgeKind() {
	case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
	default:
		return nil // labelled
	}
	if l, ok := w.loop.Node().(*ast.ForStmt); ok && l.Cond == nil {
		return nil // it may have no end
	}
	obj := p.TypesInfo.Uses[base]
	text := types.ExprString(w.dest)
	var uses []ast.Node
	for c := range w.loop.Preorder() {
		switch n := c.Node().(type) {
		case *ast.ReturnStmt, *ast.FuncLit, *ast.LabeledStmt, *ast.DeferStmt:
			return nil
		case *ast.BranchStmt:
			if n.Label != nil || n.Tok == token.GOTO {
				return nil
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND && mentions(n.X, text) {
				return nil
			}
		case *ast.CallExpr:
			// A function that may use the variable, too.
			if callee := p.functions.of(p.TypesInfo, c, n.Fun); callee.Valid() {
				if _, literal := callee.Node().(*ast.FuncLit); literal || obj.Parent() == p.Pkg.Scope() {
					return nil
				}
			}
		case *ast.Ident:
			if p.TypesInfo.Uses[n] != obj {
				continue
			}
			use := c
			for !p.same(use.Node(), w.dest) {
				use = use.Parent()
				if _, ok := use.Node().(ast.Expr); !ok || use.Node().End()-use.Node().Pos() > w.dest.End()-w.dest.Pos() {
					return nil
				}
			}
			uses = append(uses, use.Node())
		}
	}
	name := freeName(w.scope.function, w.at)
	start, end := w.loop.Node().Pos(), w.loop.Node().End()
	edits := []analysis.TextEdit{{Pos: start, End: start, NewText: []byte(name + " := " + text + "\n")}}
	for _, use := range uses {
		edits = append(edits, analysis.TextEdit{Pos: use.Pos(), End: use.End(), NewText: []byte(name)})
	}
	edits = append(edits, analysis.TextEdit{Pos: end, End: end, NewText: []byte("\n" + text + " = " + name)})
	return []analysis.SuggestedFix{{Message: "Use a variable of the goroutine's own", TextEdits: edits}}
}

// baseOf returns the variable that the path e begins with; nil if e is no path.
func baseOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// same reports whether a is an expression with the text of b, and means the same.
func (p *pass) same(a ast.Node, b ast.Expr) bool {
	x, ok := a.(ast.Expr)
	return ok && types.ExprString(x) == types.ExprString(b) && slices.Equal(p.objects(x), p.objects(b))
}

// objects returns what the names in e stand for.
func (p *pass) objects(e ast.Expr) []types.Object {
	var list []types.Object
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			list = append(list, p.TypesInfo.ObjectOf(id))
		}
		return true
	})
	return list
}

// freeName returns a name for what the statement at c adds to that nothing in the
// function has.
func freeName(function, c inspector.Cursor) string {
	names := []string{"own", "mine", "local", "ownValue", "localValue"}
	switch n := c.Node().(type) {
	case *ast.IncDecStmt:
		names = append([]string{"count"}, names...)
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN {
			names = append([]string{"sum"}, names...)
		}
	}
	taken := make(map[string]bool)
	for c := range function.Preorder((*ast.Ident)(nil)) {
		taken[c.Node().(*ast.Ident).Name] = true
	}
	for _, name := range names {
		if !taken[name] {
			return name
		}
	}
	return "goroutinesOwn"
}
