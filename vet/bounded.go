package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// bounded reports whether something holds the loop back while its goroutines run.
func (p *pass) bounded(s *spawn, loop inspector.Cursor) bool {
	if s.method == "TryGo" || s.group != nil && !p.unlimited(s) {
		return true
	}
	start := s.statement()
	return some(inBody(loop), func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.SendStmt:
			return true
		case *ast.UnaryExpr:
			// To look whether the work is to end holds nothing back.
			return n.Op == token.ARROW && !isDone(n.X)
		case *ast.CallExpr:
			return holdsBack.MatchString(lastName(n.Fun))
		case *ast.BranchStmt:
			// It ends with the goroutine that it has started.
			return n.Tok == token.BREAK && n.Pos() > start.Node().End() && c.Parent() == start.Parent()
		case *ast.ReturnStmt:
			return n.Pos() > start.Node().End() && c.Parent() == start.Parent()
		}
		return false
	})
}

// holdsBack matches the names of functions that wait until there is room for more
// work, or that wait for a peer.
var holdsBack = patternOf(`(?i)^(try)?(acquire|wait|take|limit|allow|reserve|throttle|accept|borrow|receive|recv|checkout|dequeue|sleep|poll)`)

// isDone reports whether a channel tells that something is over.
func isDone(e ast.Expr) bool {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return lastName(call.Fun) == "Done"
	}
	return aboutEnd.MatchString(lastName(e))
}

var aboutEnd = patternOf(`(?i)done|quit|stop|exit|clos|cancel|shutdown|abort`)

// unlimited reports whether a group is of a kind that starts whatever it gets, and
// has not been given a limit.
func (p *pass) unlimited(s *spawn) bool {
	if s.plain {
		return true
	}
	n, ok := types.Unalias(deref(p.TypesInfo.TypeOf(s.group))).(*types.Named)
	if !ok || n.Obj().Name() != "Group" {
		return false
	}
	limits, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), "SetLimit")
	if limits == nil {
		return false
	}
	name := types.ExprString(s.group)
	around := s.cur
	for f := range s.cur.Enclosing((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		around = f // the outermost in the end
	}
	for c := range around.Preorder((*ast.CallExpr)(nil)) {
		sel, ok := ast.Unparen(c.Node().(*ast.CallExpr).Fun).(*ast.SelectorExpr)
		if ok && (sel.Sel.Name == "SetLimit" || sel.Sel.Name == "SetLimiter") && types.ExprString(sel.X) == name {
			return false
		}
	}
	// One that comes from elsewhere may have got its limit there.
	v := p.variable(s.group)
	return v != nil && v.Kind() == types.LocalVar && p.staysHere(around, v, n.Obj().Pkg())
}

// staysHere reports whether a group, of the package of, is made where it is declared, and
// goes nowhere else than to its methods.
func (p *pass) staysHere(around inspector.Cursor, v *types.Var, of *types.Package) bool {
	for c := range around.Preorder((*ast.Ident)(nil)) {
		if p.TypesInfo.ObjectOf(c.Node().(*ast.Ident)) != v {
			continue
		}
		switch kind, i := c.ParentEdge(); kind {
		case edge.SelectorExpr_X:
		case edge.AssignStmt_Lhs, edge.ValueSpec_Names:
			if _, values := sides(c.Parent().Node()); len(values) > 0 && !p.makesGroup(values[min(i, len(values)-1)], of) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// makesGroup reports whether e is a new group without a limit: the zero value of its type, or
// what a function of its package of returns, such as errgroup.WithContext.
func (p *pass) makesGroup(e ast.Expr, of *types.Package) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return ok && e.Op == token.AND
	case *ast.CallExpr:
		// Of this package it may be one that sets a limit.
		return isBuiltin(p.TypesInfo, e, "new") || of != p.Pkg && pathOf(calleeOf(p.TypesInfo, e)) == of.Path()
	}
	return false
}

// lasting reports whether the goroutine lives on, or waits its turn: then it is not
// work for one element.
func (p *pass) lasting(s *spawn) bool {
	if lives.MatchString(lastName(s.fun)) {
		return true
	}
	body := bodyOf(s.target)
	if body == nil {
		return false
	}
	if len(body.List) == 1 {
		if _, ok := body.List[0].(*ast.SendStmt); ok {
			return true // it hands over what nobody may take yet
		}
	}
	around := functionAround(s.cur)
	return s.target == around || some(s.target.Preorder(), func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.ForStmt:
			return n.Cond == nil && n.Post == nil
		case *ast.RangeStmt:
			return isChan(p.TypesInfo.TypeOf(n.X))
		case *ast.CallExpr:
			// A recursion is another check's.
			return lives.MatchString(lastName(n.Fun)) || p.functions.of(p.TypesInfo, c, n.Fun) == around
		}
		return false
	})
}

// lives matches the names of functions that run until somebody ends them.
var lives = patternOf(`^(?i:run|serve|watch|listen|loop|worker|poll|monitor|start|consume|keep|subscribe|acquire)`)
