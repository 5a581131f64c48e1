package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// A producer is a loop that sends.
type producer struct {
	send  inspector.Cursor // *ast.SendStmt
	loop  inspector.Cursor // *ast.ForStmt or *ast.RangeStmt
	item  types.Type       // of a generic function as that has it, not as it is called
	each  effort           // of making an item
	input bool             // it receives what it makes the items of
	apart bool             // it receives where it does not send
}

// producer returns the loop that a send stands in, if it turns often.
func (c *itemCheck) producer(ch *channel, send inspector.Cursor) (producer, bool) {
	of := typeUnder(c.TypesInfo, send.Node().(*ast.SendStmt).Chan).(*types.Chan)
	p := producer{send: send, loop: innermostLoop(send), item: of.Elem()}
	if !p.loop.Valid() || isLast(send, p.loop) {
		return p, false
	}
	if send.ParentEdgeKind() == edge.CommClause_Comm && hasDefault(send.Parent().Parent().Node().(*ast.BlockStmt)) {
		return p, false // it may as well not happen
	}
	loop := p.loop.Node()
	if c.functions.countsWorkers(c.TypesInfo, loop) {
		return p, false
	}
	if turns, ok := turnsOf(c.TypesInfo, loop); ok && turns < manyTurns || strides(c.TypesInfo, loop) {
		return p, false
	}
	if r, ok := loop.(*ast.RangeStmt); ok {
		if turns, ok := turnsOver(c.TypesInfo, c.functions.soleOf(c.TypesInfo, r.X)); ok && turns < manyTurns {
			return p, false
		}
	}
	for _, m := range ch.makes {
		for around := range loopsAround(send) {
			if around.Contains(m) && !isChan(p.item) {
				return p, false // a channel for each turn: the loop inside may be short
			}
		}
	}
	// It turns at the pace of whoever sends to it. If that is the loop itself, it is a
	// stage; around it, anything.
	for around := range loopsAround(send) {
		if c.receives(around) {
			if around != p.loop {
				return p, false
			}
			p.input, p.apart = true, c.alternates(send)
		}
	}
	p.each = c.loop(loop, nil)
	return p, true
}

// aStride is the step from which on a counter goes from one range of numbers to the next.
// Smaller ones leave out some numbers, such as the even ones.
const aStride = 8

// strides reports whether the counter of a loop takes large steps, or some that are not
// known: then an item stands for much work, and there are fewer than the bound lets one think.
func strides(info *types.Info, loop ast.Node) bool {
	f, ok := loop.(*ast.ForStmt)
	if !ok || countOf(info, loop) == nil {
		return false
	}
	post, ok := f.Post.(*ast.AssignStmt)
	if !ok || post.Tok == token.ASSIGN {
		return false // by one, or from one element to the next
	}
	step, ok := stepOf(info, loop)
	return !ok || step >= aStride || step <= -aStride
}

// isLast reports whether a loop ends with a send that stands in it.
func isLast(send, loop inspector.Cursor) bool {
	next, ok := send.NextSibling()
	return ok && leaves(next.Node(), loop)
}

// loop returns the effort of a turn of a loop, apart from what skip reports.
func (c *itemCheck) loop(loop ast.Node, skip func(ast.Node) bool) effort {
	most := cheap
	take := func(n ast.Node) { most = max(most, c.efforts.each(n, skip)) }
	switch loop := loop.(type) {
	case *ast.ForStmt:
		if loop.Cond != nil {
			take(loop.Cond)
		}
		if loop.Post != nil {
			take(loop.Post)
		}
		take(loop.Body)
	case *ast.RangeStmt:
		take(loop.Body)
		if isClock(c.TypesInfo.TypeOf(loop.X)) {
			most = waits
		}
		if _, ok := typeUnder(c.TypesInfo, loop.X).(*types.Signature); ok {
			// An iterator: what it does for an element is not known, unless it is
			// one of the standard library's, which walk through memory.
			call, ok := ast.Unparen(loop.X).(*ast.CallExpr)
			if !ok || c.efforts.call(call, nil) != cheap {
				most = max(most, opaque)
			}
		}
	}
	return most
}

// hasDefault reports whether a select goes on if none of its operations can.
func hasDefault(clauses *ast.BlockStmt) bool {
	return slices.ContainsFunc(clauses.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil })
}

// alternates reports whether a send is one way in which a select goes on, and another
// one is to receive an item: then the goroutine keeps something for others.
func (c *itemCheck) alternates(send inspector.Cursor) bool {
	if send.ParentEdgeKind() != edge.CommClause_Comm {
		return false
	}
	for clause := range send.Parent().Parent().Children() {
		comm := clause.Node().(*ast.CommClause).Comm
		if comm == nil || comm == send.Node() {
			continue
		}
		if contains(comm, func(u *ast.UnaryExpr) bool { return u.Op == token.ARROW && c.carries(u.X) }) {
			return true
		}
	}
	return false
}

// receives reports whether a loop receives items, from one channel or another. A
// receive of nothing but a signal does not pace it.
func (c *itemCheck) receives(loop inspector.Cursor) bool {
	return some(inBody(loop, (*ast.UnaryExpr)(nil), (*ast.RangeStmt)(nil)), func(at inspector.Cursor) bool {
		switch n := at.Node().(type) {
		case *ast.UnaryExpr:
			return n.Op == token.ARROW && c.carries(n.X)
		case *ast.RangeStmt:
			return c.carries(n.X)
		}
		return false
	})
}

// carries reports whether e is a channel that carries items, and not only the news
// that something is over.
func (c *itemCheck) carries(e ast.Expr) bool {
	t := c.TypesInfo.TypeOf(e)
	return isChan(t) && !isSignal(t) && !isDone(e)
}
