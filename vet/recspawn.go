package vet

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
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
		for s := range p.spawns() {
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
		name := p.nameOf(f)
		loop, perChild := p.loopWithin(s, f)
		switch {
		case p.hasCutoff(s, f):
		case perChild:
			if _, known := rounds(p.TypesInfo, loop); known {
				continue // a few fixed ones: too much like a test
			}
			told[f] = true
			p.report(Info, analysis.Diagnostic{
				Pos: s.cur.Node().Pos(),
				End: s.fun.Pos(),
				Message: fmt.Sprintf("%s starts a goroutine for each child, at every level: as many as there are nodes, all at once, "+
					"each with a stack and a wait for the scheduler; "+
					"let sweetspot.Walk visit the nodes with as many goroutines as gain something, or start some workers", name),
			})
		case p.forks(s, f, inside):
			told[f] = true
			p.report(Quiet, analysis.Diagnostic{
				Pos: s.cur.Node().Pos(),
				End: s.fun.Pos(),
				Message: fmt.Sprintf("%s starts a goroutine at every level of its recursion, down to the smallest, "+
					"where starting one takes far longer than what it computes: that can be 100 times slower than none; "+
					"recurse without goroutines below some size, or let sweetspot.Join find it", name),
			})
		}
	}
}

// nameOf returns what the code calls the function.
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
	passed := make(map[*types.Var]ast.Expr)
	if s.call != nil {
		p.bind(passed, s.target, s.call)
	}
	return p.callsOf(f, s.target, passed)
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
	args := make(map[*types.Var]ast.Expr)
	p.bind(args, f, call)
	for v, arg := range args {
		if p.variable(arg) == v {
			continue
		}
		if from, ok := passed[p.variable(arg)]; !ok || p.variable(from) != v {
			return false
		}
	}
	return true
}

// variable returns the variable that e is; nil if it is none.
func (p *pass) variable(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := p.TypesInfo.Uses[id].(*types.Var)
	return v
}

// loopWithin returns the loop of f that starts s again and again.
func (p *pass) loopWithin(s *spawn, f inspector.Cursor) (inspector.Cursor, bool) {
	for c := s.cur; c.Valid() && c != f; c = functionAround(c) {
		if loop := innermostLoop(c); loop.Valid() && !leavesAfter(c, loop) {
			return loop, true
		}
	}
	return inspector.Cursor{}, false
}

// leavesAfter reports whether the loop ends with the round that reaches c.
func leavesAfter(c, loop inspector.Cursor) bool {
	for ; c != loop; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.BlockStmt_List, edge.CaseClause_Body, edge.CommClause_Body:
			if last, _ := c.Parent().LastChild(); leaves(last.Node()) {
				return true
			}
		}
	}
	return false
}

// forks reports whether f goes on both in the goroutine of s and elsewhere.
func (p *pass) forks(s *spawn, f inspector.Cursor, inside []inspector.Cursor) bool {
	for _, c := range p.callsOf(f, f, nil) {
		if slices.ContainsFunc(inside, func(i inspector.Cursor) bool { return i.Contains(c) || c == i }) ||
			s.cur.Contains(c) || s.target != f && s.target.Contains(c) {
			continue
		}
		if !exclusive(s.cur, c) && !exclusive(c, s.cur) {
			return true
		}
	}
	// go helper(…), go helper(…) where the helper calls f.
	for _, other := range p.functions.spawns {
		if other != s && f.Contains(other.cur) && len(p.spawnedCalls(other, f)) > 0 &&
			!exclusive(s.cur, other.cur) && !exclusive(other.cur, s.cur) {
			return true
		}
	}
	return false
}

