package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// aPad is what fields are called that are there for their size.
var aPad = patternOf(`(?i)^_?pad`)

// padded reports whether a line lies between what is used of one element and what is
// used of the next, whatever the size of an element.
func (p *pass) padded(elem types.Type) bool {
	s, ok := elem.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	size, first, last := p.TypesSizes.Sizeof(s), int64(-1), int64(0)
	fields := slices.Collect(s.Fields())
	for i, offset := range p.TypesSizes.Offsetsof(fields) {
		f := fields[i]
		if f.Name() == "_" || f.Name() == "CacheLinePad" || aPad.MatchString(f.Name()) {
			continue
		}
		if first < 0 {
			first = offset
		}
		last = offset + p.TypesSizes.Sizeof(f.Type())
	}
	return size-last+first >= cacheLine-wordSize
}

// wordSize is that of the smallest lock, which neighbours would share a line by.
const wordSize = 8

// padFix returns the edit that adds a field of pad bytes to the element. There is none unless its
// type is a struct that this package declares, and neither a type derived from it nor anything else
// depends on its size and fields, as far as this package shows.
func (p *pass) padFix(elem types.Type, pad int64) []analysis.SuggestedFix {
	named, ok := types.Unalias(elem).(*types.Named)
	if !ok || named.Obj().Pkg() != p.Pkg || named.TypeParams().Len() > 0 {
		return nil
	}
	of, ok := named.Underlying().(*types.Struct)
	if !ok || named.Obj().Exported() && isOpen(of) {
		return nil
	}
	if last := of.Field(of.NumFields() - 1); p.TypesSizes.Sizeof(last.Type()) == 0 {
		return nil // behind it Go adds bytes; with a pad behind it, it would not
	}
	for c := range p.inspector.Root().Preorder((*ast.CompositeLit)(nil)) {
		lit := c.Node().(*ast.CompositeLit)
		// A pointer is that of {…} in a []*shard.
		if len(lit.Elts) == 0 || structOf(deref(p.TypesInfo.TypeOf(lit))) != of {
			continue
		}
		if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); !keyed {
			return nil
		}
	}
	// Values of a type without a name can be assigned, if its fields are the same.
	if some(p.inspector.Root().Preorder((*ast.StructType)(nil)), func(c inspector.Cursor) bool {
		spec, declared := c.Parent().Node().(*ast.TypeSpec)
		return (!declared || spec.Assign.IsValid()) && types.Identical(p.TypesInfo.TypeOf(c.Node().(ast.Expr)), of)
	}) {
		return nil
	}
	if some(p.inspector.Root().Preorder((*ast.CallExpr)(nil)), func(c inspector.Cursor) bool { return p.dependsOn(of, c.Node().(*ast.CallExpr)) }) {
		return nil
	}
	for c := range p.nodes((*ast.TypeSpec)(nil)) {
		spec := c.Node().(*ast.TypeSpec)
		s, ok := spec.Type.(*ast.StructType)
		if !ok || p.TypesInfo.Defs[spec.Name] != named.Obj() {
			continue
		}
		end, before := s.Fields.Closing, "\n"
		if list := s.Fields.List; len(list) > 0 && lineOf(p.Fset, list[len(list)-1].End()) != lineOf(p.Fset, end) {
			before = ""
		}
		return []analysis.SuggestedFix{{
			Message: "Pad the element to a cache line",
			TextEdits: []analysis.TextEdit{{
				Pos: end, End: end,
				NewText: fmt.Appendf(nil, "%s_ [%d]byte // so that no two share a cache line\n", before, pad),
			}},
		}}
	}
	return nil
}

// structOf returns the struct that t is; nil if it is none. It is one and the same for a
// type, and for those that are derived from it, and no other's, even if its fields are
// alike.
func structOf(t types.Type) *types.Struct {
	s, _ := t.Underlying().(*types.Struct)
	return s
}

// isOpen reports whether other packages can set all fields of a struct, so that they may have
// literals without the names of fields.
func isOpen(s *types.Struct) bool {
	return !some(s.Fields(), func(f *types.Var) bool { return !f.Exported() })
}

// dependsOn reports whether the call measures the struct, or what has it as a part, or
// converts it, or a pointer to it, from or to another one, which must have the same fields.
func (p *pass) dependsOn(of *types.Struct, call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	arg := ast.Unparen(call.Args[0])
	switch {
	case p.TypesInfo.Types[call.Fun].IsType():
		from, to := structOf(deref(p.TypesInfo.TypeOf(arg))), structOf(deref(p.TypesInfo.TypeOf(call.Fun)))
		return from != nil && to != nil && from != to && (from == of || to == of)
	case isBuiltin(p.TypesInfo, call, "Sizeof"):
		return holds(typeUnder(p.TypesInfo, arg), of)
	case isBuiltin(p.TypesInfo, call, "Offsetof"):
		sel, ok := arg.(*ast.SelectorExpr)
		return ok && holds(deref(p.TypesInfo.TypeOf(sel.X)), of)
	}
	return false
}

// holds reports whether a value of type t has the struct as a part.
func holds(t types.Type, of *types.Struct) bool {
	switch t := t.Underlying().(type) {
	case *types.Array:
		return holds(t.Elem(), of)
	case *types.Struct:
		return t == of || some(t.Fields(), func(f *types.Var) bool { return holds(f.Type(), of) })
	}
	return false
}
