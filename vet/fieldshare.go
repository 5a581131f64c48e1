package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

var fieldShare = &check{
	name: "fieldshare",
	doc: `report neighbouring fields and variables that two goroutines write in loops

	var evens, odds int
	wg.Go(func() {
		for i := 0; i < n; i += 2 {
			evens += a[i]
		}
	})
	wg.Go(func() {
		for i := 1; i < n; i += 2 {
			odds += a[i]
		}
	})

The two are fields of one struct, or small variables that one function allocates,
and lie in one cache line, which only one CPU at a time can write. A variable that
the goroutine declares itself, stored once, fixes it.

Of grade hot: an atomic operation on a field that shares its line with one that
another function updates.`,
	surest: Quiet,
	run: func(p *pass) {
		var around []inspector.Cursor // the functions with spawns, in order
		spawns := make(map[inspector.Cursor][]*spawn)
		for s := range p.spawns() {
			f := functionAround(s.cur)
			if spawns[f] == nil {
				around = append(around, f)
			}
			spawns[f] = append(spawns[f], s)
		}
		for _, f := range around {
			if f.Valid() && len(spawns[f]) > 1 {
				p.fieldShare(spawns[f])
			}
		}
		p.atomicFields()
	},
}

// A footprint is memory that a goroutine writes in a loop.
type footprint struct {
	write  innerWrite
	root   *types.Var
	path   string // from root to the memory that offset counts from
	offset int64
	size   int64
}

func (p *pass) fieldShare(spawns []*spawn) {
	prints := make([][]footprint, len(spawns))
	for i, s := range spawns {
		for _, w := range p.innerWrites(s) {
			if pl, ok := p.place(w.scope, w.dest); ok {
				if f, ok := p.footprint(w, pl); ok {
					prints[i] = append(prints[i], f)
				}
			}
		}
	}
	for i, s := range spawns {
		for j, t := range spawns[:i] {
			if exclusive(t.cur, s.cur) || p.waitsBetween(t, s) {
				continue
			}
			if a, b, ok := p.neighbours(prints[j], prints[i]); ok {
				grade := Hot
				if a.write.busy && b.write.busy {
					grade = Quiet
				}
				p.report(grade, analysis.Diagnostic{
					Pos: b.write.dest.Pos(),
					End: b.write.dest.End(),
					Message: fmt.Sprintf("this goroutine writes %s in a loop while another one writes %s, which lies in the same cache line: "+
						"every write takes the line away from the other CPU, and that can cost more than the goroutines gain; "+
						"use a variable that the goroutine declares itself, and store it once",
						types.ExprString(b.write.dest), types.ExprString(a.write.dest)),
					Related: []analysis.RelatedInformation{{
						Pos: a.write.dest.Pos(), End: a.write.dest.End(), Message: "the other goroutine's write",
					}},
				})
				break
			}
		}
	}
}

// footprint returns the memory at the place; false if where it lies is unknown.
func (p *pass) footprint(w innerWrite, pl place) (footprint, bool) {
	if pl.addr {
		return footprint{}, false
	}
	t := pl.root.Type()
	f := footprint{write: w, root: pl.root}
	for _, s := range pl.steps {
		t = s.elem
		switch s.kind {
		case fieldOf:
			f.offset += s.field
			continue
		case follow:
			f.path += fmt.Sprintf("%d*", f.offset)
			f.offset = 0
			continue
		case sliceIndex:
			f.path += fmt.Sprintf("%d[]", f.offset)
			f.offset = 0
		}
		i, constant := constantInt(p.TypesInfo, s.index)
		size, ok := p.size(s.elem)
		if !constant || !ok {
			return footprint{}, false
		}
		f.offset += i * size
	}
	var ok bool
	f.size, ok = p.size(t)
	return f, ok
}

// neighbours returns a footprint of each list that share a cache line without
// being the same; busy ones first.
func (p *pass) neighbours(as, bs []footprint) (a, b footprint, ok bool) {
	for _, x := range as {
		for _, y := range bs {
			if !p.adjacent(x, y) {
				continue
			}
			if busy := x.write.busy && y.write.busy; !ok || busy {
				a, b, ok = x, y, true
				if busy {
					return a, b, ok
				}
			}
		}
	}
	return a, b, ok
}

func (p *pass) adjacent(a, b footprint) bool {
	if a.root == b.root && a.path == b.path {
		apart := a.offset+a.size <= b.offset || b.offset+b.size <= a.offset
		return apart && a.offset/cacheLine == b.offset/cacheLine
	}
	// Variables that move to the heap, as goroutines write them.
	x, y := p.heapOf(a.root), p.heapOf(b.root)
	return a.root != b.root && a.path == "" && b.path == "" && x == y && x != "" &&
		!within(a.write.scope.function.Node(), a.root.Pos()) && !within(b.write.scope.function.Node(), b.root.Pos())
}

// heapOf returns which part of the heap a variable lands in that a function declares
// and goroutines use; "" if it lies alone there, or that is unknown. The allocator
// keeps objects of like size together, and packs small ones without pointers into
// blocks of 16 bytes: see runtime/malloc.go.
func (p *pass) heapOf(v *types.Var) string {
	size, ok := p.size(v.Type())
	switch {
	case !ok || v.Kind() != types.LocalVar || size > 16:
		return ""
	case !hasPointers(v.Type()) && size < 16:
		return "tiny"
	case hasPointers(v.Type()):
		return fmt.Sprintf("%d with pointers", (size+7)/8)
	}
	return "16"
}

func hasPointers(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString != 0 || t.Kind() == types.UnsafePointer
	case *types.Array:
		return hasPointers(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if hasPointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// waitsBetween reports whether the function that starts a and then b waits for
// something in between, such as for the end of a.
func (p *pass) waitsBetween(a, b *spawn) bool {
	for c := range inBody(functionAround(a.cur), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.SelectStmt)(nil), (*ast.RangeStmt)(nil)) {
		if c.Node().Pos() < a.cur.Node().End() || c.Node().End() > b.cur.Node().Pos() {
			continue
		}
		switch n := c.Node().(type) {
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				return true
			}
		case *ast.SelectStmt:
			return true
		case *ast.RangeStmt:
			if _, ok := typeUnder(p.TypesInfo, n.X).(*types.Chan); ok {
				return true
			}
		case *ast.CallExpr:
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && sel.Sel.Name == "Wait" {
				return true
			}
		}
	}
	return false
}

// exclusive reports whether of two places in a function, a before b, at most one is
// reached: they are in different branches, or the function ends after the first.
func exclusive(a, b inspector.Cursor) bool {
	for x := a; x.Valid() && x.Node() != nil; x = x.Parent() {
		switch n := x.Node().(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return false
		case *ast.IfStmt:
			if x.Contains(b) {
				return within(n.Body, a.Node().Pos()) && n.Else != nil && within(n.Else, b.Node().Pos())
			}
		case *ast.CaseClause, *ast.CommClause:
			if !x.Contains(b) && x.Parent().Contains(b) {
				return true
			}
		case *ast.BlockStmt:
			if !x.Contains(b) && endsFlow(n.List) {
				return true
			}
		}
	}
	return false
}

// endsFlow reports whether what follows the statements is not reached from them.
func endsFlow(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}
