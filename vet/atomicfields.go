package vet

import (
	"fmt"
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// An atomicWrite is an atomic operation that writes a field of a struct.
type atomicWrite struct {
	at       inspector.Cursor // the *ast.CallExpr
	dest     ast.Expr
	field    *types.Var
	offset   int64            // in its struct
	function inspector.Cursor // *ast.FuncDecl
}

// atomicFields reports atomic writes of fields that share a cache line with others
// that other functions write, for which see golang/go#78763. Which goroutines call
// those functions, and how often, is not known.
func (p *pass) atomicFields() {
	var structs []*types.Struct // in order
	writes := make(map[*types.Struct][]atomicWrite)
	for c := range p.nodes((*ast.CallExpr)(nil)) {
		dest := atomicOperand(p.TypesInfo, c.Node().(*ast.CallExpr))
		sel, ok := dest.(*ast.SelectorExpr)
		if !ok || p.TypesInfo.Selections[sel] == nil {
			continue
		}
		field, ok := p.TypesInfo.Selections[sel].Obj().(*types.Var)
		if !ok {
			continue
		}
		s, offset, ok := p.structOf(p.TypesInfo.TypeOf(sel.X), field)
		if !ok {
			continue
		}
		for f := range c.Enclosing((*ast.FuncDecl)(nil)) {
			if writes[s] == nil {
				structs = append(structs, s)
			}
			writes[s] = append(writes[s], atomicWrite{c, dest, field, offset, f})
		}
	}
	for _, s := range structs {
		for _, a := range writes[s] {
			for _, b := range writes[s] {
				if a.field == b.field || a.function == b.function || a.offset/cacheLine != b.offset/cacheLine {
					continue
				}
				p.report(Hot, analysis.Diagnostic{
					Pos: a.dest.Pos(),
					End: a.dest.End(),
					Message: fmt.Sprintf("%s lies in the same cache line as %s, which another function writes: if that runs in other goroutines, "+
						"each write takes the line away from the other CPUs; put a cpu.CacheLinePad of golang.org/x/sys/cpu between the fields",
						types.ExprString(a.dest), b.field.Name()),
					Related: []analysis.RelatedInformation{{Pos: b.dest.Pos(), End: b.dest.End(), Message: "the other write"}},
				})
				break
			}
		}
	}
}

// structOf returns the struct that values of type t are or point to, and where in it
// the field is. It is false for the field of an embedded struct, and where the size of
// one is unknown.
func (p *pass) structOf(t types.Type, field *types.Var) (*types.Struct, int64, bool) {
	s, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		return nil, 0, false
	}
	for i := range s.NumFields() {
		if s.Field(i) == field {
			offset, ok := p.offset(s, i)
			return s, offset, ok
		}
	}
	return nil, 0, false
}
