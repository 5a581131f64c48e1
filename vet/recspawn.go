package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

var recSpawn = &check{
	name: "recspawn",
	doc: `report recursions that start a goroutine at every level, down to the smallest

	func fib(n int) int {
		if n < 2 {
			return n
		}
		c := make(chan int)
		go func() { c <- fib(n - 1) }()
		return fib(n-2) + <-c
	}

Nearly all of these goroutines compute less than starting them takes. A recursion
needs a size below which it goes on alone; sweetspot.Join finds it by measuring.

With -info it also reports goroutines for each child of a node, by a recursion or by a
loop over a channel to which the goroutines send the children.`,
	surest: Quiet,
	run: func(p *pass) {
		told := make(map[inspector.Cursor]bool)
		for _, s := range p.spawns() {
			p.recSpawn(s, told)
			p.frontierSpawn(s)
		}
	},
}

// recSpawn reports s if it lets a function call itself in a goroutine.
func (p *pass) recSpawn(s *spawn, told map[inspector.Cursor]bool) {
	for f := functionAround(s.cur); f.Valid(); f = functionAround(f) {
		inside := p.spawnedCalls(s, f)
		if len(inside) == 0 || told[f] {
			continue
		}
		tell := func(grade Grade, message string) {
			told[f] = true
			p.report(grade, analysis.Diagnostic{Pos: s.cur.Node().Pos(), End: s.fun.Pos(), Message: p.nameOf(f) + message})
		}
		loop := loopWithin(s, f)
		switch {
		case p.hasCutoff(s, f):
		case loop.Valid():
			if _, known := turnsOf(p.TypesInfo, loop.Node()); known {
				continue // a few fixed ones: too much like a test
			}
			tell(Info, " starts a goroutine for each child, at every level: as many as there are nodes, all at once, "+
				"each with a stack and a wait for the scheduler; "+
				"let sweetspot.Walk visit the nodes with as many goroutines as gain something, or start some workers")
		case p.forks(s, f, inside):
			tell(Quiet, " starts a goroutine at every level of its recursion, down to the smallest, "+
				"where starting one takes far longer than what it computes: that can be 100 times slower than none; "+
				"recurse without goroutines below some size, or let sweetspot.Join find it")
		}
	}
}

func (p *pass) nameOf(f inspector.Cursor) string {
	if decl, ok := f.Node().(*ast.FuncDecl); ok {
		return decl.Name.Name
	}
	for v, value := range p.functions.values {
		if value.Valid() && value.Node() == f.Node() {
			return v.Name()
		}
	}
	return "the function"
}

// spawnedCalls returns the calls of f in the goroutine of s: in the go statement, in
// the function literal that it runs, or in the function of this package.
func (p *pass) spawnedCalls(s *spawn, f inspector.Cursor) []inspector.Cursor {
	if s.target == f {
		return []inspector.Cursor{s.cur} // go f(…), or g.Go(f)
	}
	if !s.target.Valid() {
		return nil
	}
	return p.callsOf(f, s.target, p.bind(s.target, s.call))
}

// callsOf returns the calls of f below c that go on with other arguments than f has
// got: those with the same ones start it anew, as after a failure. Passed is what the
// parameters of the function at c have got from f, if it is another one.
func (p *pass) callsOf(f, c inspector.Cursor, passed map[*types.Var]ast.Expr) []inspector.Cursor {
	var list []inspector.Cursor
	for c := range c.Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if p.functions.of(p.TypesInfo, c, call.Fun) == f && !p.anew(f, call, passed) {
			list = append(list, c)
		}
	}
	return list
}

// anew reports whether the call passes nothing but the parameters of f themselves.
func (p *pass) anew(f inspector.Cursor, call *ast.CallExpr, passed map[*types.Var]ast.Expr) bool {
	for v, arg := range p.bind(f, call) {
		if p.variable(arg) == v {
			continue
		}
		if from, ok := passed[p.variable(arg)]; !ok || p.variable(from) != v {
			return false
		}
	}
	return true
}

// variable returns the variable that e names; nil if it names none.
func (p *pass) variable(e ast.Expr) *types.Var { return varOf(p.TypesInfo, e) }

// loopWithin returns the loop of f that starts s again and again; not valid if there is none.
func loopWithin(s *spawn, f inspector.Cursor) inspector.Cursor {
	for c := s.cur; c.Valid() && c != f; c = functionAround(c) {
		if loop := innermostLoop(c); loop.Valid() && !leavesAfter(c, loop) {
			return loop
		}
	}
	return inspector.Cursor{}
}

// leavesAfter reports whether the loop ends with the round that reaches c.
func leavesAfter(c, loop inspector.Cursor) bool {
	for ; c != loop; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
			if last, _ := c.Parent().LastChild(); leaves(last.Node(), loop) {
				return true
			}
		}
	}
	return false
}

// forks reports whether f goes on both in the goroutine of s and elsewhere.
func (p *pass) forks(s *spawn, f inspector.Cursor, inside []inspector.Cursor) bool {
	for _, c := range p.callsOf(f, f, nil) {
		if slices.ContainsFunc(inside, func(i inspector.Cursor) bool { return i.Contains(c) }) ||
			s.cur.Contains(c) || s.target != f && s.target.Contains(c) {
			continue
		}
		if !exclusive(s.cur, c) && !exclusive(c, s.cur) {
			return true
		}
	}
	// go helper(…), go helper(…) where the helper calls f.
	return slices.ContainsFunc(p.functions.spawns, func(other *spawn) bool {
		return other != s && f.Contains(other.cur) && len(p.spawnedCalls(other, f)) > 0 &&
			!exclusive(s.cur, other.cur) && !exclusive(other.cur, s.cur)
	})
}
