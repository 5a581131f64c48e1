package vet

import (
	"fmt"
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
// alone of all that its variable leads to, by no other name either, always comes to
// its end, and tells nobody meanwhile, who might read the place then; and unless the
// place is there even if the loop has no turn.
func (p *pass) localFix(w *innerWrite) []analysis.SuggestedFix {
	base := baseOf(w.dest)
	if base == nil || w.atomic || !w.busy || !p.readable(w) {
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
	obj, ok := p.TypesInfo.Uses[base].(*types.Var)
	if !ok || p.communicates(w.loop) || !p.alone(w, obj) {
		return nil
	}
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
	name := p.freeName(w.scope.function, w.at)
	start, end := w.loop.Node().Pos(), w.loop.Node().End()
	edits := []analysis.TextEdit{{Pos: start, End: start, NewText: []byte(name + " := " + text + "\n")}}
	for _, use := range uses {
		edits = append(edits, analysis.TextEdit{Pos: use.Pos(), End: use.End(), NewText: []byte(name)})
	}
	edits = append(edits, analysis.TextEdit{Pos: end, End: end, NewText: []byte("\n" + text + " = " + name)})
	return []analysis.SuggestedFix{{Message: "Use a variable of the goroutine's own", TextEdits: edits}}
}

// baseOf returns the variable that the path e begins with; nil if e is not a path.
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

// communicates reports whether a loop, nested ones included, may hand over to other
// goroutines: it uses a channel or an atomic, or calls what is not known to compute only.
func (p *pass) communicates(loop inspector.Cursor) bool {
	for c := range loop.Preorder() {
		switch n := c.Node().(type) {
		case *ast.RangeStmt:
			switch typeUnder(p.TypesInfo, n.X).(type) {
			case *types.Chan, *types.Signature:
				return true
			}
		case *ast.CallExpr:
			if !p.cheapCall(c, 2) || atomicOperand(p.TypesInfo, n) != nil {
				return true
			}
		default:
			if slow(n) {
				return true
			}
		}
	}
	return false
}

// freeName returns a name for what the statement at c adds to, that nothing in the
// function has, nor another fix of it.
func (p *pass) freeName(function, c inspector.Cursor) string {
	names := []string{"own", "mine", "local", "ownValue", "localValue"}
	switch n := c.Node().(type) {
	case *ast.IncDecStmt:
		names = append([]string{"count"}, names...)
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN {
			names = append([]string{"sum"}, names...)
		}
	}
	taken := p.taken[function.Node()]
	if taken == nil {
		taken = make(map[string]bool)
		for c := range function.Preorder((*ast.Ident)(nil)) {
			taken[c.Node().(*ast.Ident).Name] = true
		}
		p.taken[function.Node()] = taken
	}
	i := slices.IndexFunc(names, func(name string) bool { return !taken[name] })
	for n := 2; i < 0; n++ {
		if name := fmt.Sprintf("own%d", n); !taken[name] {
			names, i = append(names, name), len(names)
		}
	}
	taken[names[i]] = true
	return names[i]
}
