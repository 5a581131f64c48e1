package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// stride returns by how many elements the index differs between the goroutines of
// neighbouring rounds of the spawning loop; zero if it is the same for all. It is
// false if that is unknown, or if the index changes within the goroutine's loop.
func (p *pass) stride(w *innerWrite, sc *scope, index ast.Expr) (int64, bool) {
	info := p.TypesInfo
	if info.Types[index].Value != nil {
		return 0, true
	}
	switch e := ast.Unparen(index).(type) {
	case *ast.Ident:
		if v := p.variable(e); v != nil {
			return p.strideOf(w, sc, v)
		}

	case *ast.CallExpr:
		if info.Types[e.Fun].IsType() && len(e.Args) == 1 {
			return p.stride(w, sc, e.Args[0])
		}

	case *ast.BinaryExpr:
		x, ok := p.stride(w, sc, e.X)
		if !ok {
			return 0, false
		}
		y, ok := p.stride(w, sc, e.Y)
		if !ok {
			return 0, false
		}
		switch e.Op {
		case token.ADD, token.SUB:
			if x == 0 || y == 0 {
				return x + y, true
			}
		case token.MUL:
			if x == 0 && y == 0 {
				return 0, true
			}
			if c, ok := constantInt(info, e.Y); ok && c > 0 {
				return x * c, true
			}
			if c, ok := constantInt(info, e.X); ok && c > 0 {
				return y * c, true
			}
		case token.SHL:
			if c, ok := constantInt(info, e.Y); ok && c < 32 {
				return x << c, true
			}
		case token.REM, token.AND:
			if y == 0 {
				return x, true
			}
		}
	}
	return 0, false
}

// strideOf is stride for an index that is a variable.
func (p *pass) strideOf(w *innerWrite, sc *scope, v *types.Var) (int64, bool) {
	if sc != nil {
		if arg, ok := sc.args[v]; ok {
			if p.assignedIn(sc.function, v) {
				return 0, false
			}
			return p.stride(w, sc.caller, arg)
		}
	}
	if sc == w.scope && p.assignedIn(w.loop, v) {
		return 0, false
	}
	if value := p.functions.values[v]; value.Valid() {
		if p.following == mostFollowed {
			return 0, false
		}
		e := value.Node().(ast.Expr)
		p.following++
		n, ok := p.stride(w, sc, e)
		p.following--
		if ok {
			return n, true
		}
		return 1, p.opaque(e) && p.perGoroutine(w, v)
	}
	if !p.perGoroutine(w, v) {
		return 0, true
	}
	loop := innermostLoop(w.scope.spawn.cur)
	switch l := loop.Node().(type) {
	case *ast.ForStmt:
		// The counter of the spawning loop, unless it counts in larger steps.
		post, ok := l.Post.(*ast.IncDecStmt)
		if !ok {
			return 0, false
		}
		return 1, p.variable(post.X) == v
	case *ast.RangeStmt:
		for _, e := range []ast.Expr{l.Key, l.Value} {
			if p.variable(e) == v {
				return 1, true
			}
		}
	}
	return 0, false
}

// opaque reports whether e is a number from a counter, a channel or a table, which
// is taken to be another for each goroutine, but close to those of the others.
func (p *pass) opaque(e ast.Expr) bool {
	scaled := contains(e, func(b *ast.BinaryExpr) bool { return b.Op != token.ADD && b.Op != token.SUB })
	return !scaled && contains(e, func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.CallExpr:
			return !p.TypesInfo.Types[e.Fun].IsType()
		case *ast.IndexExpr:
			return true
		case *ast.UnaryExpr:
			return e.Op == token.ARROW
		}
		return false
	})
}

// perGoroutine reports whether each goroutine has a variable v of its own.
func (p *pass) perGoroutine(w *innerWrite, v *types.Var) bool {
	return within(innermostLoop(w.scope.spawn.cur).Node(), v.Pos()) || within(w.scope.function.Node(), v.Pos())
}
