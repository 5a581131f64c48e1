package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

var chanItem = &check{
	name: "chanitem",
	doc: `report channels that carry one cheap item at a time

An item that passes through an unbuffered channel parks and wakes two goroutines,
which takes some hundred nanoseconds. Where making and using the item takes less, a
loop that sends item by item is slower than one goroutine alone:

	for i := range n {
		ch <- i
	}

Send slices of items, hand out ranges of indexes, or, where the goroutine only
generates, return an iter.Seq.

Silent where an item takes I/O, on either side, where the loop is paced by a channel
that it receives from, and where it turns once for each worker. A stage of a pipeline,
a channel with a small buffer, and a channel made for each reply are of grade info.`,
	surest:   Quiet,
	requires: []*analysis.Analyzer{effortAnalyzer, channelAnalyzer},
	run: func(p *pass) {
		c := &itemCheck{
			pass:     p,
			efforts:  p.ResultOf[effortAnalyzer].(*efforts),
			channels: p.ResultOf[channelAnalyzer].(*channels),
		}
		for _, ch := range c.channels.all {
			c.channel(ch)
		}
	},
}

// maxItem is the size of an item up to which copying it costs nothing beside the
// channel's operation: a slice header and a word.
const maxItem = 32

// manyTurns is the number of turns from which on a loop counts: with fewer, some
// hundred nanoseconds each make no difference that one could see.
const manyTurns = 1000

// A itemCheck looks for channels that carry one cheap item at a time.
type itemCheck struct {
	*pass
	efforts  *efforts
	channels *channels
}

// A producer is a loop that sends.
type producer struct {
	send  inspector.Cursor // *ast.SendStmt
	loop  inspector.Cursor // *ast.ForStmt or *ast.RangeStmt
	each  effort           // of making an item
	input bool             // it receives what it makes the items of
	apart bool             // it receives where it does not send
}

// channel looks at one channel, and reports each loop that sends to it once.
func (c *itemCheck) channel(ch *channel) {
	if len(ch.sends) == 0 || !c.small(ch.elem) || ch.within() != nil {
		return
	}
	told := make(map[ast.Node]bool)
	for _, send := range ch.sends {
		p, ok := c.producer(ch, send)
		if !ok || told[p.loop.Node()] || !c.wanted(fileOf(send)) {
			continue
		}
		if grade, ok := c.grade(ch, p); ok {
			told[p.loop.Node()] = true
			c.report(grade, analysis.Diagnostic{Pos: send.Node().Pos(), End: send.Node().End(), Message: c.message(ch, p)})
		}
	}
}

// small reports whether an item is data, and little of it. An empty struct is a
// signal, an error or a bool tells how something went, and a channel or a function stands for work.
func (c *itemCheck) small(t types.Type) bool {
	if isError(t) {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Signature:
		return false
	case *types.Basic:
		if t.Info()&types.IsBoolean != 0 {
			return false // how things stand
		}
	case *types.Chan:
		return true // for replies
	}
	size, ok := c.size(t)
	return ok && 0 < size && size <= maxItem
}

