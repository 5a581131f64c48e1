package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// hasCutoff reports whether something bounds the goroutines that f starts at s: a
// condition on a size or a depth, a semaphore, a branch that goes on without one. One
// hint is enough.
func (p *pass) hasCutoff(s *spawn, f inspector.Cursor) bool {
	if s.method == "TryGo" || s.group != nil && !p.unlimited(s) {
		return true
	}
	// Around the spawn.
	for c := s.cur; c.Valid() && c != f; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.IfStmt_Body, edge.IfStmt_Else:
			n := c.Parent().Node().(*ast.IfStmt)
			if p.bounds(f, n.Cond) {
				return true
			}
			other := n.Else
			if c.ParentEdgeKind() == edge.IfStmt_Else {
				other = n.Body
			}
			if other != nil && p.inlineCall(f, c.Parent(), other) {
				return true
			}
		case edge.CaseClause_Body:
			sw := c.Parent().Parent().Parent() // clause, body, switch
			if tag, ok := sw.Node().(*ast.SwitchStmt); ok && tag.Tag != nil && p.bounds(f, tag.Tag) {
				return true
			}
			if p.boundsAny(f, c.Parent().Node().(*ast.CaseClause)) || p.inlineCall(f, sw, sw.Node()) {
				return true
			}
		case edge.CommClause_Body:
			return true // a token to be had, or else
		case edge.ForStmt_Body:
			if cond := c.Parent().Node().(*ast.ForStmt).Cond; cond != nil && p.boundsByName(f, cond) {
				return true
			}
		}
	}
	// Before it.
	for c := range f.Preorder((*ast.IfStmt)(nil), (*ast.SwitchStmt)(nil), (*ast.SendStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.SelectStmt)(nil)) {
		if c.Node().Pos() >= s.cur.Node().Pos() || c.Contains(s.cur) || functionAround(c) != functionAround(s.cur) && functionAround(c) != f {
			continue
		}
		switch n := c.Node().(type) {
		case *ast.IfStmt:
			if endsFlow(n.Body.List) && (p.bounds(f, n.Cond) || p.works(n.Body, f, c)) {
				return true
			}
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				if clause := s.(*ast.CaseClause); endsFlow(clause.Body) && p.boundsAny(f, clause) {
					return true
				}
			}
		default:
			if p.takes(c) && !exclusive(c, s.cur) {
				return true
			}
		}
	}
	return false
}

// takes reports whether c may wait for a permit: a send, a receive, a call of Acquire.
func (p *pass) takes(c inspector.Cursor) bool {
	call, ok := c.Node().(*ast.CallExpr)
	return ok && isAcquire(p.TypesInfo, call) || communicates(c.Node())
}

// inlineCall reports whether f calls itself in the branch without a goroutine.
func (p *pass) inlineCall(f, c inspector.Cursor, branch ast.Node) bool {
	return slices.ContainsFunc(p.callsOf(f, c, nil), func(call inspector.Cursor) bool {
		return within(branch, call.Node().Pos()) && functionAround(call) == functionAround(c) && call.ParentEdgeKind() != edge.GoStmt_Call
	})
}

// aBound is what a size, a depth or a number of goroutines is compared with.
var aBound = patternOf(`(?i)thresh|cut_?off|depth|level|limit|grain|parallel|concurren|budget|workers|procs|cores|avail|token|chunk|batch|granul|sequential|serial|minsize|min_?len|maxsize`)

// aCutoff is the least constant that is taken for a size below which there are no
// goroutines; smaller ones are taken for the end of the recursion.
const aCutoff = 8

// bounds reports whether the condition looks like one on whether a goroutine pays.
func (p *pass) bounds(f inspector.Cursor, cond ast.Expr) bool {
	return p.boundsByName(f, cond) || contains(cond, func(e ast.Expr) bool {
		i, ok := constantInt(p.TypesInfo, e)
		return ok && i > aCutoff
	})
}

func (p *pass) boundsAny(f inspector.Cursor, clause *ast.CaseClause) bool {
	return slices.ContainsFunc(clause.List, func(e ast.Expr) bool { return p.bounds(f, e) })
}

// boundsByName is bounds by the names of what the condition compares: names of
// bounds, variables of the package, fields, and parameters that all recursive calls
// pass on as they are.
func (p *pass) boundsByName(f inspector.Cursor, cond ast.Expr) bool {
	return contains(cond, func(e ast.Expr) bool {
		switch n := e.(type) {
		case *ast.Ident:
			return aBound.MatchString(n.Name)
		case *ast.BinaryExpr:
			switch n.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				return p.fixed(f, n.X) || p.fixed(f, n.Y)
			}
		}
		return false
	})
}

// fixed reports whether e is a number that stays the same throughout the recursion.
func (p *pass) fixed(f inspector.Cursor, e ast.Expr) bool {
	v := p.variable(e)
	if v == nil {
		return false
	}
	if !within(f.Node(), v.Pos()) {
		return true
	}
	calls := 0
	for c := range f.Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if p.functions.of(p.TypesInfo, c, call.Fun) != f {
			continue
		}
		if arg, ok := p.bind(f, call)[v]; !ok || p.variable(arg) != v {
			return false // no parameter, or another value
		}
		calls++
	}
	return calls > 0
}

// works reports whether a branch that ends the recursion does what is left of the
// work by itself: in a loop, or by a function other than f. A call where a number is
// equal to a constant may be for the smallest case, unless it gets what the recursion divides.
func (p *pass) works(branch *ast.BlockStmt, f, c inspector.Cursor) bool {
	cond, ok := c.Node().(*ast.IfStmt).Cond.(*ast.BinaryExpr)
	compares := ok && cond.Op != token.EQL && cond.Op != token.NEQ
	counts := ok && cond.Op == token.EQL && p.variable(cond.X) != nil
	if counts {
		_, counts = constantInt(p.TypesInfo, cond.Y)
	}
	for c := range c.Preorder((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.CallExpr)(nil)) {
		if !within(branch, c.Node().Pos()) {
			continue
		}
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			return true
		}
		path := pathOf(calleeOf(p.TypesInfo, call))
		if path == "" || path == "sync" || p.functions.of(p.TypesInfo, c, call.Fun) == f {
			continue
		}
		if compares || counts && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
			v := p.variable(arg)
			return v != nil && v != p.variable(cond.X) && p.divides(f, v)
		}) {
			return true
		}
	}
	return false
}

// divides reports whether f calls itself with a part of its parameter v, or with something
// else that is made of it.
func (p *pass) divides(f inspector.Cursor, v *types.Var) bool {
	return slices.ContainsFunc(p.callsOf(f, f, nil), func(c inspector.Cursor) bool {
		arg := p.bind(f, c.Node().(*ast.CallExpr))[v]
		if arg == nil {
			return false
		}
		made := p.functions.soleOf(p.TypesInfo, arg)
		return p.variable(made) != v && contains(made, func(id *ast.Ident) bool { return p.variable(id) == v })
	})
}

// isAcquire reports whether the call takes a permit, by its name.
func isAcquire(info *types.Info, call *ast.CallExpr) bool {
	fn := calleeOf(info, call)
	if fn == nil {
		return false
	}
	switch fn.Name() {
	case "Acquire", "TryAcquire", "acquire", "tryAcquire", "Take", "take", "Begin":
		return true
	case "Wait": // of a rate
		return pathOf(fn) != "sync"
	case "Add": // of a number of goroutines that is then compared
		return pathOf(fn) == "sync/atomic"
	}
	return false
}
