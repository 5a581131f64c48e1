package vet

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

var maxProcs = &check{
	name: "maxprocs",
	doc: `report GOMAXPROCS set to what it was before, or to more CPUs than there are

	runtime.GOMAXPROCS(runtime.NumCPU())

GOMAXPROCS has been the number of CPUs by default since Go 1.5. Since Go 1.25 it also
keeps to the CPU limit of a container, and follows it; the call turns both off, so
that the process has more threads than CPUs, and is throttled.

Of grade info: a constant number; automaxprocs where the runtime does its work; and
NumCPU as a number of workers, which does not know of the limit either.`,
	surest: Quiet,
	run: func(p *pass) {
		for c := range p.nodes((*ast.CallExpr)(nil), (*ast.ImportSpec)(nil)) {
			switch n := c.Node().(type) {
			case *ast.CallExpr:
				switch {
				case isFunc(p.TypesInfo, n, "runtime", "GOMAXPROCS"):
					p.maxProcs(c, n)
				case isFunc(p.TypesInfo, n, "runtime", "NumCPU"):
					p.numCPU(c, n)
				}
			case *ast.ImportSpec:
				p.autoMaxProcs(c, n)
			}
		}
	},
}

// followsLimit is the version of Go since which GOMAXPROCS follows the CPU limit of
// the container.
const followsLimit = "go1.25"

func (p *pass) maxProcs(c inspector.Cursor, call *ast.CallExpr) {
	if len(call.Args) != 1 {
		return
	}
	n, constant := constantInt(p.TypesInfo, call.Args[0])
	d := analysis.Diagnostic{Pos: call.Pos(), End: call.End()}
	switch {
	case constant && n <= 0:
		return // it only asks
	case p.standsFor(call.Args[0], "NumCPU"):
		if p.setsOther(c) {
			d.Message = "GOMAXPROCS set by hand does not keep to the CPU limit of a container, as the runtime does since Go 1.25: call runtime.SetDefaultGOMAXPROCS to return to that"
			p.report(Quiet, d)
			return
		}
		d.Message = "GOMAXPROCS is the number of CPUs by default; since Go 1.25 it also keeps to the CPU limit of a container, which this call turns off: delete the call"
		_, named := ast.Unparen(call.Fun).(*ast.SelectorExpr) // or else nobody knows whether the import is used elsewhere
		if s, ok := c.Parent().Node().(*ast.ExprStmt); ok && named && c.Parent().ParentEdgeKind() == edge.BlockStmt_List && !p.needed(c, call.Args[0]) && !remarked(c, s) {
			pos, end := p.wholeLine(c, s)
			d.SuggestedFixes = []analysis.SuggestedFix{{
				Message:   "Delete the call",
				TextEdits: []analysis.TextEdit{{Pos: pos, End: end}},
			}}
		}
		p.report(Quiet, d)
	case p.standsFor(call.Args[0], "GOMAXPROCS"):
		return // it restores what was before
	case constant && c.ParentEdgeKind() != edge.ExprStmt_X:
		return // what was before is kept, and put back later
	case constant:
		d.Message = "GOMAXPROCS is set to " + strconv.FormatInt(n, 10) + " whatever the machine has: leave it to the runtime and to the environment variable GOMAXPROCS, and bound the work instead, as sweetspot.Fixed does"
		p.report(Info, d)
	default:
		d.Message = "GOMAXPROCS set by hand does not follow the CPU limit of a container: leave it to the runtime and to the environment variable GOMAXPROCS, or call runtime.SetDefaultGOMAXPROCS to return to that"
		p.report(Hot, d)
	}
}

// standsFor reports whether e is what a function of package runtime has returned.
func (p *pass) standsFor(e ast.Expr, function string) bool {
	sole, ok := p.functions.soleOf(p.TypesInfo, e).(*ast.CallExpr)
	return ok && isFunc(p.TypesInfo, sole, "runtime", function)
}

// setsOther reports whether the package sets GOMAXPROCS to another number elsewhere, so
// that the call may be there to undo that.
func (p *pass) setsOther(call inspector.Cursor) bool {
	return some(p.nodes((*ast.CallExpr)(nil)), func(c inspector.Cursor) bool {
		n := c.Node().(*ast.CallExpr)
		if c == call || len(n.Args) != 1 || !isFunc(p.TypesInfo, n, "runtime", "GOMAXPROCS") {
			return false
		}
		k, known := constantInt(p.TypesInfo, n.Args[0])
		return (!known || k > 0) && !p.standsFor(n.Args[0], "NumCPU") && !p.standsFor(n.Args[0], "GOMAXPROCS")
	})
}

// needed reports whether deleting the argument would leave a variable unused. To set it is
// no use, nor is to set GOMAXPROCS to it: a fix may delete all such calls at once.
func (p *pass) needed(c inspector.Cursor, arg ast.Expr) bool {
	v := p.variable(arg)
	if v == nil || v.Kind() == types.PackageVar {
		return false
	}
	for use := range functionAround(c).Preorder((*ast.Ident)(nil)) {
		if p.TypesInfo.Uses[use.Node().(*ast.Ident)] != v {
			continue
		}
		for use.ParentEdgeKind() == edge.ParenExpr_X {
			use = use.Parent()
		}
		switch n := use.Parent().Node().(type) {
		case *ast.AssignStmt:
			if use.ParentEdgeKind() == edge.AssignStmt_Lhs && n.Tok == token.ASSIGN {
				continue
			}
		case *ast.CallExpr:
			if use.ParentEdgeKind() == edge.CallExpr_Args && isFunc(p.TypesInfo, n, "runtime", "GOMAXPROCS") {
				continue
			}
		}
		return false
	}
	return true
}

