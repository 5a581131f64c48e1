package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// aPad is what fields are called that are there for their size.
var aPad = regexp.MustCompile(`(?i)^_?pad`)

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
// type is a struct that this package declares, whose size and fields nothing in it depends on.
func (p *pass) padFix(elem types.Type, pad int64) []analysis.SuggestedFix {
	named, ok := types.Unalias(elem).(*types.Named)
	if !ok || named.Obj().Pkg() != p.Pkg || named.TypeParams().Len() > 0 {
		return nil
	}
	for c := range p.inspector.Root().Preorder((*ast.CompositeLit)(nil)) {
		lit := c.Node().(*ast.CompositeLit)
		t := p.TypesInfo.TypeOf(lit)
		if ptr, ok := t.(*types.Pointer); ok { // {…} in a []*shard
			t = ptr.Elem()
		}
		if len(lit.Elts) == 0 || !types.Identical(t, named) {
			continue
		}
		if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); !keyed {
			return nil
		}
	}
	for c := range p.inspector.Root().Preorder((*ast.CallExpr)(nil)) {
		if p.dependsOn(named, c.Node().(*ast.CallExpr)) {
			return nil
		}
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

// dependsOn reports whether the call measures the struct, or converts it, or a pointer
// to it, from or to another type, which must have the same fields.
func (p *pass) dependsOn(named *types.Named, call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	from := deref(p.TypesInfo.TypeOf(call.Args[0]))
	if p.TypesInfo.Types[call.Fun].IsType() {
		to := deref(p.TypesInfo.TypeOf(call.Fun))
		_, structs := from.Underlying().(*types.Struct)
		return structs && !types.Identical(from, to) && (types.Identical(from, named) || types.Identical(to, named))
	}
	return isBuiltin(p.TypesInfo, call, "Sizeof") && types.Identical(from, named)
}