// hasCutoff reports whether something bounds the goroutines that f starts at s: a
// condition on a size or a depth, a semaphore, a branch that goes on without one. One
// hint is enough.
func (p *pass) hasCutoff(s *spawn, f inspector.Cursor) bool {
	if s.method == "TryGo" || p.limited(s) {
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
			for _, e := range c.Parent().Node().(*ast.CaseClause).List {
				if p.bounds(f, e) {
					return true
				}
			}
			if p.inlineCall(f, sw, sw.Node()) {
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
			for _, clause := range n.Body.List {
				clause := clause.(*ast.CaseClause)
				if endsFlow(clause.Body) && slices.ContainsFunc(clause.List, func(e ast.Expr) bool { return p.bounds(f, e) }) {
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
	switch n := c.Node().(type) {
	case *ast.SendStmt, *ast.SelectStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	case *ast.CallExpr:
		return isAcquire(p.TypesInfo, n)
	}
	return false
}

// inlineCall reports whether f calls itself in the branch without a goroutine.
func (p *pass) inlineCall(f, c inspector.Cursor, branch ast.Node) bool {
	for _, call := range p.callsOf(f, c, nil) {
		if n := call.Node(); within(branch, n.Pos()) && functionAround(call) == functionAround(c) && call.ParentEdgeKind() != edge.GoStmt_Call {
			return true
		}
	}
	return false
}

// aBound is what a size, a depth or a number of goroutines is compared with.
var aBound = regexp.MustCompile(`(?i)thresh|cut_?off|depth|level|limit|grain|parallel|concurren|budget|workers|procs|cores|avail|token|chunk|batch|granul|sequential|serial|minsize|min_?len|maxsize`)

// aCutoff is the least constant that is taken for a size below which there are no
// goroutines; smaller ones are taken for the end of the recursion.
const aCutoff = 8

// bounds reports whether the condition looks like one on whether a goroutine pays.
func (p *pass) bounds(f inspector.Cursor, cond ast.Expr) bool {
	if p.boundsByName(f, cond) {
		return true
	}
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if v := p.TypesInfo.Types[e].Value; v != nil && v.Kind() == constant.Int {
			if i, ok := constant.Int64Val(v); ok && i > aCutoff {
				found = true
			}
		}
		return !found
	})
	return found
}

// boundsByName is bounds by the names of what the condition compares: names of
// bounds, variables of the package, fields, and parameters that all recursive calls
// pass on as they are.
func (p *pass) boundsByName(f inspector.Cursor, cond ast.Expr) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if aBound.MatchString(n.Name) {
				found = true
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				if p.fixed(f, n.X) || p.fixed(f, n.Y) {
					found = true
				}
			}
		}
		return !found
	})
	return found
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
		args := make(map[*types.Var]ast.Expr)
		p.bind(args, f, call)
		arg, ok := args[v]
		if !ok {
			return false // no parameter
		}
		if p.variable(arg) != v {
			return false
		}
		calls++
	}
	return calls > 0
}

// works reports whether a branch that ends the recursion does what is left of the
// work by itself: in a loop, or by a function other than f.
func (p *pass) works(branch *ast.BlockStmt, f, c inspector.Cursor) bool {
	cond, ok := c.Node().(*ast.IfStmt).Cond.(*ast.BinaryExpr)
	compares := ok && cond.Op != token.EQL && cond.Op != token.NEQ
	for c := range c.Preorder((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.CallExpr)(nil)) {
		if !within(branch, c.Node().Pos()) {
			continue
		}
		call, ok := c.Node().(*ast.CallExpr)
		if !ok {
			return true
		}
		fn, ok := typeutil.Callee(p.TypesInfo, call).(*types.Func)
		if compares && ok && fn.Pkg() != nil && fn.Pkg().Path() != "sync" && p.functions.of(p.TypesInfo, c, call.Fun) != f {
			return true
		}
	}
	return false
}

// isAcquire reports whether the call takes a permit, by its name.
func isAcquire(info *types.Info, call *ast.CallExpr) bool {
	fn, ok := typeutil.Callee(info, call).(*types.Func)
	if !ok {
		return false
	}
	switch fn.Name() {
	case "Acquire", "TryAcquire", "acquire", "tryAcquire", "Take", "take", "Begin":
		return true
	case "Wait": // of a rate
		return fn.Pkg() == nil || fn.Pkg().Path() != "sync"
	case "Add": // of a number of goroutines that is then compared
		return fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic"
	}
	return false
}

