package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

var chanArray = &check{
	name: "chanarray",
	doc: `report channels that are used as arrays

	squares := make(chan int, n)
	for i := range n {
		squares <- i * i
	}
	close(squares)
	for s := range squares {
		sum += s
	}

Each operation takes the channel's lock, some tens of nanoseconds, though nobody else
has the channel. A slice does the same in a few.

Of grade info: a channel with room for all that a loop sends, which nobody has to read
meanwhile.`,
	surest: Quiet,
	run: func(p *pass) {
		c := &arrayCheck{p}
		for _, ch := range c.channels.all {
			if len(ch.makes) == 1 && !ch.foreign && !ch.escapes && c.wanted(fileOf(ch.makes[0])) {
				c.channel(ch)
			}
		}
	},
}

// An arrayCheck looks for channels that are used as arrays.
type arrayCheck struct{ *pass }

func (c *arrayCheck) channel(ch *channel) {
	made := ch.makes[0].Node().(*ast.CallExpr)
	if len(made.Args) < 2 || len(ch.sends) == 0 || len(ch.receives) == 0 || inSelect(ch) {
		return
	}
	d := analysis.Diagnostic{Pos: made.Pos(), End: made.End(), Related: c.uses("an operation on it", ch.sends, ch.receives)}
	switch {
	case ch.local():
		d.Message = "this channel never leaves its goroutine, but each operation takes its lock: append to a slice instead, and range over it"
		c.report(Quiet, d)
	case c.holdsAll(ch, made.Args[1]):
		d.Message = "this channel has room for all that is sent, and so is an array with a lock: fill a slice, and let sweetspot.ForEach share it out"
		c.report(Info, d)
	}
}

// inSelect reports whether an operation on the channel may as well not happen.
func inSelect(ch *channel) bool {
	return slices.ContainsFunc(slices.Concat(ch.sends, ch.receives), func(op inspector.Cursor) bool {
		for c := range op.Enclosing((*ast.CommClause)(nil)) {
			comm := c.Node().(*ast.CommClause).Comm
			return comm != nil && within(comm, op.Node().Pos())
		}
		return false
	})
}

// local reports whether one function has the channel to itself. Another goroutine cannot
// have it then: it is in local variables only, and nothing that such a goroutine would
// run mentions it.
func (ch *channel) local() bool {
	if ch.shared || len(ch.makes) != 1 || ch.foreign || ch.escapes || len(ch.returned) > 0 {
		return false
	}
	f := functionAround(ch.makes[0])
	return f.Valid() && !slices.ContainsFunc(slices.Concat(ch.sends, ch.receives, ch.closes), func(op inspector.Cursor) bool {
		return functionAround(op) != f || op.ParentEdgeKind() == edge.GoStmt_Call
	})
}

// holdsAll reports whether the channel has room for all items of the one loop that
// sends to it, and these are not jobs that take so long that it does not matter.
func (c *arrayCheck) holdsAll(ch *channel, size ast.Expr) bool {
	if len(ch.sends) != 1 || isSignal(types.NewChan(types.SendRecv, ch.elem)) || isError(ch.elem) {
		return false
	}
	loop := innermostLoop(ch.sends[0])
	if !loop.Valid() || loop.Contains(ch.makes[0]) || some(loop.Preorder(), func(n inspector.Cursor) bool {
		return n != ch.sends[0] && communicates(n.Node()) // then others may work meanwhile
	}) {
		return false
	}
	if f, ok := loop.Node().(*ast.ForStmt); ok {
		if from, _ := startOf(c.TypesInfo, f); from == nil {
			return false
		}
	}
	turns := countOf(c.TypesInfo, loop.Node())
	if turns == nil || c.functions.isWorkers(c.TypesInfo, turns) || !c.equal(turns, size) {
		return false
	}
	if n, ok := constantInt(c.TypesInfo, size); ok && n < manyTurns {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(ch.sends, ch.receives), func(op inspector.Cursor) bool {
		if l := innermostLoop(op); l.Valid() {
			op = l
		}
		return c.efforts.each(op.Node(), nil) >= waits
	})
}

// communicates reports whether a node sends, receives, or waits to do so.
func communicates(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SendStmt, *ast.SelectStmt:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	}
	return false
}

// equal reports whether a loop over, or up to, turns makes as many turns as size says.
func (c *arrayCheck) equal(turns, size ast.Expr) bool {
	a, ok1 := constantInt(c.TypesInfo, turns)
	b, ok2 := constantInt(c.TypesInfo, size)
	if ok1 || ok2 {
		return ok1 && ok2 && a == b
	}
	size = ast.Unparen(size)
	if call, ok := size.(*ast.CallExpr); ok && isBuiltin(c.TypesInfo, call, "len") {
		if inner, ok := ast.Unparen(turns).(*ast.CallExpr); ok && isBuiltin(c.TypesInfo, inner, "len") {
			turns = inner.Args[0]
		}
		size = call.Args[0]
	}
	x := c.variable(turns)
	return x != nil && x == c.variable(size)
}
