package vet

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
)

var spawnWait = &check{
	name: "spawnwait",
	doc: `report goroutines that are started by one that then only waits

	go func() { c <- half(left) }()
	go func() { d <- half(right) }()
	return <-c + <-d

The goroutine that waits could do the last part itself, which saves starting another,
some 0.3 µs, and being woken by it. That counts only where it happens very often, so
all findings are of grade hot.`,
	surest: Hot,
	run: func(p *pass) {
		for s := range p.spawns() {
			at := s.cur
			if s.call == nil {
				at = at.Parent()
				if _, ok := at.Node().(*ast.ExprStmt); !ok {
					continue
				}
			}
			next, ok := at.NextSibling()
			if !ok {
				continue
			}
			if stmt, ok := next.Node().(ast.Stmt); !ok || !waitsIn(stmt) {
				continue
			}
			n := s.cur.Node()
			d := analysis.Diagnostic{
				Pos: n.Pos(), End: n.End(),
				Message: "the goroutine that starts this one only waits for it: let it do this part itself, or leave the choice to sweetspot.Join",
			}
			if body := s.body(); body != nil && within(n, body.Pos()) {
				d.End = body.Lbrace
			}
			p.report(Hot, d)
		}
	},
}

// waitsIn reports whether a statement receives, or calls a Wait, and nothing else. One
// of several ways to go on is more than waiting: it may give up.
func waitsIn(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.ReturnStmt, *ast.DeclStmt, *ast.IfStmt:
	default:
		return false
	}
	if i, ok := s.(*ast.IfStmt); ok && i.Init != nil {
		s = i.Init // as in if err := g.Wait(); err != nil
	}
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW && !isDone(n.X)
		case *ast.CallExpr:
			sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
			found = found || ok && sel.Sel.Name == "Wait"
		}
		return !found
	})
	return found
}
