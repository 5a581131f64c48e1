package sim

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"strconv"
)

// A formula is a compiled expression of one variable, n.
type formula func(n float64) float64

// parseFormula compiles an expression, which has the syntax and the precedence of Go.
func parseFormula(s string) (formula, error) {
	e, err := parser.ParseExpr(s)
	if err != nil {
		return nil, fmt.Errorf("at %w", err) // it begins with line and column
	}
	return compile(e)
}

// The functions and operators, by the number of their operands.
var (
	unary = map[string]func(float64) float64{
		"ln": math.Log, "exp": math.Exp, "sqrt": math.Sqrt,
		"-": func(a float64) float64 { return -a },
	}
	binary = map[string]func(a, b float64) float64{
		"min": math.Min, "max": math.Max, "pow": math.Pow,
		"+": func(a, b float64) float64 { return a + b },
		"-": func(a, b float64) float64 { return a - b },
		"*": func(a, b float64) float64 { return a * b },
		"/": func(a, b float64) float64 { return a / b },
	}
)

func compile(e ast.Expr) (formula, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return compile(e.X)
	case *ast.BasicLit:
		x, err := strconv.ParseFloat(e.Value, 64)
		if err != nil || e.Kind != token.INT && e.Kind != token.FLOAT {
			return nil, fmt.Errorf("%s is not a number", e.Value)
		}
		return func(float64) float64 { return x }, nil
	case *ast.Ident:
		if e.Name == "n" {
			return func(n float64) float64 { return n }, nil
		}
	case *ast.UnaryExpr:
		return apply(e.Op.String(), e.X)
	case *ast.BinaryExpr:
		return apply(e.Op.String(), e.X, e.Y)
	case *ast.CallExpr:
		return apply(types.ExprString(e.Fun), e.Args...)
	}
	return nil, fmt.Errorf("%s: want a number, n, + - * /, parentheses, min, max, pow, ln, exp or sqrt", types.ExprString(e))
}

// apply compiles a function, or an operator, with its operands.
func apply(name string, operands ...ast.Expr) (formula, error) {
	var fs [2]formula
	for i, x := range operands[:min(len(operands), len(fs))] {
		var err error
		if fs[i], err = compile(x); err != nil {
			return nil, err
		}
	}
	f, one := unary[name]
	g, two := binary[name]
	switch {
	case one && len(operands) == 1:
		return func(n float64) float64 { return f(fs[0](n)) }, nil
	case two && len(operands) == 2:
		return func(n float64) float64 { return g(fs[0](n), fs[1](n)) }, nil
	case one || two:
		return nil, fmt.Errorf("%s does not take %d argument(s)", name, len(operands))
	}
	return nil, fmt.Errorf("unknown name %q: want + - * / min, max, pow, ln, exp or sqrt", name)
}
