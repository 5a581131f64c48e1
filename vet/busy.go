package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// fewRounds is the number of rounds below which a loop does not last: some 100 ns of
// writes beside the microsecond that starting the goroutine takes.
const fewRounds = 32

// busy reports whether a round of the loop takes some nanoseconds, the write aside,
// so that what the write costs is what the loop costs: it computes, with no calls but
// of small functions, no loop but those around the write, no channel.
func (p *pass) busy(loop, write inspector.Cursor) bool {
	return !some(loop.Preorder(), func(c inspector.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if r, ok := n.(*ast.RangeStmt); ok && isChan(p.TypesInfo.TypeOf(r.X)) {
				return true
			}
			rounds, known := turnsOf(p.TypesInfo, n)
			return !c.Contains(write) && (!known || rounds >= fewRounds)
		}
		return p.slow(c, 2)
	})
}

// slow reports whether the node at c takes longer than arithmetic does, loops aside; calls
// are followed down to a depth.
func (p *pass) slow(c inspector.Cursor, depth int) bool {
	switch n := c.Node().(type) {
	case *ast.CallExpr:
		return !p.cheapCall(c, depth)
	case *ast.GoStmt, *ast.DeferStmt:
		return true
	default:
		return communicates(n)
	}
}

// cheapPackages have functions of a few nanoseconds only, as far as loops over
// numbers use them.
var cheapPackages = map[string]bool{
	"math": true, "math/bits": true, "math/cmplx": true, "math/rand": true, "math/rand/v2": true,
	"sync/atomic": true, "unsafe": true, "unicode": true, "unicode/utf8": true, "cmp": true,
}

// cheapCall reports whether the call at c takes some nanoseconds: a conversion, a
// builtin, arithmetic of the standard library, or a function of this package that
// consists of such, down to a depth.
func (p *pass) cheapCall(c inspector.Cursor, depth int) bool {
	call := c.Node().(*ast.CallExpr)
	if p.TypesInfo.Types[call.Fun].IsType() {
		return true
	}
	if b, ok := typeutil.Callee(p.TypesInfo, call).(*types.Builtin); ok {
		return b.Name() != "print" && b.Name() != "println"
	}
	if cheapPackages[pathOf(calleeOf(p.TypesInfo, call))] {
		return true
	}
	callee := p.functions.of(p.TypesInfo, c, call.Fun)
	return bodyOf(callee) != nil && depth > 0 && !some(callee.Preorder(), func(c inspector.Cursor) bool {
		switch c.Node().(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return c != callee
		}
		return p.slow(c, depth-1)
	})
}
