package vet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
)

// A place is memory that an expression names: a variable, and how to get from there
// to what is written.
type place struct {
	root  *types.Var
	steps []step
	addr  bool // the expression is a pointer to the place
}

// A step goes from a value to another.
type step struct {
	kind  stepKind
	elem  types.Type // of what it arrives at
	index ast.Expr   // of an element
	scope *scope     // of index
}

type stepKind uint8

const (
	follow     stepKind = iota // a pointer
	fieldOf                    // of a struct
	elementOf                  // of an array
	sliceIndex                 // of a slice
)

// mostFollowed is the number of variables that are followed to their values in a row.
// There is no end where they refer to each other, as in a = b.next, b = a.next.
const mostFollowed = 8

// place returns what e names in the scope; false if that is unknown. Parameters are
// followed to what was passed for them, and variables with one value to that.
func (p *pass) place(sc *scope, e ast.Expr) (place, bool) {
	info := p.TypesInfo
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := info.ObjectOf(e).(*types.Var)
		if !ok {
			return place{}, false
		}
		if sc != nil {
			if arg, ok := sc.args[v]; ok && !p.assignedIn(sc.function, v) {
				if is[*types.Pointer](v.Type()) || is[*types.Slice](v.Type()) {
					return p.place(sc.caller, arg)
				}
				return place{}, false // a copy
			}
		}
		// A pointer that points to one place only; sc can be any for what is captured,
		// since only parameters depend on it.
		if value := p.functions.values[v]; value.Valid() && is[*types.Pointer](v.Type()) && p.following < mostFollowed {
			p.following++
			to, ok := p.place(sc, value.Node().(ast.Expr))
			p.following--
			if ok {
				return to, true
			}
		}
		return place{root: v}, true

	case *ast.UnaryExpr:
		if e.Op != token.AND {
			return place{}, false
		}
		to, ok := p.place(sc, e.X)
		if to.addr {
			return place{}, false
		}
		to.addr = true
		return to, ok

	case *ast.StarExpr:
		to, ok := p.place(sc, e.X)
		if !ok {
			return place{}, false
		}
		ptr, ok := typeUnder(info, e.X).(*types.Pointer) // as e may be of no file, and then has no type
		if !ok {
			return place{}, false
		}
		return to.behind(ptr.Elem()), true

	case *ast.SelectorExpr:
		sel := info.Selections[e]
		if sel == nil { // a variable of another package
			v, ok := info.Uses[e.Sel].(*types.Var)
			return place{root: v}, ok
		}
		if sel.Kind() != types.FieldVal {
			return place{}, false
		}
		to, ok := p.place(sc, e.X)
		if !ok {
			return place{}, false
		}
		t := sel.Recv()
		for _, i := range sel.Index() {
			if ptr, ok := t.Underlying().(*types.Pointer); ok {
				t = ptr.Elem()
				to = to.behind(t)
			} else if to.addr {
				return place{}, false
			}
			s, ok := t.Underlying().(*types.Struct)
			if !ok {
				return place{}, false
			}
			t = s.Field(i).Type()
			to = to.then(step{kind: fieldOf, elem: t})
		}
		return to, true

	case *ast.IndexExpr:
		to, ok := p.place(sc, e.X)
		if !ok {
			return place{}, false
		}
		t := typeUnder(info, e.X)
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem().Underlying()
			to = to.behind(ptr.Elem())
		} else if to.addr {
			return place{}, false
		}
		switch t := t.(type) {
		case *types.Slice:
			return to.then(step{kind: sliceIndex, elem: t.Elem(), index: e.Index, scope: sc}), true
		case *types.Array:
			return to.then(step{kind: elementOf, elem: t.Elem(), index: e.Index, scope: sc}), true
		}
	}
	return place{}, false
}

// then returns the place that is one step from pl.
func (pl place) then(s step) place {
	return place{root: pl.root, steps: append(pl.steps[:len(pl.steps):len(pl.steps)], s)}
}

// behind returns the place that the pointer at pl points to.
func (pl place) behind(t types.Type) place {
	if pl.addr {
		pl.addr = false
		return pl
	}
	return pl.then(step{kind: follow, elem: t})
}

// assignedIn reports whether the variable is assigned, or its address taken, below c.
func (p *pass) assignedIn(c inspector.Cursor, v *types.Var) (is bool) {
	assignments(c, func(to ast.Expr, _ inspector.Cursor) { is = is || p.variable(to) == v })
	return is
}

// size returns the size of a type; false if that is unknown.
func (p *pass) size(t types.Type) (size int64, ok bool) {
	if !p.sized(t) {
		return 0, false
	}
	return p.TypesSizes.Sizeof(t), true
}

// sized reports whether the size of a type is known: whether it holds no type
// parameter and no type that lacks a declaration.
func (p *pass) sized(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() != types.Invalid
	case *types.Array:
		return p.sized(t.Elem())
	case *types.Struct:
		return !some(t.Fields(), func(f *types.Var) bool { return !p.sized(f.Type()) })
	}
	return true
}
