package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// readable reports whether what a write names can be read before its loop and written
// after it without a panic that the loop would not have had: no turn of it may come to
// the write. So the pointers on the way are not nil, and the indices are in range, or
// the loop surely writes.
func (p *pass) readable(w *innerWrite) bool {
	return p.surelyWrites(w) || p.names(w.scope, w.dest)
}

// surelyWrites reports whether the loop of a write has turns, and the first of them
// comes to the write.
func (p *pass) surelyWrites(w *innerWrite) bool {
	for c := w.at; c != w.loop; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.BlockStmt_List:
			// What is before it may go on with the next turn.
			for other := range c.Parent().Preorder((*ast.BranchStmt)(nil)) {
				if other.Node().Pos() < w.at.Node().Pos() {
					return false
				}
			}
		case edge.ForStmt_Body, edge.RangeStmt_Body:
			if n, known := turnsOf(p.TypesInfo, c.Parent().Node()); !known || n < 1 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// names reports whether evaluating the path e in the scope cannot panic.
func (p *pass) names(sc *scope, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return p.names(sc, e.X) && p.pointsSomewhere(sc, e.X)
	case *ast.SelectorExpr:
		sel := p.TypesInfo.Selections[e]
		if sel == nil {
			return true // a variable of another package
		}
		// What is embedded by a pointer on the way is not known.
		if _, pointer := typeUnder(p.TypesInfo, e.X).(*types.Pointer); pointer != sel.Indirect() || pointer && len(sel.Index()) > 1 {
			return false
		}
		return p.names(sc, e.X) && (!sel.Indirect() || p.pointsSomewhere(sc, e.X))
	case *ast.IndexExpr:
		t := typeUnder(p.TypesInfo, e.X)
		if ptr, ok := t.(*types.Pointer); ok {
			if !p.pointsSomewhere(sc, e.X) {
				return false
			}
			t = ptr.Elem().Underlying()
		}
		switch t := t.(type) {
		case *types.Array:
			return p.names(sc, e.X) && p.inArray(sc, e.Index, t.Len())
		case *types.Slice:
			return p.names(sc, e.X) && p.inSlice(sc, e.Index, e.X)
		}
	}
	return false
}

// passed returns what an expression is in the function that passes it: parameters are
// followed to what was passed for them.
func (p *pass) passed(sc *scope, e ast.Expr) (*scope, ast.Expr) {
	for e = ast.Unparen(e); sc != nil; sc = sc.caller {
		v := p.variable(e)
		if v == nil || sc.args[v] == nil || p.reassigned(sc, v) {
			break
		}
		e = ast.Unparen(sc.args[v])
	}
	return sc, e
}

// pointsSomewhere reports whether a pointer is not nil: it is the address of
// something, or a receiver that its method does not compare with nil.
func (p *pass) pointsSomewhere(sc *scope, e ast.Expr) bool {
	_, e = p.passed(sc, e)
	if v := p.variable(e); v != nil {
		if v.Kind() == types.RecvVar {
			return p.neverNil(sc, v)
		}
		value := p.fromTheStart(v)
		if !value.Valid() {
			return false
		}
		e = ast.Unparen(value.Node().(ast.Expr))
	}
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CallExpr:
		return isBuiltin(p.TypesInfo, e, "new")
	}
	return false
}

// neverNil reports whether no method of the goroutine compares its receiver with nil,
// or gives it another value.
func (p *pass) neverNil(sc *scope, receiver *types.Var) bool {
	method := sc.spawn.cur
	for f := range method.Enclosing((*ast.FuncDecl)(nil)) {
		method = f
	}
	for f := sc; f != nil; f = f.caller {
		if within(f.function.Node(), receiver.Pos()) {
			method = f.function
		}
	}
	if !within(method.Node(), receiver.Pos()) || p.assignedIn(method, receiver) {
		return false
	}
	for c := range method.Preorder((*ast.BinaryExpr)(nil)) {
		b := c.Node().(*ast.BinaryExpr)
		for _, x := range []ast.Expr{b.X, b.Y} {
			if p.variable(x) == receiver {
				return false
			}
		}
	}
	return true
}

// fromTheStart returns the only value of a variable that is declared with it; not
// valid if it is zero before, has others, or that is unknown.
func (p *pass) fromTheStart(v *types.Var) inspector.Cursor {
	value := p.functions.value(v)
	if !value.Valid() {
		return value
	}
	var names []ast.Expr
	switch parent := value.Parent().Node().(type) {
	case *ast.AssignStmt:
		names = parent.Lhs
	case *ast.ValueSpec:
		return value
	}
	for _, name := range names {
		if id, ok := name.(*ast.Ident); ok && p.TypesInfo.Defs[id] == v {
			return value
		}
	}
	return inspector.Cursor{}
}

