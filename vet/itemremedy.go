package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// message says what happens, what it costs and what fixes it.
func (c *itemCheck) message(ch *channel, p producer) string {
	item := types.TypeString(p.item, types.RelativeTo(c.Pkg))
	if isChan(p.item) {
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
		return what + ": hand out ranges of them, as sweetspot.WorkersRange does, or slices"
	}
	return what + fmt.Sprintf(": send slices (chan []%s), or let sweetspot.ForEachSeq or sweetspot.WorkersRange share the loop out", item)
}

// counts reports whether a loop does nothing but send the next number, for ever.
func (c *itemCheck) counts(p producer) bool {
	loop, ok := p.loop.Node().(*ast.ForStmt)
	if !ok || loop.Cond != nil {
		return false
	}
	counter := c.variable(p.send.Node().(*ast.SendStmt).Value)
	if counter == nil {
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
		if c.variable(to) != counter {
			return false
		}
		counted = true
	}
	return counted
}

// ranges reports whether somebody receives one item after the other.
func (c *itemCheck) ranges(ch *channel) bool {
	return slices.ContainsFunc(ch.receives, func(r inspector.Cursor) bool {
		_, ok := r.Node().(*ast.RangeStmt)
		return ok || innermostLoop(r).Valid()
	})
}

// workers reports whether several goroutines of one loop receive.
func (c *itemCheck) workers(ch *channel) bool {
	return slices.ContainsFunc(c.functions.spawns, func(s *spawn) bool {
		return innermostLoop(s.cur).Valid() && s.target.Valid() && slices.ContainsFunc(ch.receives, s.target.Contains)
	})
}
