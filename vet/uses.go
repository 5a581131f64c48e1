package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// uses returns the places at which what a finding is about costs something, for a
// driver that knows which lines are hot: such a finding stands where the thing is
// declared, which takes no time. Others have no use for them, and get none.
func (p *pass) uses(what string, places ...[]inspector.Cursor) []analysis.RelatedInformation {
	if p.set.upTo < Hot {
		return nil
	}
	var all []analysis.RelatedInformation
	for _, c := range slices.Concat(places...) {
		all = append(all, analysis.RelatedInformation{Pos: c.Node().Pos(), End: headEnd(c.Node()), Message: what})
	}
	return all
}

// locking returns the calls that lock, unlock or update elements of a table: in the
// functions that take one, and wherever else a value of the element's type is at hand.
func (p *pass) locking(t *lockTable) []inspector.Cursor {
	if p.set.upTo < Hot {
		return nil
	}
	// Anything may have values of the types of package sync.
	named, _ := types.Unalias(t.elem).(*types.Named)
	own := named != nil && !ofSync(named.Obj().Pkg().Path())
	var all []inspector.Cursor
	for c := range p.nodes((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		fn := calleeOf(p.TypesInfo, call)
		if !ofSync(pathOf(fn)) || fn.Signature().Recv() == nil {
			continue
		}
		within := own || slices.ContainsFunc(t.users, func(f inspector.Cursor) bool { return f.Contains(c) })
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && within && p.partOf(sel.X, t.elem) {
			all = append(all, c)
		}
	}
	return all
}

func ofSync(path string) bool { return path == "sync" || path == "sync/atomic" }

// holders returns the functions that hold a lock of a table while they do something:
// the users of the table, and in place of a method Lock or Unlock who calls it. These
// methods are returned, too.
func (p *pass) holders(t *lockTable) (holders []inspector.Cursor, lock map[*types.Func]bool) {
	lock = make(map[*types.Func]bool)
	for _, f := range t.users {
		if decl, ok := f.Node().(*ast.FuncDecl); ok {
			switch decl.Name.Name {
			case "Lock", "RLock", "Unlock", "RUnlock":
				if fn, ok := p.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					lock[fn] = true
					continue
				}
			}
		}
		holders = append(holders, f)
	}
	if len(lock) == 0 {
		return holders, lock
	}
	for c := range p.nodes((*ast.CallExpr)(nil)) {
		fn := calleeOf(p.TypesInfo, c.Node().(*ast.CallExpr))
		if f := functionAround(c); fn != nil && lock[fn.Origin()] && f.Valid() && !slices.Contains(holders, f) {
			holders = append(holders, f)
		}
	}
	return holders, lock
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
