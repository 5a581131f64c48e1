package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A formula is a compiled expression of one variable, n.
type formula func(n float64) float64

// parseFormula compiles an expression by recursive descent: a sum of products
// of signed powers, the usual precedence; ^ binds to the right.
func parseFormula(s string) (formula, error) {
	p := &formulaParser{rest: s}
	f, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.peek(); p.rest != "" {
		return nil, fmt.Errorf("unexpected %q: want an operator (+ - * / ^) or the end", p.rest)
	}
	return f, nil
}

type formulaParser struct {
	rest  string
	depth int
}

// maxDepth bounds the nesting, and with it the parser's stack.
const maxDepth = 100

// peek skips blanks and returns the next byte, 0 at the end.
func (p *formulaParser) peek() byte {
	p.rest = strings.TrimLeft(p.rest, " \t")
	if p.rest == "" {
		return 0
	}
	return p.rest[0]
}

// take consumes c when it comes next.
func (p *formulaParser) take(c byte) bool {
	if p.peek() != c || c == 0 {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *formulaParser) sum() (formula, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	return p.chain("+-", p.product)
}

func (p *formulaParser) product() (formula, error) { return p.chain("*/", p.power) }

// chain parses operands with any of the operators between them, from the left.
func (p *formulaParser) chain(operators string, operand func() (formula, error)) (formula, error) {
	a, err := operand()
	for err == nil {
		c := p.peek()
		if c == 0 || strings.IndexByte(operators, c) < 0 {
			return a, nil
		}
		p.take(c)
		l := a
		var r formula
		r, err = operand()
		switch c {
		case '+':
			a = func(n float64) float64 { return l(n) + r(n) }
		case '-':
			a = func(n float64) float64 { return l(n) - r(n) }
		case '*':
			a = func(n float64) float64 { return l(n) * r(n) }
		case '/':
			a = func(n float64) float64 { return l(n) / r(n) }
		}
	}
	return nil, err
}

func (p *formulaParser) power() (formula, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	if p.take('-') {
		a, err := p.power()
		return func(n float64) float64 { return -a(n) }, err
	}
	a, err := p.operand()
	if err != nil || !p.take('^') {
		return a, err
	}
	b, err := p.power()
	return func(n float64) float64 { return math.Pow(a(n), b(n)) }, err
}

func (p *formulaParser) operand() (formula, error) {
	c := p.peek()
	switch {
	case c == 0:
		return nil, fmt.Errorf("the formula ends too early: want a number, n, a function or a parenthesis")
	case p.take('('):
		a, err := p.sum()
		if err == nil && !p.take(')') {
			err = fmt.Errorf("a closing parenthesis is missing before %q", p.rest)
		}
		return a, err
	case c >= '0' && c <= '9' || c == '.':
		word := p.word("0123456789.")
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number", word)
		}
		return func(float64) float64 { return x }, nil
	}
	word := p.word("abcdefghijklmnopqrstuvwxyz")
	if f, ok := unary[word]; ok {
		args, err := p.args(word, 1)
		return func(n float64) float64 { return f(args[0](n)) }, err
	}
	if f, ok := binary[word]; ok {
		args, err := p.args(word, 2)
		return func(n float64) float64 { return f(args[0](n), args[1](n)) }, err
	}
	switch word {
	case "n":
		return func(n float64) float64 { return n }, nil
	case "":
		return nil, fmt.Errorf("unexpected %q: want a number, n, a function or a parenthesis", p.rest)
	}
	return nil, fmt.Errorf("unknown name %q: want n, min, max, ln, exp or sqrt", word)
}

// The functions, by the number of their arguments.
var (
	unary  = map[string]func(float64) float64{"ln": math.Log, "exp": math.Exp, "sqrt": math.Sqrt}
	binary = map[string]func(a, b float64) float64{"min": math.Min, "max": math.Max}
)

// word consumes the longest prefix made of the given bytes.
func (p *formulaParser) word(of string) string {
	i := 0
	for i < len(p.rest) && strings.IndexByte(of, p.rest[i]) >= 0 {
		i++
	}
	w := p.rest[:i]
	p.rest = p.rest[i:]
	return w
}

func (p *formulaParser) args(name string, want int) ([]formula, error) {
	if !p.take('(') {
		return nil, fmt.Errorf("%s needs its argument(s) in parentheses", name)
	}
	var args []formula
	for {
		a, err := p.sum()
		if err != nil {
			return nil, err
		}
		args = append(args, a)
		if p.take(',') {
			continue
		}
		if !p.take(')') {
			return nil, fmt.Errorf("a closing parenthesis is missing after the arguments of %s", name)
		}
		if len(args) != want {
			return nil, fmt.Errorf("%s takes %d argument(s), got %d", name, want, len(args))
		}
		return args, nil
	}
}
