package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// shifts returns the shifts in files that leave nothing of a number, as an int has as
// many bits as the system likes. It is all that go vet finds on one system and not on
// another.
func (c *checker) shifts(files []*ast.File, info *types.Info) []error {
	var errs []error
	look := func(pos token.Pos, x, by ast.Expr) {
		count := info.Types[by].Value
		basic, ok := types.Unalias(info.TypeOf(x)).Underlying().(*types.Basic)
		if count == nil || info.Types[x].Value != nil || !ok || basic.Info()&types.IsInteger == 0 {
			return // the compiler checks constants, and nobody can tell of the rest
		}
		bits := 8 * c.sizes.Sizeof(basic)
		if n, ok := constant.Int64Val(constant.ToInt(count)); ok && n >= bits {
			errs = append(errs, fmt.Errorf("%s: %s has %d bits, too few to shift it by %d", c.fset.Position(pos), types.ExprString(x), bits, n))
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.SHL || n.Op == token.SHR {
					look(n.Pos(), n.X, n.Y)
				}
			case *ast.AssignStmt:
				if n.Tok == token.SHL_ASSIGN || n.Tok == token.SHR_ASSIGN {
					look(n.Pos(), n.Lhs[0], n.Rhs[0])
				}
			}
			return true
		})
	}
	return errs
}