// limited reports whether the group of s bounds its goroutines by itself.
func (p *pass) limited(s *spawn) bool {
	if s.group == nil {
		return false
	}
	if t := p.TypesInfo.TypeOf(s.group); t != nil {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
			switch named.Obj().Pkg().Path() {
			case "sync", "golang.org/x/sync/errgroup":
			default:
				return true // pools and groups of others: who knows
			}
		}
	}
	group := baseOf(s.group)
	if group == nil {
		return true
	}
	root := p.TypesInfo.Uses[group]
	for c := range p.inspector.Root().Preorder((*ast.SelectorExpr)(nil)) {
		sel := c.Node().(*ast.SelectorExpr)
		if sel.Sel.Name != "SetLimit" {
			continue
		}
		if id := baseOf(sel.X); id != nil && p.TypesInfo.Uses[id] == root {
			return true
		}
	}
	return false
}

// frontierSpawn reports s if a loop over a channel starts it for each value, and it
// sends further values to the same channel in a loop of its own: a walk through a
// graph with a goroutine for each node.
func (p *pass) frontierSpawn(s *spawn) {
	loop := innermostLoop(s.cur)
	if !loop.Valid() {
		return
	}
	channel := p.channelOf(loop)
	if channel == nil || p.limited(s) || p.acquiresIn(loop, s) {
		return
	}
	if !p.sendsInLoop(s.cur, channel) && (!s.target.Valid() || !p.sendsInLoop(s.target, channel)) {
		return
	}
	p.report(Info, analysis.Diagnostic{
		Pos: s.cur.Node().Pos(),
		End: s.fun.Pos(),
		Message: fmt.Sprintf("this starts a goroutine for each value of %s, to which these goroutines send again: as many as there are nodes, "+
			"that queue for one channel; let sweetspot.Walk visit the nodes with as many goroutines as gain something", channel.Name()),
	})
}

// channelOf returns the channel that the loop receives from at its head.
func (p *pass) channelOf(loop inspector.Cursor) types.Object {
	l, ok := loop.Node().(*ast.RangeStmt)
	if !ok {
		return nil
	}
	if _, ok := p.TypesInfo.TypeOf(l.X).Underlying().(*types.Chan); !ok {
		return nil
	}
	return p.pathObject(l.X)
}

// pathObject returns the variable or field that e names.
func (p *pass) pathObject(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return p.TypesInfo.Uses[e]
	case *ast.SelectorExpr:
		return p.TypesInfo.Uses[e.Sel]
	}
	return nil
}

// sendsInLoop reports whether the code below f sends to the channel in a loop within a
// function, by itself or by a function of this package that it calls or passes on.
func (p *pass) sendsInLoop(f inspector.Cursor, channel types.Object) bool {
	for c := range f.Preorder((*ast.SendStmt)(nil)) {
		if p.pathObject(c.Node().(*ast.SendStmt).Chan) == channel && inLoopOf(f, c) {
			return true
		}
	}
	for c := range f.Preorder((*ast.Ident)(nil)) {
		callee := p.functions.of(p.TypesInfo, c, c.Node().(ast.Expr))
		if !callee.Valid() || callee == f || callee.Contains(f) {
			continue
		}
		called := c.ParentEdgeKind() == edge.CallExpr_Fun
		if called && !inLoopOf(f, c) {
			continue
		}
		for send := range callee.Preorder((*ast.SendStmt)(nil)) {
			if p.pathObject(send.Node().(*ast.SendStmt).Chan) == channel {
				return true
			}
		}
	}
	return false
}

// inLoopOf reports whether c stands in a loop that is itself below f.
func inLoopOf(f, c inspector.Cursor) bool {
	loop := innermostLoop(c)
	return loop.Valid() && f.Contains(loop)
}

// acquiresIn reports whether the loop takes a permit before it starts s.
func (p *pass) acquiresIn(loop inspector.Cursor, s *spawn) bool {
	for c := range loop.Preorder((*ast.SendStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil)) {
		if c.Node().Pos() >= s.cur.Node().Pos() || functionAround(c) != functionAround(s.cur) {
			continue
		}
		if p.takes(c) {
			return true
		}
	}
	return false
}
