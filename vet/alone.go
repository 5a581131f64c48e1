package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// alone reports whether the loop of a write has no other name for what is written,
// which is reached from the variable of: it is memory that only this variable leads to,
// or the loop uses nothing else that might be the same. That a slice it ranges over
// holds the place is not to be feared, as it would hold those of other goroutines, too.
func (p *pass) alone(w *innerWrite, of *types.Var) bool {
	if p.fresh(w, of) {
		return true
	}
	t := p.TypesInfo.TypeOf(w.dest)
	if t == nil {
		return false
	}
	for c := range w.loop.Preorder((*ast.Ident)(nil), (*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.StarExpr)(nil), (*ast.CallExpr)(nil)) {
		if call, ok := c.Node().(*ast.CallExpr); ok {
			if p.functions.of(p.TypesInfo, c, call.Fun).Valid() {
				return false // it may use what it gets, or package variables
			}
			continue
		}
		e := c.Node().(ast.Expr)
		if tv := p.TypesInfo.Types[e]; !tv.Addressable() || !holds(tv.Type, t) && !holds(t, tv.Type) {
			continue
		}
		base := baseOf(e)
		if base == nil {
			return false
		}
		v, ok := p.TypesInfo.Uses[base].(*types.Var)
		if !ok {
			return false
		}
		if v != of && (p.follows(e) > 0 || p.aliased(w, v)) {
			return false
		}
	}
	return true
}

// fresh reports whether nothing leads to what is written but the variable: that is it
// itself, or it was made for it, and has no second name when the goroutine runs.
func (p *pass) fresh(w *innerWrite, v *types.Var) bool {
	if v.Kind() != types.LocalVar {
		return false
	}
	own := 0
	if isReference(v.Type()) {
		own = 1
		value := p.functions.value(v)
		if !value.Valid() {
			return false
		}
		e := ast.Unparen(value.Node().(ast.Expr))
		if addr, ok := e.(*ast.UnaryExpr); ok && addr.Op == token.AND {
			e = ast.Unparen(addr.X)
		}
		switch e := e.(type) {
		case *ast.CompositeLit:
		case *ast.CallExpr:
			if !isBuiltin(p.TypesInfo, e, "make") && !isBuiltin(p.TypesInfo, e, "new") {
				return false
			}
		default:
			return false
		}
	}
	return p.follows(w.dest) <= own && !p.aliased(w, v)
}

// follows returns how many pointers the path e follows, slices among them.
func (p *pass) follows(e ast.Expr) int {
	n := 0
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			n, e = n+1, x.X
		case *ast.IndexExpr:
			if isReference(typeUnder(p.TypesInfo, x.X)) {
				n++
			}
			e = x.X
		case *ast.SelectorExpr:
			if sel := p.TypesInfo.Selections[x]; sel != nil && sel.Indirect() {
				n++
			}
			e = x.X
		default:
			return n
		}
	}
}

// holds reports whether a value of type t is, or has within it, one of type part.
func holds(t, part types.Type) bool {
	if types.Identical(t, part) {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Array:
		return holds(t.Elem(), part)
	case *types.Struct:
		for f := range t.Fields() {
			if holds(f.Type(), part) {
				return true
			}
		}
	}
	return false
}

// aliased reports whether the variable, or what it leads to, may have a second name
// when the goroutine of w runs: its address is taken, or it is copied, if the copy
// leads to the same.
func (p *pass) aliased(w *innerWrite, v *types.Var) bool {
	around := w.scope.function
	for f := range around.Enclosing((*ast.FuncDecl)(nil)) {
		around = f
	}
	if !within(around.Node(), v.Pos()) {
		return true
	}
	for c := range around.Preorder((*ast.Ident)(nil)) {
		if p.TypesInfo.Uses[c.Node().(*ast.Ident)] == v && p.escapes(c) && !p.afterwards(w, c, v) {
			return true
		}
	}
	return false
}

// escapes reports whether a mention of a variable gives what it leads to a second name.
func (p *pass) escapes(c inspector.Cursor) bool {
	for {
		parent := c.Parent().Node()
		switch c.ParentEdgeKind() {
		case edge.ParenExpr_X, edge.StarExpr_X, edge.IndexExpr_X:
		case edge.SelectorExpr_X:
			if sel := p.TypesInfo.Selections[parent.(*ast.SelectorExpr)]; sel == nil || sel.Kind() != types.FieldVal {
				return true // a method, which may keep its receiver
			}
		case edge.UnaryExpr_X:
			return parent.(*ast.UnaryExpr).Op == token.AND
		case edge.SliceExpr_X:
			return true
		case edge.AssignStmt_Lhs, edge.IncDecStmt_X, edge.RangeStmt_X, edge.RangeStmt_Key, edge.RangeStmt_Value, edge.ReturnStmt_Results:
			return false
		case edge.CallExpr_Args:
			call := parent.(*ast.CallExpr)
			for _, name := range []string{"len", "cap", "clear", "copy"} {
				if isBuiltin(p.TypesInfo, call, name) {
					return false
				}
			}
			return isReference(typeUnder(p.TypesInfo, c.Node().(ast.Expr)))
		default:
			e, ok := c.Node().(ast.Expr)
			return ok && isReference(typeUnder(p.TypesInfo, e))
		}
		c = c.Parent()
	}
}

// afterwards reports whether what c does comes after the goroutine of w was started,
// and not again before that.
func (p *pass) afterwards(w *innerWrite, c inspector.Cursor, v *types.Var) bool {
	spawn := w.scope.spawn.cur
	if c.Node().Pos() < spawn.Node().End() || functionAround(c) != functionAround(spawn) {
		return false
	}
	for loop := range loopsAround(c) {
		if loop.Contains(spawn) && !within(loop.Node(), v.Pos()) {
			return false
		}
	}
	return true
}
