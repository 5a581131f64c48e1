package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// soleOf returns what e stands for: the only value of the variable that it names, if
// there is one, otherwise e itself.
func (f *functions) soleOf(info *types.Info, e ast.Expr) ast.Expr {
	// Each step leads to another variable; the bound is for those set to themselves.
	for range 4 {
		e = ast.Unparen(e)
		value := f.values[varOf(info, e)]
		if !value.Valid() {
			break
		}
		e = value.Node().(ast.Expr)
	}
	return e
}

// turnsOf returns how often a loop turns, if that is constant; where the steps of its
// counter are not, it is the most that it can be.
func turnsOf(info *types.Info, loop ast.Node) (int64, bool) {
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		return turnsOver(info, loop.X)
	case *ast.ForStmt:
		from, counter := startOf(info, loop)
		to, op := boundOf(info, loop, counter)
		lo, ok1 := constantInt(info, from)
		hi, ok2 := constantInt(info, to)
		if !ok1 || !ok2 {
			return 0, false
		}
		n, step := hi-lo, int64(1)
		switch op {
		case token.LEQ:
			n++
		case token.GTR:
			step = -1
		case token.GEQ:
			n--
			step = -1
		}
		if by, ok := stepOf(info, loop); ok {
			step = by
		}
		turns := n / step
		if n%step != 0 {
			turns++
		}
		if n == 0 || (n < 0) == (step < 0) {
			return turns, true
		}
	}
	return 0, false
}

// turnsOver returns how often a loop turns that ranges over x, if that is constant.
func turnsOver(info *types.Info, x ast.Expr) (int64, bool) {
	if n, ok := constantInt(info, x); ok {
		return n, true
	}
	if tv := info.Types[x]; tv.Value != nil && tv.Value.Kind() == constant.String {
		return int64(len(constant.StringVal(tv.Value))), true
	}
	t := typeUnder(info, x)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	if a, ok := t.(*types.Array); ok {
		return a.Len(), true
	}
	lit, ok := ast.Unparen(x).(*ast.CompositeLit)
	if !ok {
		return 0, false
	}
	if _, ok := t.(*types.Slice); ok && slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool { _, keyed := e.(*ast.KeyValueExpr); return keyed }) {
		return 0, false // its length is that of the largest index
	}
	return int64(len(lit.Elts)), true
}

// stepOf returns what the counter of a loop changes by from turn to turn, if that is constant.
func stepOf(info *types.Info, loop ast.Node) (int64, bool) {
	f, ok := loop.(*ast.ForStmt)
	if !ok {
		return 1, true // it ranges
	}
	switch post := f.Post.(type) {
	case *ast.IncDecStmt:
		if post.Tok == token.DEC {
			return -1, true
		}
		return 1, true
	case *ast.AssignStmt:
		step, ok := constantInt(info, post.Rhs[0])
		if !ok || step == 0 {
			return 0, false
		}
		switch post.Tok {
		case token.ADD_ASSIGN:
			return step, true
		case token.SUB_ASSIGN:
			return -step, true
		}
	}
	return 0, false
}

// startOf returns the first value of the counter of a loop, and the counter.
func startOf(info *types.Info, loop *ast.ForStmt) (ast.Expr, types.Object) {
	init, ok := loop.Init.(*ast.AssignStmt)
	if !ok || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return nil, nil
	}
	id, ok := init.Lhs[0].(*ast.Ident)
	if !ok {
		return nil, nil
	}
	return init.Rhs[0], info.ObjectOf(id)
}

// boundOf returns what the counter of a loop is compared with, and how.
func boundOf(info *types.Info, loop *ast.ForStmt, counter types.Object) (ast.Expr, token.Token) {
	cond, ok := loop.Cond.(*ast.BinaryExpr)
	if !ok || counter == nil {
		return nil, token.ILLEGAL
	}
	if id, ok := ast.Unparen(cond.X).(*ast.Ident); ok && info.Uses[id] == counter {
		switch cond.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ, token.NEQ:
			return cond.Y, cond.Op
		}
	}
	return nil, token.ILLEGAL
}

// countOf returns the expression for how often a loop turns: the bound of a counted
// loop, or what is ranged over. Nil stands for a loop without end, or with another
// condition.
func countOf(info *types.Info, loop ast.Node) ast.Expr {
	switch loop := loop.(type) {
	case *ast.RangeStmt:
		return loop.X
	case *ast.ForStmt:
		_, counter := startOf(info, loop)
		bound, _ := boundOf(info, loop, counter)
		return bound
	}
	return nil
}

func constantInt(info *types.Info, e ast.Expr) (int64, bool) {
	tv, ok := info.Types[e]
	if !ok || tv.Value == nil {
		return 0, false
	}
	v := constant.ToInt(tv.Value)
	if v.Kind() != constant.Int {
		return 0, false
	}
	return constant.Int64Val(v)
}

// aboutWorkers matches the names of numbers of workers. Where nothing else tells how
// often a loop turns, such a name does.
var aboutWorkers = patternOf(`(?i)worker|thread|procs?\b|cpu|core|parallel|concurren|shard|partition|routine|consumer|producer|replica|pool`)

// countsWorkers reports whether a loop turns once for each worker, CPU or the like.
func (f *functions) countsWorkers(info *types.Info, loop ast.Node) bool {
	count := countOf(info, loop)
	return count != nil && f.isWorkers(info, count)
}

// isWorkers reports whether e is a number of workers, CPUs or the like, or one of
// them each.
func (f *functions) isWorkers(info *types.Info, e ast.Expr) bool {
	about := func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return ok && aboutWorkers.MatchString(id.Name) || asksCPUs(info, n)
	}
	return contains(e, about) || contains(f.soleOf(info, e), about)
}

// asksCPUs reports whether a node is a call for the number of CPUs.
func asksCPUs(info *types.Info, n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	return ok && (isFunc(info, call, "runtime", "NumCPU") || isFunc(info, call, "runtime", "GOMAXPROCS"))
}
