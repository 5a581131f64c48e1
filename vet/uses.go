package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// uses returns the places at which what a finding is about costs something, for a
// driver that knows which lines are hot: such a finding stands where the thing is
// declared, which takes no time. Others have no use for them, and get none.
func (p *pass) uses(what string, places ...[]inspector.Cursor) []analysis.RelatedInformation {
	if p.set.upTo < Hot {
		return nil
	}
	var all []analysis.RelatedInformation
	for _, list := range places {
		for _, c := range list {
			n := c.Node()
			end := n.End()
			if r, ok := n.(*ast.RangeStmt); ok {
				end = r.Body.Pos()
			}
			all = append(all, analysis.RelatedInformation{Pos: n.Pos(), End: end, Message: what})
		}
	}
	return all
}

// locking returns the calls that lock, unlock or update elements of a table: in the
// functions that take one, and wherever else a value of the element's type is at hand.
func (p *pass) locking(t *lockTable) []inspector.Cursor {
	if p.set.upTo < Hot {
		return nil
	}
	_, named := types.Unalias(t.elem).(*types.Named)
	own := named && lockOnly(t.elem) == ""
	var all []inspector.Cursor
	for c := range p.nodes((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		fn, ok := typeutil.Callee(p.TypesInfo, call).(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync" && fn.Pkg().Path() != "sync/atomic" || fn.Signature().Recv() == nil {
			continue
		}
		within := own
		for _, f := range t.users {
			within = within || f.Contains(c)
		}
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && within && p.partOf(sel.X, t.elem) {
			all = append(all, c)
		}
	}
	return all
}

// lockOnly returns the name of a type of package sync or sync/atomic, which anything
// may have values of, and nothing for another.
func lockOnly(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		if path := n.Obj().Pkg().Path(); path == "sync" || path == "sync/atomic" {
			return n.Obj().Name()
		}
	}
	return ""
}

// partOf reports whether the path e is, or goes through, a value of type t.
func (p *pass) partOf(e ast.Expr, t types.Type) bool {
	for {
		if of := p.TypesInfo.TypeOf(e); of != nil && types.Identical(deref(of), t) {
			return true
		}
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			e = x.X
		default:
			return false
		}
	}
}
