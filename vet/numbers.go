package vet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// A Number is one that bounds how much happens at a time, and that somebody has chosen,
// or a loop that starts goroutines without one.
type Number struct {
	Pos, End token.Pos  `json:"-"`
	Kind     NumberKind `json:"kind"`
	Value    string     `json:"value"`   // as the source has it, with what a name stands for: "workers = 5"
	Work     Work       `json:"work"`    // of what it bounds
	Instead  string     `json:"instead"` // what to write instead of the number
}

// String describes the number in a line.
func (n Number) String() string {
	return fmt.Sprintf("%s: %s; the work behind it %s; instead: %s", n.Kind, n.Value, n.Work, n.Instead)
}

// A NumberKind is what a [Number] bounds, as far as it tells kinds apart.
type NumberKind string

const (
	GroupLimit  NumberKind = "group limit" // SetLimit of an errgroup.Group, or of another group
	WorkerLoop  NumberKind = "workers"     // turns of a loop that starts a goroutine in each
	PoolSize    NumberKind = "pool"        // of goroutines
	Semaphore   NumberKind = "semaphore"   // a weighted one, or a channel used as one
	Connections NumberKind = "connections" // of a client to a server
	Setting     NumberKind = "setting"     // a field or an argument whose name says that it bounds concurrency
	FlagDefault NumberKind = "default"     // of a flag or an option
	Processors  NumberKind = "GOMAXPROCS"
	Unbounded   NumberKind = "no number" // a goroutine for each element of the data
)

// Work is what the work behind a [Number] does, as far as its source tells.
type Work string

const (
	Computes Work = "computes"
	Waits    Work = "waits" // for others, be it that it computes, too
	Unknown  Work = "unknown"
)

// String returns the work as a verb.
func (w Work) String() string {
	if w == Unknown {
		return "is unknown"
	}
	return string(w)
}

func workOf(e effort) Work {
	switch {
	case e >= waits:
		return Waits
	case e&opaque != 0:
		return Unknown
	}
	return Computes
}

// Numbers returns an analyzer that lists the numbers that bound concurrency and are chosen
// by hand. Its result is a []Number, in the order of files and lines. It reports no
// diagnostics: that a number was chosen is no fault, and which ones cost something only a
// measurement tells.
func Numbers(opts ...Option) *analysis.Analyzer {
	set := settings{upTo: Hot}
	for _, o := range opts {
		o(&set)
	}
	return &analysis.Analyzer{
		Name: "numbers",
		Doc: `list the numbers that bound concurrency and are chosen by hand

Such a number was right on one machine, with one service behind it, on one day. The list
says what the work behind each does, and which call finds the number at run time.`,
		URL:        "https://github.com/sweetspot-go/sweetspot/blob/main/docs/vet.md#numbers",
		Requires:   []*analysis.Analyzer{inspect.Analyzer, spawnAnalyzer, channelAnalyzer, takesAnalyzer},
		ResultType: reflect.TypeFor[[]Number](),
		Run: func(a *analysis.Pass) (any, error) {
			v := &inventory{
				pass: &pass{
					Pass:      a,
					set:       set,
					inspector: a.ResultOf[inspect.Analyzer].(*inspector.Inspector),
					functions: a.ResultOf[spawnAnalyzer].(*functions),
					channels:  a.ResultOf[channelAnalyzer].(*channels),
				},
				takes: a.ResultOf[takesAnalyzer].(*efforts),
			}
			v.loops()
			v.tokens()
			v.named()
			slices.SortStableFunc(v.list, func(a, b Number) int { return cmp.Compare(a.Pos, b.Pos) })
			return v.list, nil
		},
	}
}

type inventory struct {
	*pass
	takes    *efforts
	list     []Number
	mentions map[types.Object][]inspector.Cursor // of variables, by mentionsOf
}

// add takes in the number e, at the node where it has its effect.
func (v *inventory) add(at ast.Node, kind NumberKind, e ast.Expr, work effort, instead string) {
	v.list = append(v.list, Number{Pos: at.Pos(), End: headEnd(at), Kind: kind, Value: v.value(e), Work: workOf(work), Instead: instead})
}

// headEnd returns where a node ends, the body of a loop left out.
func headEnd(n ast.Node) token.Pos {
	switch n := n.(type) {
	case *ast.RangeStmt:
		return n.Body.Lbrace
	case *ast.ForStmt:
		return n.Body.Lbrace
	}
	return n.End()
}

// value describes a number: how it is written, and what a name in it stands for.
func (v *inventory) value(e ast.Expr) string {
	text := types.ExprString(e)
	if tv := v.TypesInfo.Types[e]; tv.Value != nil {
		if exact := tv.Value.ExactString(); exact != text {
			text += " = " + exact
		}
	} else if sole := v.functions.soleOf(v.TypesInfo, e); sole != ast.Unparen(e) {
		text += " = " + types.ExprString(sole)
	}
	return text
}

// chosen reports whether the number e is chosen where it stands: it is constant, and not
// zero or one, or made of the number of CPUs.
func (v *inventory) chosen(e ast.Expr) bool {
	if !isBasic(v.TypesInfo.TypeOf(e), types.IsInteger) {
		return false
	}
	sole := v.functions.soleOf(v.TypesInfo, e)
	if n, ok := constantInt(v.TypesInfo, sole); ok {
		return n > 1
	}
	return contains(sole, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		return asksCPUs(v.TypesInfo, n) || ok && asksCPUs(v.TypesInfo, v.functions.soleOf(v.TypesInfo, id))
	})
}

// isOne reports whether a number is constant, and leaves nothing to happen at a time.
func (v *inventory) isOne(e ast.Expr) bool {
	n, ok := constantInt(v.TypesInfo, v.functions.soleOf(v.TypesInfo, e))
	return ok && n <= 1
}
