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
	if channel == nil || (&goCheck{p}).bounded(s, loop) {
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
	if _, ok := typeUnder(p.TypesInfo, l.X).(*types.Chan); !ok {
		return nil
	}
	return p.pathObject(l.X)
}

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
