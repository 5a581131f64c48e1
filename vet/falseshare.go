package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// cacheLine is the size of a cache line in bytes on amd64, and on most arm64. Other
// CPUs have lines of 128, and some of Intel's fetch lines in pairs: what is told
// here holds for them, too.
const cacheLine = 64

var falseShare = &check{
	name: "falseshare",
	doc: `report slots of one slice that goroutines write side by side in a loop

	sums := make([]int, n)
	for i := range n {
		wg.Go(func() {
			for _, v := range part(i) {
				sums[i] += v
			}
		})
	}

Several slots lie in one cache line, which only one CPU at a time can write. With
every write the line goes from CPU to CPU, some hundred times slower than a register.
A variable of the goroutine's own, stored in the slot once, fixes it.`,
	surest: Quiet,
	run: func(p *pass) {
		for _, s := range p.spawns() {
			if loop := innermostLoop(s.cur); loop.Valid() && !p.inTurn(s, loop) {
				p.falseShare(s)
			}
		}
	},
}

// inTurn reports whether each turn of the loop goes on to wait for the end of what it has
// started: by a channel or a WaitGroup that its body declares.
func (p *pass) inTurn(s *spawn, loop inspector.Cursor) bool {
	found := false
	body, _ := loop.LastChild()
	kinds := []ast.Node{(*ast.FuncLit)(nil), (*ast.DeferStmt)(nil), (*ast.SelectStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil)}
	body.Inspect(kinds, func(c inspector.Cursor) bool {
		var of ast.Expr
		switch n := c.Node().(type) {
		case *ast.FuncLit, *ast.DeferStmt:
			return false
		case *ast.SelectStmt:
			return !hasDefault(n.Body)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				of = n.X
			}
		case *ast.CallExpr:
			_, elsewhere := c.Parent().Node().(*ast.GoStmt)
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && sel.Sel.Name == "Wait" && !elsewhere {
				of = sel.X
			}
		}
		v := p.variable(of)
		found = found || v != nil && within(body.Node(), v.Pos()) && c.Node().Pos() > s.cur.Node().End() &&
			(v == p.variable(s.group) || p.endsWith(s.target, v))
		return !found
	})
	return found
}

// endsWith reports whether the function has v in what it defers, or in its last statement if
// that sends or is a call.
func (p *pass) endsWith(function inspector.Cursor, v *types.Var) bool {
	body := bodyOf(function)
	return body != nil && slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		_, deferred := s.(*ast.DeferStmt)
		_, sends := s.(*ast.SendStmt)
		_, calls := s.(*ast.ExprStmt)
		return (deferred || (sends || calls) && s == body.List[len(body.List)-1]) && contains(s, func(e ast.Expr) bool { return p.variable(e) == v })
	})
}

func (p *pass) falseShare(s *spawn) {
	told := make(map[*types.Var]bool)
	for _, w := range p.innerWrites(s) {
		if !p.wanted(fileOf(w.at)) {
			continue // in a function that the goroutine calls
		}
		pl, ok := p.place(w.scope, w.dest)
		if !ok || told[pl.root] || !p.outside(&w, pl.root) || !p.slotPerGoroutine(&w, pl) {
			continue
		}
		grade := Hot
		if w.busy {
			grade = Quiet
			told[pl.root] = true
		}
		verb := "write"
		if w.atomic {
			verb = "update"
		}
		p.report(grade, analysis.Diagnostic{
			Pos: w.dest.Pos(),
			End: w.dest.End(),
			Message: fmt.Sprintf("each goroutine %ss its own %s in a loop, but several of them share a cache line, "+
				"which every write takes away from the other CPUs: that can cost more than the goroutines gain; "+
				"use a variable of the goroutine's own and store it once, as sweetspot.Reduce does", verb, types.ExprString(w.dest)),
		})
	}
}

// outside reports whether all goroutines of the spawning loop see the same variable.
func (p *pass) outside(w *innerWrite, v *types.Var) bool {
	for sc := w.scope; sc != nil; sc = sc.caller {
		if within(sc.function.Node(), v.Pos()) {
			return false
		}
	}
	return !within(innermostLoop(w.scope.spawn.cur).Node(), v.Pos())
}

// slotPerGoroutine reports whether the place is in an array that all goroutines
// share, in an element for each, and these elements are close to each other.
func (p *pass) slotPerGoroutine(w *innerWrite, pl place) bool {
	slot := -1
	for i := len(pl.steps) - 1; i >= 0; i-- {
		s := pl.steps[i]
		switch s.kind {
		case follow:
			return false
		case fieldOf:
			continue
		}
		n, ok := p.stride(w, s.scope, s.index)
		if ok && n != 0 {
			size, ok := p.size(s.elem)
			if !ok || size == 0 || size*max(n, -n) >= cacheLine {
				return false
			}
			slot = i
			break
		}
		if s.kind == sliceIndex {
			return false
		}
	}
	if slot < 0 {
		return false
	}
	for _, s := range pl.steps[:slot] {
		if s.kind == elementOf || s.kind == sliceIndex {
			if n, ok := p.stride(w, s.scope, s.index); !ok || n != 0 {
				return false // an array for each
			}
		}
	}
	return true
}