// producer returns the loop that a send stands in, if it turns often.
func (c *itemCheck) producer(ch *channel, send inspector.Cursor) (producer, bool) {
	p := producer{send: send, loop: innermostLoop(send)}
	if !p.loop.Valid() || c.hasDefault(send) || isLast(send) {
		return p, false
	}
	loop := p.loop.Node()
	if c.functions.countsWorkers(c.TypesInfo, loop) {
		return p, false
	}
	if turns, ok := turnsOf(c.TypesInfo, loop); ok && turns < manyTurns {
		return p, false
	}
	if r, ok := loop.(*ast.RangeStmt); ok {
		if lit, ok := c.functions.soleOf(c.TypesInfo, r.X).(*ast.CompositeLit); ok && len(lit.Elts) < manyTurns {
			return p, false
		}
	}
	for _, m := range ch.makes {
		for around := range loopsAround(send) {
			if around.Contains(m) && !isChan(ch.elem) {
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

// isLast reports whether a loop ends with a send that stands in it.
func isLast(send inspector.Cursor) bool {
	next, ok := send.NextSibling()
	if !ok {
		return false
	}
	switch s := next.Node().(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK
	}
	return false
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

// hasDefault reports whether a send may as well not happen.
func (c *itemCheck) hasDefault(send inspector.Cursor) bool {
	if send.ParentEdgeKind() != edge.CommClause_Comm {
		return false
	}
	for _, clause := range send.Parent().Parent().Node().(*ast.BlockStmt).List {
		if clause.(*ast.CommClause).Comm == nil {
			return true
		}
	}
	return false
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
		found := false
		ast.Inspect(comm, func(n ast.Node) bool {
			u, ok := n.(*ast.UnaryExpr)
			found = found || ok && u.Op == token.ARROW && c.carries(u.X)
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// receives reports whether a loop receives items, from one channel or another. A
// receive of nothing but a signal does not pace it.
func (c *itemCheck) receives(loop inspector.Cursor) bool {
	if r, ok := loop.Node().(*ast.RangeStmt); ok && c.carries(r.X) {
		return true
	}
	found := false
	loop.Inspect([]ast.Node{(*ast.FuncLit)(nil), (*ast.UnaryExpr)(nil), (*ast.RangeStmt)(nil)}, func(at inspector.Cursor) bool {
		switch n := at.Node().(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW && c.carries(n.X)
		case *ast.RangeStmt:
			found = found || c.carries(n.X)
		}
		return !found
	})
	return found
}

// carries reports whether e is a channel that carries items, and not only the news
// that something is over.
func (c *itemCheck) carries(e ast.Expr) bool {
	t, ok := typeUnder(c.TypesInfo, e).(*types.Chan)
	if !ok || isDone(e) {
		return false
	}
	s, ok := t.Elem().Underlying().(*types.Struct)
	return !ok || s.NumFields() > 0
}

// grade returns how sure it is that the channel is what costs; false for not at all.
func (c *itemCheck) grade(ch *channel, p producer) (Grade, bool) {
	using := c.using(ch)
	if p.each >= waits || using >= waits {
		return 0, false
	}
	known := !ch.foreign && len(ch.makes) > 0
	// Of a channel that leaves the package the readers are not known: it may be full of
	// work. But a generator can mend itself whoever reads.
	seen := known && len(ch.receives) > 0 && !ch.escapes || c.generates(ch, p)
	basic := isNumber(ch.elem)
	switch {
	case isChan(ch.elem):
		if seen && p.input && p.each == cheap && using == cheap && c.replies(p) {
			return Info, true
		}
	case !known || p.each > cheap || p.apart:
	case p.input:
		if basic && using <= opaque {
			return Info, true
		}
	case c.buffered(ch):
		if seen && basic && using == cheap {
			return Info, true
		}
	case !seen:
	case using == cheap, using == opaque && basic:
		return Quiet, true
	}
	return Hot, true
}

// generates reports whether a function makes the channel, starts what sends to it, and
// returns it.
func (c *itemCheck) generates(ch *channel, p producer) bool {
	for _, f := range ch.returned {
		for _, m := range ch.makes {
			if functionAround(m) == f && f.Contains(p.send) {
				return true
			}
		}
	}
	return false
}

// using returns the effort of using an item, where that is known.
func (c *itemCheck) using(ch *channel) effort {
	most := cheap
	for _, r := range ch.receives {
		stage := func(n ast.Node) bool {
			s, ok := n.(*ast.GoStmt)
			return ok && c.isStage(r, s)
		}
		if r, ok := r.Node().(*ast.RangeStmt); ok {
			most = max(most, c.efforts.each(r.Body, stage))
			continue
		}
		if loop := innermostLoop(r); loop.Valid() {
			most = max(most, c.loop(loop.Node(), stage))
		} else {
			// A function that takes one item: who calls it is not known.
			most = max(most, opaque)
		}
	}
	return most
}

// isStage reports whether a goroutine lives on items of its own, so that it is no part
// of what the one takes that has started it.
func (c *itemCheck) isStage(at inspector.Cursor, s *ast.GoStmt) bool {
	f := c.functions.of(c.TypesInfo, at, s.Call.Fun)
	if !f.Valid() {
		return false
	}
	for loop := range f.Preorder((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)) {
		if c.receives(loop) {
			return true
		}
	}
	return false
}

// buffered reports whether a channel may have room for items.
func (c *itemCheck) buffered(ch *channel) bool {
	for _, m := range ch.makes {
		call := m.Node().(*ast.CallExpr)
		if len(call.Args) < 2 {
			continue
		}
		if n, ok := constantInt(c.TypesInfo, call.Args[1]); !ok || n > 0 {
			return true
		}
	}
	return false
}

// replies reports whether the loop makes a channel, sends it, and receives from it.
func (c *itemCheck) replies(p producer) bool {
	id, ok := ast.Unparen(p.send.Node().(*ast.SendStmt).Value).(*ast.Ident)
	if !ok {
		return false
	}
	reply := c.channels.byNode[c.TypesInfo.ObjectOf(id)]
	if reply == nil {
		return false
	}
	made, received := false, false
	for _, m := range reply.makes {
		made = made || p.loop.Contains(m)
	}
	for _, r := range reply.receives {
		received = received || p.loop.Contains(r)
	}
	return made && received
}

// isNumber reports whether an item is a number: something that by itself stands for no
// work to do elsewhere.
func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// message says what happens, what it costs and what mends it.
func (c *itemCheck) message(ch *channel, p producer) string {
	item := types.TypeString(ch.elem, types.RelativeTo(c.Pkg))
	if isChan(ch.elem) {
		return "each turn makes a channel for one reply, and parks twice to get it: call a function under a mutex, or an atomic Add, instead of a goroutine that answers"
	}
	what := fmt.Sprintf("each %s passes through an unbuffered channel by itself, which parks and wakes a goroutine for it", item)
	if c.buffered(ch) {
		what = fmt.Sprintf("each %s passes through a channel by itself, which takes a lock for it and often parks", item)
	}
	switch {
	case p.input:
		return what + ": do the work of this stage in the one before or after it, or pass slices on; sweetspot.MapSeq maps a sequence without a channel"
	case c.counts(p) && !c.ranges(ch):
		return what + ": count with the Add of an atomic.Int64 instead"
	case c.generates(ch, p):
		return what + fmt.Sprintf(": return an iter.Seq[%s], which needs no goroutine and leaks none if the reader stops", item)
	case c.workers(ch):
		return what + ": hand out ranges of them, as sweetspot.Range does, or slices"
	}
	return what + fmt.Sprintf(": send slices (chan []%s), or let sweetspot.ForEachSeq or sweetspot.Range share the loop out", item)
}

// counts reports whether a loop does nothing but send the next number, for ever.
func (c *itemCheck) counts(p producer) bool {
	loop, ok := p.loop.Node().(*ast.ForStmt)
	if !ok || loop.Cond != nil {
		return false
	}
	id, ok := ast.Unparen(p.send.Node().(*ast.SendStmt).Value).(*ast.Ident)
	if !ok {
		return false
	}
	counted := false
	for _, s := range append([]ast.Stmt{loop.Post}, loop.Body.List...) {
		var to ast.Expr
		switch s := s.(type) {
		case *ast.IncDecStmt:
			to = s.X
		case *ast.AssignStmt:
			if s.Tok != token.ADD_ASSIGN {
				return false
			}
			to = s.Lhs[0]
		case nil, *ast.SendStmt, *ast.SelectStmt:
			continue
		default:
			return false
		}
		x, ok := ast.Unparen(to).(*ast.Ident)
		if !ok || c.TypesInfo.ObjectOf(x) != c.TypesInfo.ObjectOf(id) {
			return false
		}
		counted = true
	}
	return counted
}

// ranges reports whether somebody receives one item after the other.
func (c *itemCheck) ranges(ch *channel) bool {
	for _, r := range ch.receives {
		if _, ok := r.Node().(*ast.RangeStmt); ok || innermostLoop(r).Valid() {
			return true
		}
	}
	return false
}

// workers reports whether several goroutines of one loop receive.
func (c *itemCheck) workers(ch *channel) bool {
	for _, s := range c.functions.spawns {
		if innermostLoop(s.cur).Valid() && s.target.Valid() {
			for _, r := range ch.receives {
				if s.target.Contains(r) {
					return true
				}
			}
		}
	}
	return false
}

// fileOf returns the file that c stands in.
func fileOf(c inspector.Cursor) *ast.File {
	for f := range c.Enclosing((*ast.File)(nil)) {
		return f.Node().(*ast.File)
	}
	return nil
}
