package vet

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// frontierSpawn reports s if a loop over a channel starts it for each value, and it
// sends further values to the same channel in a loop of its own: a walk through a
// graph with a goroutine for each node.
func (p *pass) frontierSpawn(s *spawn) {
	loop := innermostLoop(s.cur)
	if !loop.Valid() {
		return
	}
	channel := p.channelOf(loop)
	if channel == nil || p.bounded(s, loop) {
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
	if !ok || !isChan(p.TypesInfo.TypeOf(l.X)) {
		return nil
	}
	return objectOf(p.TypesInfo, l.X)
}

// sendsInLoop reports whether the code below f sends to the channel in a loop within a
// function, by itself or by a function of this package that it calls or passes on.
func (p *pass) sendsInLoop(f inspector.Cursor, channel types.Object) bool {
	sends := func(c inspector.Cursor) bool { return objectOf(p.TypesInfo, c.Node().(*ast.SendStmt).Chan) == channel }
	inLoop := func(c inspector.Cursor) bool {
		loop := innermostLoop(c)
		return loop.Valid() && f.Contains(loop)
	}
	if some(f.Preorder((*ast.SendStmt)(nil)), func(c inspector.Cursor) bool { return sends(c) && inLoop(c) }) {
		return true
	}
	return some(f.Preorder((*ast.Ident)(nil)), func(c inspector.Cursor) bool {
		id := c.Node().(*ast.Ident)
		callee := p.functions.of(p.TypesInfo, c, id)
		if p.TypesInfo.Uses[id] == nil || !callee.Valid() || callee == f || callee.Contains(f) {
			return false
		}
		called := c.ParentEdgeKind() == edge.CallExpr_Fun
		return (!called || inLoop(c)) && some(callee.Preorder((*ast.SendStmt)(nil)), sends)
	})
}
