package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
)

var ioBound = &check{
	name: "iobound",
	doc: `report as many workers as CPUs where the work waits for others

	for range runtime.NumCPU() {
		go func() {
			for url := range urls {
				fetch(url)
			}
		}()
	}

While a worker waits for another machine, its CPU has nothing to do. The best number
depends on how long an answer takes, and on how many the other side bears; it is often
a hundred times the number of CPUs, and no constant.

Only what is known to use the network, a database or another process counts as
waiting: files of this machine are often in memory.`,
	surest: Info,
	run: func(p *pass) {
		c := &boundCheck{p}
		for s := range p.spawns() {
			c.spawn(s)
		}
	},
}

// A boundCheck looks for workers that wait.
type boundCheck struct{ *pass }

func (c *boundCheck) spawn(s *spawn) {
	if s.body() == nil {
		return
	}
	loop := innermostLoop(s.cur)
	if !loop.Valid() {
		return
	}
	d := s.head()
	if count := countOf(c.TypesInfo, loop.Node()); count != nil && c.countsCPUs(count) {
		if c.takesRemote(s.target) {
			d.Message = "there are as many workers as CPUs, but each of them waits for another machine or process, which leaves the CPUs idle: sweetspot.ForEachSeq, or a sweetspot.Pool, finds how many pay"
			c.report(Info, d)
		}
		return
	}
	if limit := c.limit(s); limit != nil && c.countsCPUs(limit) && c.efforts.within(s.body(), s.target.Node(), nil) >= remote {
		d.Message = "as many of these goroutines as there are CPUs run at a time, but each waits for another machine or process, which leaves the CPUs idle: let the SetLimiter of a sweetspot.Group find how many pay"
		c.report(Info, d)
	}
}

// countsCPUs reports whether a number is that of the CPUs, or made of it.
func (c *boundCheck) countsCPUs(e ast.Expr) bool {
	return contains(c.functions.soleOf(c.TypesInfo, e), func(n ast.Node) bool { return asksCPUs(c.TypesInfo, n) })
}

// takesRemote reports whether a function receives from a channel in a loop, and waits
// for another machine or process in each turn.
func (c *boundCheck) takesRemote(function inspector.Cursor) bool {
	for loop := range function.Preorder((*ast.RangeStmt)(nil), (*ast.ForStmt)(nil)) {
		switch l := loop.Node().(type) {
		case *ast.RangeStmt:
			if isChan(c.TypesInfo.TypeOf(l.X)) && c.efforts.each(l.Body, nil) >= remote {
				return true
			}
		case *ast.ForStmt:
			for op := range loop.Preorder((*ast.UnaryExpr)(nil)) {
				if isItem(c.TypesInfo, op.Node().(*ast.UnaryExpr)) && c.efforts.each(l.Body, nil) >= remote {
					return true
				}
			}
		}
	}
	return false
}

// isItem reports whether an expression receives an item, and not a signal.
func isItem(info *types.Info, e *ast.UnaryExpr) bool {
	ch, ok := typeUnder(info, e.X).(*types.Chan)
	return ok && !isSignal(ch) && !isTime(ch.Elem())
}

// limit returns what the group of a spawn was given as limit in the same function.
func (c *boundCheck) limit(s *spawn) (limit ast.Expr) {
	f := functionAround(s.cur)
	if s.group == nil || !f.Valid() {
		return nil
	}
	group := types.ExprString(s.group)
	for call := range f.Preorder((*ast.CallExpr)(nil)) {
		n := call.Node().(*ast.CallExpr)
		sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		if ok && sel.Sel.Name == "SetLimit" && len(n.Args) == 1 && types.ExprString(sel.X) == group {
			limit = n.Args[0]
		}
	}
	return limit
}
