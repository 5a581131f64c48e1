package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// An effort is what it takes to execute some code, as far as its source tells: a set of
// the below. The greater one is in doubt the right one: it is a reason against a finding
// about the cost of passing items on.
type effort uint8

const (
	opaque effort = 1 << iota // calls a function value or the like, of which nothing is known
	loops                     // as long as there are elements
	waits                     // reads, writes, sleeps, or waits for somebody else

	cheap effort = 0 // arithmetic, memory, a call of something cheap: below a microsecond
)

// doesIO is the fact that a function does I/O or waits, itself or in what it calls
// statically. It crosses packages; within one, and for the standard library, more is
// known.
type doesIO struct{}

func (*doesIO) AFact() {}

func (*doesIO) String() string { return "doesIO" }

type efforts struct {
	info      *types.Info
	functions *functions
	of        map[ast.Node]effort // *ast.FuncDecl and the *ast.FuncLit that variables hold

	standard func(*types.Func) (effort, bool) // of functions of the standard library
	imported func(*types.Func) (effort, bool) // of functions of other packages
	export   func(*types.Func, effort)        // to the packages above
	unknown  func(sig *types.Signature, dynamic bool) effort
	aside    func(ast.Node) bool // what does not count in a function; nil if all does
	passing  bool                // operations on channels count in a function
	assembly effort              // of functions without a body
}

// effortAnalyzer finds the efforts of functions, and tells the packages above which
// ones do I/O.
var effortAnalyzer = effortsBy("sweetspoteffort", "find the functions that do I/O", new(doesIO), func(a *analysis.Pass) *efforts {
	return &efforts{
		standard: standardEffort,
		unknown:  bySignature,
		passing:  true,
		assembly: opaque,
		imported: func(f *types.Func) (effort, bool) {
			return waits, a.ImportObjectFact(f, new(doesIO))
		},
		export: func(f *types.Func, of effort) {
			if of >= waits {
				a.ExportObjectFact(f, new(doesIO))
			}
		},
	}
})

// effortsBy returns an analyzer that finds the efforts of functions by the rules that begin
// returns, and that tells the packages above by that fact.
func effortsBy(name, doc string, fact analysis.Fact, begin func(*analysis.Pass) *efforts) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       name,
		Doc:        doc,
		Requires:   []*analysis.Analyzer{inspect.Analyzer, spawnAnalyzer},
		ResultType: reflect.TypeFor[*efforts](),
		FactTypes:  []analysis.Fact{fact},
		Run: func(a *analysis.Pass) (any, error) {
			e := begin(a)
			e.info, e.functions, e.of = a.TypesInfo, a.ResultOf[spawnAnalyzer].(*functions), make(map[ast.Node]effort)
			e.settle()
			if !isStandard(a.Pkg.Path()) {
				// Of the standard library the table knows more: it sees through
				// interfaces, and it holds where the library is not analysed.
				for obj, c := range e.functions.decls {
					e.export(obj, e.of[c.Node()])
				}
			}
			return e, nil
		},
	}
}

// settle finds the efforts of all functions. Their calls of each other may go in
// circles, so it repeats until nothing changes: efforts only grow, and there are few.
func (e *efforts) settle() {
	all := slices.AppendSeq(slices.Collect(maps.Values(e.functions.decls)), e.functions.literals())
	for changed := true; changed; {
		changed = false
		for _, c := range all {
			n := c.Node()
			was := e.of[n]
			if was >= waits {
				continue
			}
			now := e.assembly
			if body := bodyOf(c); body != nil {
				now = e.within(body, n, e.aside)
			}
			if now|was != was {
				e.of[n] = now | was
				changed = true
			}
		}
	}
}

// literals yields the function literals that variables hold, and never another.
func (f *functions) literals() iter.Seq[inspector.Cursor] {
	return func(yield func(inspector.Cursor) bool) {
		for _, value := range f.values {
			if !value.Valid() {
				continue
			}
			if lit, ok := ast.Unparen(value.Node().(ast.Expr)).(*ast.FuncLit); ok {
				if c, ok := value.FindNode(lit); ok && !yield(c) {
					return
				}
			}
		}
	}
}