// inArray reports whether an index is below n, and not negative.
func (p *pass) inArray(sc *scope, index ast.Expr, n int64) bool {
	_, index = p.passed(sc, index)
	if i, ok := constantInt(p.TypesInfo, index); ok {
		return 0 <= i && i < n
	}
	bound, of := p.below(sc, index)
	if of != nil {
		a, ok := typeUnder(p.TypesInfo, of).(*types.Array)
		return ok && a.Len() <= n
	}
	if bound == nil {
		return false
	}
	b, ok := constantInt(p.TypesInfo, bound)
	return ok && b <= n
}

// inSlice reports whether an index is one of a slice that was made so long, or that
// the goroutines are started for the elements of.
func (p *pass) inSlice(sc *scope, index, slice ast.Expr) bool {
	_, slice = p.passed(sc, slice)
	v := p.variable(slice)
	if v == nil {
		return false
	}
	_, index = p.passed(sc, index)
	bound, of := p.below(sc, index)
	if of != nil && p.same(of, slice) && p.stays(sc, v) {
		return true
	}
	made := p.fromTheStart(v)
	if !made.Valid() {
		return false
	}
	call, ok := ast.Unparen(made.Node().(ast.Expr)).(*ast.CallExpr)
	if !ok || !isBuiltin(p.TypesInfo, call, "make") || len(call.Args) < 2 {
		return false
	}
	length := call.Args[1]
	if n, ok := constantInt(p.TypesInfo, length); ok {
		return p.inArray(sc, index, n)
	}
	if of != nil {
		l, ok := p.functions.soleOf(p.TypesInfo, length).(*ast.CallExpr)
		return ok && isBuiltin(p.TypesInfo, l, "len") && p.same(l.Args[0], of) && p.remains(sc, of)
	}
	return bound != nil && p.same(bound, length) && p.remains(sc, bound)
}

// below returns what bounds the counter of a loop that starts the goroutine, which
// counts up from zero: a number, or what the loop ranges over.
func (p *pass) below(sc *scope, index ast.Expr) (bound, of ast.Expr) {
	counter := p.variable(index)
	if counter == nil {
		return nil, nil
	}
	for loop := range loopsAround(sc.spawn.cur) {
		switch l := loop.Node().(type) {
		case *ast.RangeStmt:
			if p.variable(l.Key) != counter || p.assignedIn(loop.ChildAt(edge.RangeStmt_Body, -1), counter) {
				continue
			}
			switch typeUnder(p.TypesInfo, l.X).(type) {
			case *types.Basic: // an integer: the keys of a string bound no slice
				return l.X, nil
			case *types.Slice, *types.Array:
				return nil, l.X
			}
		case *ast.ForStmt:
			from, of := startOf(p.TypesInfo, l)
			if of != counter || p.assignedIn(loop.ChildAt(edge.ForStmt_Body, -1), counter) {
				continue
			}
			start, ok := constantInt(p.TypesInfo, from)
			post, counts := l.Post.(*ast.IncDecStmt)
			if to, op := boundOf(p.TypesInfo, l, counter); ok && start >= 0 && counts && post.Tok == token.INC && p.variable(post.X) == counter && op == token.LSS {
				return to, nil
			}
		}
	}
	return nil, nil
}

// remains reports whether an expression has the same value wherever it stands: it is a
// constant, or a variable that is never given another value, or the length of one.
func (p *pass) remains(sc *scope, e ast.Expr) bool {
	if p.TypesInfo.Types[e].Value != nil {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v := p.variable(e)
		return v != nil && p.stays(sc, v)
	case *ast.CallExpr:
		return isBuiltin(p.TypesInfo, e, "len") && p.remains(sc, e.Args[0])
	}
	return false
}

// stays reports whether a variable keeps the value that it begins with.
func (p *pass) stays(sc *scope, v *types.Var) bool {
	switch v.Kind() {
	case types.LocalVar:
		return p.fromTheStart(v).Valid()
	case types.ParamVar:
		for f := range sc.spawn.cur.Enclosing((*ast.FuncDecl)(nil)) {
			return within(f.Node(), v.Pos()) && !p.assignedIn(f, v)
		}
	}
	return false
}
