package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
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
	surest: Quiet,
	run: func(p *pass) {
		c := &itemCheck{p}
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

// An itemCheck looks for channels that carry one cheap item at a time.
type itemCheck struct{ *pass }

// channel looks at one channel, and reports each loop that sends to it once.
func (c *itemCheck) channel(ch *channel) {
	if len(ch.sends) == 0 || ch.local() {
		return
	}
	told := make(map[ast.Node]bool)
	for _, send := range ch.sends {
		p, ok := c.producer(ch, send)
		if !ok || !c.small(p.item) || told[p.loop.Node()] || !c.wanted(fileOf(send)) {
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
	switch {
	case isError(t), is[*types.Signature](t), isBasic(t, types.IsBoolean):
		return false
	case isChan(t):
		return true // for replies
	}
	size, ok := c.size(t)
	return ok && 0 < size && size <= maxItem
}

// grade returns how sure it is that the channel is what costs; false for not at all.
func (c *itemCheck) grade(ch *channel, p producer) (Grade, bool) {
	using := c.using(ch)
	if p.each >= waits || using >= waits {
		return 0, false
	}
	known := !ch.foreign && len(ch.makes) > 0
	// Of a channel that leaves the package the readers are not known: it may be full of
	// work. But a generator can fix itself whoever reads.
	seen := known && len(ch.receives) > 0 && !ch.escapes || c.generates(ch, p)
	basic := isBasic(p.item, types.IsNumeric) // which by itself stands for no work to do elsewhere
	switch {
	case isChan(p.item):
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
	case c.wakes(ch, p):
	case using == cheap, using == opaque && basic:
		return Quiet, true
	}
	return Hot, true
}

// wakes reports whether each of those who receive takes one value, and goes on: they
// are woken, not fed, and have no use for a slice. Numbers from a counter are no news.
func (c *itemCheck) wakes(ch *channel, p producer) bool {
	return len(ch.receives) > 0 && !c.ranges(ch) && !c.counts(p)
}

// generates reports whether a function makes the channel, starts what sends to it, and
// returns it. A generator comes to its end and says so, or it counts for ever; what does
// neither is a subscription, whose readers wait for other things, too.
func (c *itemCheck) generates(ch *channel, p producer) bool {
	loop, ok := p.loop.Node().(*ast.ForStmt)
	counts := ok && loop.Cond == nil && loop.Post != nil
	for _, f := range ch.returned {
		if !counts && !slices.ContainsFunc(ch.closes, func(end inspector.Cursor) bool { return f.Contains(end) }) {
			continue
		}
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

// isStage reports whether a goroutine lives on items of its own, so that it is not part
// of what the one takes that has started it.
func (c *itemCheck) isStage(at inspector.Cursor, s *ast.GoStmt) bool {
	f := c.functions.of(c.TypesInfo, at, s.Call.Fun)
	return f.Valid() && some(f.Preorder((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil)), c.receives)
}

// buffered reports whether a channel may have room for items.
func (c *itemCheck) buffered(ch *channel) bool {
	return slices.ContainsFunc(ch.makes, func(m inspector.Cursor) bool {
		call := m.Node().(*ast.CallExpr)
		if len(call.Args) < 2 {
			return false
		}
		n, ok := constantInt(c.TypesInfo, call.Args[1])
		return !ok || n > 0
	})
}

// replies reports whether the loop makes a channel, sends it, and receives from it.
func (c *itemCheck) replies(p producer) bool {
	reply := c.channels.byNode[c.variable(p.send.Node().(*ast.SendStmt).Value)]
	if reply == nil {
		return false
	}
	return slices.ContainsFunc(reply.makes, p.loop.Contains) && slices.ContainsFunc(reply.receives, p.loop.Contains)
}

func fileOf(c inspector.Cursor) *ast.File {
	for f := range c.Enclosing((*ast.File)(nil)) {
		return f.Node().(*ast.File)
	}
	return nil
}