// each returns the effort of one execution of n, in which operations on channels do
// not count, nor what skip, if not nil, reports.
func (e *efforts) each(n ast.Node, skip func(ast.Node) bool) effort {
	return e.within(n, nil, skip)
}

// within is each for a part of the function self, in which operations on channels do
// count if passing; self is nil for each.
func (e *efforts) within(n, self ast.Node, skip func(ast.Node) bool) effort {
	most, counts := cheap, self != nil && e.passing
	ast.Inspect(n, func(n ast.Node) bool {
		if most >= waits || n == nil || skip != nil && skip(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.ForStmt:
			if turns, ok := turnsOf(e.info, n); !ok || turns > fewTurns {
				most |= loops
			}
		case *ast.RangeStmt:
			if isClock(e.info.TypeOf(n.X)) {
				most |= waits
			} else if turns, ok := turnsOf(e.info, n); (!ok || turns > fewTurns) && (counts || !isChan(e.info.TypeOf(n.X))) {
				most |= loops
			}
			// What returns an iterator counts by itself.
			_, made := ast.Unparen(n.X).(*ast.CallExpr)
			if _, ok := typeUnder(e.info, n.X).(*types.Signature); ok && !made {
				most |= e.call(&ast.CallExpr{Fun: n.X}, self)
			}
		case *ast.SendStmt, *ast.SelectStmt:
			if counts {
				most |= opaque
			}
		case *ast.UnaryExpr:
			if n.Op != token.ARROW {
				break
			}
			if isClock(e.info.TypeOf(n.X)) {
				most |= waits
			} else if counts {
				most |= opaque
			}
		case *ast.CallExpr:
			most |= e.call(n, self)
		}
		return true
	})
	return most
}

// isClock reports whether t is a channel of times, such as that of a timer or a ticker.
func isClock(t types.Type) bool {
	return isChan(t) && isNamed(t.Underlying().(*types.Chan).Elem(), "time", "Time")
}

// fewTurns is how many turns a loop may have to count as a part of the straight line
// around it.
const fewTurns = 16

// call returns the effort of the function that is called; that of the arguments not
// included. The call stands in self, if not nil.
func (e *efforts) call(call *ast.CallExpr, self ast.Node) effort {
	if e.info.Types[call.Fun].IsType() {
		return cheap // a conversion
	}
	if _, ok := typeutil.Callee(e.info, call).(*types.Builtin); ok {
		return cheap
	}
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return cheap // its body is a part of the code around it
	}
	callee := calleeOf(e.info, call)
	if callee == nil {
		return e.value(call, self)
	}
	callee = callee.Origin()
	if c, ok := e.functions.decls[callee]; ok {
		if c.Node() == self {
			return loops // a recursion
		}
		return e.of[c.Node()]
	}
	if pkg := callee.Pkg(); pkg == nil || isStandard(pkg.Path()) {
		if known, ok := e.standard(callee); ok {
			return known
		}
	} else if known, ok := e.imported(callee); ok {
		return known
	}
	return e.unknown(callee.Signature(), types.IsInterface(recvType(callee)))
}

// value returns the effort of a call of a function value.
func (e *efforts) value(call *ast.CallExpr, self ast.Node) effort {
	if lit, ok := e.functions.soleOf(e.info, call.Fun).(*ast.FuncLit); ok {
		if lit == self {
			return loops
		}
		return e.of[lit]
	}
	if sig, ok := typeUnder(e.info, call.Fun).(*types.Signature); ok {
		return e.unknown(sig, true)
	}
	return opaque
}

// bySignature guesses from the signature of a function of which nothing else is
// known. What takes a context can wait for long. What is chosen at run time and can
// fail is mostly a store, a client or a handler; what cannot fail mostly computes.
func bySignature(sig *types.Signature, dynamic bool) effort {
	if takesContext(sig) || dynamic && some(sig.Results().Variables(), func(v *types.Var) bool { return isError(v.Type()) }) {
		return waits
	}
	return opaque
}

func takesContext(sig *types.Signature) bool {
	return some(sig.Params().Variables(), func(v *types.Var) bool { return isNamed(v.Type(), "context", "Context") })
}
