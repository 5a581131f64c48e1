package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// takes is the fact that a function has a certain effort. It crosses packages.
type takes struct{ Effort effort }

func (*takes) AFact() {}

// takesAnalyzer finds out what functions do, for the inventory of [Numbers]. For a check
// an effort is a reason against a finding, so that in doubt it is great. Here it describes
// the work: in doubt it is opaque, and what only accompanies the work does not count.
var takesAnalyzer = effortsBy("sweetspottakes", "find the functions that compute, and those that wait", new(takes), func(a *analysis.Pass) *efforts {
	return &efforts{
		standard: standardWork,
		unknown:  workBySignature,
		aside:    aside(a.TypesInfo),
		assembly: loops,
		imported: func(f *types.Func) (effort, bool) {
			fact := new(takes)
			known := a.ImportObjectFact(f, fact)
			return fact.Effort, known
		},
		export: func(f *types.Func, of effort) {
			if of != opaque && f.Exported() {
				a.ExportObjectFact(f, &takes{of})
			}
		},
	}
})

// aside returns a function that reports what accompanies the work of a function: what it
// does after an error, and what it logs.
func aside(info *types.Info) func(ast.Node) bool {
	afterError := make(map[ast.Node]bool)
	return func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if cond, ok := n.Cond.(*ast.BinaryExpr); ok && cond.Op == token.NEQ && info.Types[cond.Y].IsNil() {
				if t := info.TypeOf(cond.X); t != nil && isError(t) {
					afterError[n.Body] = true
				}
			}
		case *ast.CallExpr:
			return logs.MatchString(lastName(n.Fun))
		}
		return afterError[n]
	}
}

// logs matches the names of functions that tell somebody what is going on.
var logs = patternOf(`^(?i:log|debug|trace|info|warn|warning|error)(f|w|ln)?$`)

// computing are the packages of the standard library, or what their paths begin with,
// that compute, be it on what they read.
var computing = patternOf(`^(archive|bufio|compress|container|crypto|encoding|go/|hash|html|image|index|math/big|regexp|sort|text)\b`)

// beside are those whose calls accompany the work.
var beside = patternOf(`^(fmt|log|log/slog|reflect|runtime|runtime/debug|runtime/pprof|sync|sync/atomic|expvar)$`)

// standardWork is like standardEffort. Locks are beside the work, and so is waiting for
// goroutines, since what is done under or by these counts; crypto/tls does talk to others.
func standardWork(f *types.Func) (effort, bool) {
	known, ok := standardEffort(f)
	if f.Pkg() == nil {
		return known, ok
	}
	switch path := f.Pkg().Path(); {
	case beside.MatchString(path):
		return cheap, true
	case ok || strings.HasPrefix(path, "crypto/tls"):
		return known, ok
	case computing.MatchString(path):
		return loops, true
	}
	return known, ok
}

// workBySignature says that a function of which nothing else is known waits if it takes a
// context: that is there for those who wait. A function value may do anything.
func workBySignature(sig *types.Signature, dynamic bool) effort {
	if (!dynamic || sig.Recv() != nil) && takesContext(sig) {
		return waits
	}
	return opaque
}

// running returns the effort of a function that something starts.
func (e *efforts) running(fun ast.Expr) effort {
	fun = ast.Unparen(e.functions.soleOf(e.info, fun))
	if lit, ok := fun.(*ast.FuncLit); ok {
		return e.within(lit.Body, lit, e.aside)
	}
	return e.call(&ast.CallExpr{Fun: fun}, nil)
}
