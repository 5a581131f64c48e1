package vet

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ast/inspector"
)

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

// leaves reports whether the statement ends the loop that it stands in, as far as a
// break within a switch may.
func leaves(s ast.Node, loop inspector.Cursor) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.GOTO || s.Tok == token.CONTINUE && s.Label != nil && !hasLabel(loop, s.Label.Name)
	}
	return false
}

func hasLabel(loop inspector.Cursor, name string) bool {
	l, ok := loop.Parent().Node().(*ast.LabeledStmt)
	return ok && l.Label.Name == name
}