// remarked reports whether there is a comment in s, which people have to judge.
func remarked(c inspector.Cursor, s ast.Stmt) bool {
	return slices.ContainsFunc(fileOf(c).Comments, func(g *ast.CommentGroup) bool { return within(s, g.Pos()) })
}

// wholeLine returns where a statement's lines begin and end if nothing else is on
// them. Otherwise it returns where the statement begins, and where it ends or what comes after
// it in its line begins: a semicolon between them would stay as an empty statement.
func (p *pass) wholeLine(c inspector.Cursor, s ast.Stmt) (pos, end token.Pos) {
	file := p.Fset.File(s.Pos())
	// Of the file itself, whatever its //line comments say.
	line := func(p token.Pos) int { return file.PositionFor(p, false).Line }
	first, last := line(s.Pos()), line(s.End())
	list := c.Parent().Parent().Node().(*ast.BlockStmt)
	alone := line(list.Lbrace) != first && line(list.Rbrace) != last && last < file.LineCount()
	end = s.End()
	for _, other := range slices.Backward(list.List) {
		if other != s && line(other.Pos()) <= last && line(other.End()) >= first {
			alone = false
			if other.Pos() > s.Pos() {
				end = other.Pos()
			}
		}
	}
	for _, group := range fileOf(c).Comments {
		if line(group.Pos()) <= last && line(group.End()) >= first {
			alone = false // a remark on it is for people to judge
			if group.Pos() > s.End() {
				end = min(end, group.Pos())
			}
		}
	}
	if alone {
		return file.LineStart(first), file.LineStart(last + 1)
	}
	return s.Pos(), end
}

// numCPU looks at a call of runtime.NumCPU: whether it is a number of workers.
func (p *pass) numCPU(c inspector.Cursor, call *ast.CallExpr) {
	if c.ParentEdgeKind() == edge.CallExpr_Args && isFunc(p.TypesInfo, c.Parent().Node().(*ast.CallExpr), "runtime", "GOMAXPROCS") {
		return
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !p.since(c, followsLimit) || !p.boundsWorkers(c, call) {
		return
	}
	p.report(Info, analysis.Diagnostic{
		Pos: call.Pos(), End: call.End(),
		Message: "as many workers as the machine has CPUs may be more than the container may use: GOMAXPROCS(0) keeps to its limit, and a sweetspot call needs no number",
		SuggestedFixes: []analysis.SuggestedFix{{
			Message:   "Ask for GOMAXPROCS(0)",
			TextEdits: []analysis.TextEdit{{Pos: call.Pos(), End: call.End(), NewText: []byte(types.ExprString(sel.X) + ".GOMAXPROCS(0)")}},
		}},
	})
}

// boundsWorkers reports whether a call, or the variable that it is the only value of,
// is the number of turns of a loop that starts goroutines, the limit of a group, or
// the size of a channel of tokens.
func (p *pass) boundsWorkers(c inspector.Cursor, call *ast.CallExpr) bool {
	same := func(e ast.Expr) bool { return p.functions.soleOf(p.TypesInfo, e) == ast.Expr(call) }
	if slices.ContainsFunc(p.functions.spawns, func(s *spawn) bool {
		return some(loopsAround(s.cur), func(loop inspector.Cursor) bool {
			count := countOf(p.TypesInfo, loop.Node())
			return count != nil && same(count)
		})
	}) {
		return true
	}
	f := functionAround(c)
	return f.Valid() && some(f.Preorder((*ast.CallExpr)(nil)), func(use inspector.Cursor) bool {
		n := use.Node().(*ast.CallExpr)
		if len(n.Args) == 0 || !same(n.Args[len(n.Args)-1]) {
			return false
		}
		f := calleeOf(p.TypesInfo, n)
		return f != nil && f.Name() == "SetLimit" || isBuiltin(p.TypesInfo, n, "make") && isSignal(typeUnder(p.TypesInfo, n))
	})
}

// isSignal reports whether t is a channel of empty structs.
func isSignal(t types.Type) bool {
	ch, ok := t.Underlying().(*types.Chan)
	return ok && types.Identical(ch.Elem().Underlying(), new(types.Struct))
}

func (p *pass) autoMaxProcs(c inspector.Cursor, spec *ast.ImportSpec) {
	path, _ := strconv.Unquote(spec.Path.Value)
	if path == "go.uber.org/automaxprocs" && p.since(c, followsLimit) {
		p.report(Info, analysis.Diagnostic{
			Pos: spec.Pos(), End: spec.End(),
			Message: "since Go 1.25 the runtime keeps to the CPU limit of a container by itself, and follows it, which automaxprocs does not: drop the import, unless its rounding down is wanted",
		})
	}
}

// since reports whether the file around c is written for that version of Go or a
// later one.
func (p *pass) since(c inspector.Cursor, v string) bool {
	is := cmp.Or(p.TypesInfo.FileVersions[fileOf(c)], p.Pkg.GoVersion())
	return is == "" || version.Compare(is, v) >= 0
}
