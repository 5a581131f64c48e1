package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// A unifier unites what holds the same channels: variables, results, and calls of
// make.
type unifier struct {
	info      *types.Info
	pkg       *types.Package
	functions *functions
	held      map[ast.Node]bool // literals that are only called through a variable
	parent    map[any]any
	marks     []mark
}

// A mark is something to tell the channel that a node holds.
type mark struct {
	node any
	tell func(*channel)
}

func (u *unifier) root(n any) any {
	for {
		p, ok := u.parent[n]
		if !ok {
			u.parent[n] = n
			return n
		}
		if p == n {
			return n
		}
		u.parent[n] = u.parent[p]
		n = p
	}
}

func (u *unifier) unite(a, b any) { u.parent[u.root(a)] = u.root(b) }

func (u *unifier) mark(n any, tell func(*channel)) {
	u.root(n)
	u.marks = append(u.marks, mark{n, tell})
}

// lose tells that unknown code gets the channel in n, and may have put it there.
func (u *unifier) lose(n any) {
	u.mark(n, func(c *channel) { c.foreign, c.escapes = true, true })
}

func (u *unifier) result() *channels {
	all := &channels{byNode: make(map[any]*channel)}
	at := make(map[any]*channel)
	for _, m := range u.marks {
		root := u.root(m.node)
		c := at[root]
		if c == nil {
			c = new(channel)
			at[root] = c
			all.all = append(all.all, c)
		}
		m.tell(c)
		if v, ok := m.node.(*types.Var); ok && v.Kind() != types.LocalVar {
			c.shared = true
		}
	}
	for n := range u.parent {
		if c := at[u.root(n)]; c != nil {
			all.byNode[n] = c
		}
	}
	return all
}

// visible reports whether something can be seen by other packages.
func (u *unifier) visible(exported bool) bool { return exported && u.pkg.Name() != "main" }

// abandon tells that unknown code may call a function: it gives the parameters, and
// gets the results.
func (u *unifier) abandon(function inspector.Cursor) {
	for v := range signatureOf(u.info, function).Params().Variables() {
		if isChan(v.Type()) {
			u.lose(v)
		}
	}
	u.publish(function)
}

// publish tells that unknown code gets the results of a function.
func (u *unifier) publish(function inspector.Cursor) {
	results := signatureOf(u.info, function).Results()
	for i := range results.Len() {
		if isChan(results.At(i).Type()) {
			u.mark(result{function.Node(), i}, func(c *channel) { c.escapes = true })
		}
	}
}

// function takes in what is done with a function, if e is one: a call that has
// several results, or a mention that is not a call.
func (u *unifier) function(c inspector.Cursor, e ast.Expr) {
	if call, ok := e.(*ast.CallExpr); ok {
		if t, ok := u.info.TypeOf(e).(*types.Tuple); ok {
			u.results(c, call, t)
		}
		return
	}
	if c.ParentEdgeKind() == edge.SelectorExpr_Sel {
		return
	}
	for c.ParentEdgeKind() == edge.ParenExpr_X || c.ParentEdgeKind() == edge.IndexExpr_X || c.ParentEdgeKind() == edge.IndexListExpr_X {
		c = c.Parent()
	}
	if c.ParentEdgeKind() == edge.CallExpr_Fun {
		return
	}
	if id, ok := e.(*ast.Ident); ok && u.info.Uses[id] == nil || c.ParentEdgeKind() == edge.AssignStmt_Lhs {
		return // where it is declared
	}
	if of := u.functions.of(u.info, c, e); of.Valid() {
		u.abandon(of)
	}
}

// results takes in what becomes of several results.
func (u *unifier) results(c inspector.Cursor, call *ast.CallExpr, t *types.Tuple) {
	f := u.functions.of(u.info, c, call.Fun)
	kind, _ := c.ParentEdge()
	for i := range t.Len() {
		if !isChan(t.At(i).Type()) {
			continue
		}
		var from any = call
		if f.Valid() {
			from = result{f.Node(), i}
		} else {
			u.lose(from)
		}
		switch parent := c.Parent().Node().(type) {
		case *ast.AssignStmt, *ast.ValueSpec:
			to, _ := sides(parent)
			u.assign(from, to[i])
		case *ast.ReturnStmt:
			u.returns(functionAround(c), i, from)
		default:
			if kind != edge.ExprStmt_X {
				u.lose(from)
			}
		}
	}
}
