package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// A scope is a function as a goroutine runs it.
type scope struct {
	spawn    *spawn
	function inspector.Cursor
	args     map[*types.Var]ast.Expr // what the parameters are called with
	caller   *scope                  // nil for the function that the goroutine begins with
}

// An innerWrite is an assignment that a goroutine repeats in a loop of its own.
type innerWrite struct {
	at     inspector.Cursor // the statement, or the call of an atomic operation
	dest   ast.Expr
	scope  *scope
	loop   inspector.Cursor // the outermost in the function of scope
	atomic bool
	busy   bool // the loop does little else than such writes, and lasts
}

// innerWrites returns what the goroutine of s writes in its loops, those of
// functions that it calls outside of loops included.
func (p *pass) innerWrites(s *spawn) []innerWrite {
	if !s.target.Valid() {
		return nil
	}
	sc := &scope{spawn: s, function: s.target, args: p.bind(s.target, s.call)}
	list := p.writesIn(sc)
	for c := range inBody(s.target, (*ast.CallExpr)(nil)) {
		if innermostLoop(c).Valid() {
			continue
		}
		call := c.Node().(*ast.CallExpr)
		callee := p.functions.of(p.TypesInfo, c, call.Fun)
		if !callee.Valid() || callee == s.target {
			continue
		}
		list = append(list, p.writesIn(&scope{spawn: s, function: callee, args: p.bind(callee, call), caller: sc})...)
	}
	return list
}

// bind returns which argument of call each parameter of the function gets; none if call
// is nil.
func (p *pass) bind(function inspector.Cursor, call *ast.CallExpr) map[*types.Var]ast.Expr {
	args := make(map[*types.Var]ast.Expr)
	if call == nil {
		return args
	}
	sig := signatureOf(p.TypesInfo, function)
	given := call.Args
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && sig.Recv() != nil {
		recv := sel.X
		if p.TypesInfo.Types[recv].IsType() && len(given) > 0 { // a method expression
			recv, given = given[0], given[1:]
		}
		if sig.Recv().Name() != "" {
			args[sig.Recv()] = recv
		}
	}
	single := sig.Params().Len()
	if sig.Variadic() {
		single--
	}
	for i := range min(single, len(given)) {
		if v := sig.Params().At(i); v.Name() != "" {
			args[v] = given[i]
		}
	}
	return args
}

// inBody yields the nodes of the given types in a function, or in a part of one, those in
// function literals within left out.
func inBody(part inspector.Cursor, types ...ast.Node) iter.Seq[inspector.Cursor] {
	function := part
	if bodyOf(part) == nil {
		function = functionAround(part)
	}
	return func(yield func(inspector.Cursor) bool) {
		for c := range part.Preorder(types...) {
			if functionAround(c) == function && !yield(c) {
				return
			}
		}
	}
}

// writesIn returns what the function of sc writes in its loops.
func (p *pass) writesIn(sc *scope) []innerWrite {
	var list []innerWrite
	for c := range inBody(sc.function, (*ast.AssignStmt)(nil), (*ast.IncDecStmt)(nil), (*ast.CallExpr)(nil)) {
		if !innermostLoop(c).Valid() {
			continue
		}
		add := func(dest ast.Expr, atomic bool) {
			if _, name := ast.Unparen(dest).(*ast.Ident); name {
				return // no part of something
			}
			w := innerWrite{at: c, dest: dest, scope: sc, atomic: atomic}
			if p.repeats(&w) {
				list = append(list, w)
			}
		}
		switch n := c.Node().(type) {
		case *ast.IncDecStmt:
			add(n.X, false)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				continue
			}
			for _, dest := range n.Lhs {
				add(dest, false)
			}
		case *ast.CallExpr:
			if dest := atomicOperand(p.TypesInfo, n); dest != nil {
				add(dest, true)
			}
		}
	}
	return list
}

func within(n ast.Node, pos token.Pos) bool { return n.Pos() <= pos && pos < n.End() }

// atomicOperand returns what a call of package sync/atomic writes; nil if it is no
// such call, or only reads.
func atomicOperand(info *types.Info, call *ast.CallExpr) ast.Expr {
	fn := calleeOf(info, call)
	if pathOf(fn) != "sync/atomic" || strings.HasPrefix(fn.Name(), "Load") {
		return nil
	}
	if fn.Signature().Recv() != nil {
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			return sel.X
		}
		return nil
	}
	if len(call.Args) > 0 {
		if addr, ok := ast.Unparen(call.Args[0]).(*ast.UnaryExpr); ok && addr.Op == token.AND {
			return addr.X
		}
		return &ast.StarExpr{Star: call.Args[0].Pos(), X: call.Args[0]} // which no file has
	}
	return nil
}

// repeats finds the loops of a write, and reports whether it is one that happens in
// many rounds. A write after which the loop ends happens once, one to a slot that a
// condition compares, as of a maximum, less and less often, and errors are rare.
func (p *pass) repeats(w *innerWrite) bool {
	innermost := innermostLoop(w.at)
	if leavesAfter(w.at, innermost) {
		return false
	}
	for c := w.at; c != innermost; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.IfStmt_Body, edge.IfStmt_Else:
			cond := c.Parent().Node().(*ast.IfStmt).Cond
			if mentions(cond, types.ExprString(w.dest)) || p.onError(cond, c.ParentEdgeKind()) {
				return false
			}
		}
	}
	var lasting inspector.Cursor // the innermost loop that does
	for loop := range loopsAround(w.at) {
		w.loop = loop
		if n, known := turnsOf(p.TypesInfo, loop.Node()); !lasting.Valid() && (!known || n >= fewRounds) {
			lasting = loop
		}
	}
	w.busy = lasting.Valid() && p.busy(lasting, w.at)
	return true
}

// onError reports whether the branch of a condition is the one for an error.
func (p *pass) onError(cond ast.Expr, branch edge.Kind) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || !isError(p.TypesInfo.TypeOf(b.X)) && !isError(p.TypesInfo.TypeOf(b.Y)) {
		return false
	}
	return b.Op == token.NEQ && branch == edge.IfStmt_Body || b.Op == token.EQL && branch == edge.IfStmt_Else
}

func mentions(where ast.Expr, text string) bool {
	return contains(where, func(e ast.Expr) bool { return types.ExprString(e) == text })
}
