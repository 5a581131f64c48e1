package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// mention takes in what is done with the channel that e, the expression at c, is.
func (u *unifier) mention(c inspector.Cursor, e ast.Expr) {
	if u.info.Types[e].IsType() {
		return
	}
	if k := c.ParentEdgeKind(); k == edge.SelectorExpr_Sel || k == edge.KeyValueExpr_Key {
		return // it is taken in with the selector, or with the value
	}
	var n any
	switch e := e.(type) {
	case *ast.CallExpr:
		switch f := u.functions.of(u.info, c, e.Fun); {
		case u.info.Types[e.Fun].IsType():
			return // a conversion: what is converted has been seen through it
		case isBuiltin(u.info, e, "make"):
			n = e
			u.mark(n, func(ch *channel) { ch.makes = append(ch.makes, c) })
		case f.Valid():
			n = result{f.Node(), 0}
		default:
			n = e
			u.lose(n)
		}
	default:
		n = u.variable(objectOf(u.info, e))
	}
	if n == nil {
		return // nil itself
	}
	elem := u.info.TypeOf(e).Underlying().(*types.Chan).Elem()
	u.mark(n, func(ch *channel) { ch.elem = elem })
	u.use(c, n)
}

func (u *unifier) variable(obj types.Object) any {
	v, ok := obj.(*types.Var)
	if !ok {
		return nil
	}
	v = v.Origin()
	if v.Pkg() != u.pkg || u.visible(v.Exported()) && (v.IsField() || v.Kind() == types.PackageVar) {
		u.lose(v)
	}
	return v
}

// use takes in what is done with the channel in n, that the expression at c is.
func (u *unifier) use(c inspector.Cursor, n any) {
	for {
		if c.ParentEdgeKind() == edge.CallExpr_Args && u.info.Types[c.Parent().Node().(*ast.CallExpr).Fun].IsType() {
			if !isChan(u.info.TypeOf(c.Parent().Node().(ast.Expr))) {
				break
			}
		} else if c.ParentEdgeKind() != edge.ParenExpr_X {
			break
		}
		c = c.Parent()
	}
	kind, i := c.ParentEdge()
	parent := c.Parent()
	switch kind {
	case edge.SendStmt_Chan:
		u.mark(n, func(ch *channel) { ch.sends = append(ch.sends, parent) })
	case edge.RangeStmt_X:
		u.mark(n, func(ch *channel) { ch.receives = append(ch.receives, parent) })
	case edge.UnaryExpr_X:
		if parent.Node().(*ast.UnaryExpr).Op != token.ARROW {
			u.lose(n)
			break
		}
		u.mark(n, func(ch *channel) { ch.receives = append(ch.receives, parent) })
	case edge.CallExpr_Args:
		u.argument(parent, n, i)
	case edge.AssignStmt_Rhs, edge.ValueSpec_Values:
		if to, values := sides(parent.Node()); len(to) == len(values) {
			u.assign(n, to[i])
		}
	case edge.AssignStmt_Lhs, edge.ValueSpec_Names:
		if to, values := sides(parent.Node()); len(to) == len(values) {
			u.source(n, values[i])
		} else if len(values) == 1 {
			if _, ok := ast.Unparen(values[0]).(*ast.CallExpr); !ok {
				u.lose(n) // an element of something
			}
		}
	case edge.ReturnStmt_Results:
		u.returns(functionAround(c), i, n)
	case edge.Field_Names:
		u.name(c, n)
	case edge.KeyValueExpr_Value:
		u.field(parent.Parent(), n, parent.Node().(*ast.KeyValueExpr).Key, 0)
	case edge.CompositeLit_Elts:
		u.field(parent, n, nil, i)
	case edge.BinaryExpr_X, edge.BinaryExpr_Y, edge.ExprStmt_X:
	default:
		u.lose(n)
	}
}

// assign takes in that the channel in n is assigned to what to names.
func (u *unifier) assign(n any, to ast.Expr) {
	if lastName(to) == "_" {
		return
	}
	if v, ok := objectOf(u.info, to).(*types.Var); ok && isChan(v.Type()) {
		u.unite(n, u.variable(v))
	} else {
		u.lose(n)
	}
}

// source takes in where the channel in n comes from, where that is not an expression
// that is mentioned.
func (u *unifier) source(n any, from ast.Expr) {
	switch from := ast.Unparen(from).(type) {
	case *ast.Ident, *ast.SelectorExpr:
	case *ast.CallExpr:
		if u.info.Types[from.Fun].IsType() && len(from.Args) == 1 {
			u.source(n, from.Args[0])
		}
	default:
		u.lose(n)
	}
}

// argument takes in that the channel in n is the argument i of the call at c.
func (u *unifier) argument(c inspector.Cursor, n any, i int) {
	call := c.Node().(*ast.CallExpr)
	switch {
	case isBuiltin(u.info, call, "close"):
		u.mark(n, func(ch *channel) { ch.closes = append(ch.closes, c) })
		return
	case isBuiltin(u.info, call, "len"), isBuiltin(u.info, call, "cap"):
		return
	}
	f := u.functions.of(u.info, c, call.Fun)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.Valid() {
		if s := u.info.Selections[sel]; s != nil && s.Kind() == types.MethodExpr {
			f = inspector.Cursor{} // the receiver is the first argument
		}
	}
	if !f.Valid() {
		u.lose(n)
		return
	}
	params := signatureOf(u.info, f).Params()
	if params.Len() == 0 {
		return
	}
	switch v := params.At(min(i, params.Len()-1)); {
	case v.Name() == "": // the function has no use for it
	case isChan(v.Type()):
		u.unite(n, v)
	case v.Name() != "_":
		u.lose(n) // it becomes an interface, or one of a variadic parameter's
	}
}

// name takes in the declaration of a field, a parameter or a result at c.
func (u *unifier) name(c inspector.Cursor, n any) {
	of := functionAround(c)
	if !of.Valid() {
		return
	}
	results := signatureOf(u.info, of).Results()
	for i := range results.Len() {
		if results.At(i) == n {
			u.returns(of, i, n)
		}
	}
}

// returns takes in that the channel in n is the result i of a function.
func (u *unifier) returns(f inspector.Cursor, i int, n any) {
	r := result{f.Node(), i}
	u.unite(n, r)
	u.mark(r, func(ch *channel) { ch.returned = append(ch.returned, f) })
}

// field takes in that the channel in n is an element of the literal at c: the field
// called key, or of that index.
func (u *unifier) field(c inspector.Cursor, n any, key ast.Expr, i int) {
	lit, ok := c.Node().(*ast.CompositeLit)
	if !ok {
		u.lose(n)
		return
	}
	t := typeUnder(u.info, lit)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying() // an element of a literal, its type left out
	}
	s, ok := t.(*types.Struct)
	if !ok {
		u.lose(n)
		return
	}
	if key != nil {
		u.assign(n, key)
		return
	}
	if v := s.Field(i); isChan(v.Type()) {
		u.unite(n, v.Origin())
	} else {
		u.lose(n)
	}
}
