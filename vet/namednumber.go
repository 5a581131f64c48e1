package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// named takes in the numbers that a call or a name tells to bound concurrency.
func (v *inventory) named() {
	for c := range v.nodes((*ast.CallExpr)(nil), (*ast.CompositeLit)(nil), (*ast.AssignStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.CallExpr:
			if f := calleeOf(v.TypesInfo, n); f != nil && f.Pkg() != nil {
				v.call(c, n, f)
			}
		case *ast.CompositeLit:
			v.literal(n)
		case *ast.AssignStmt:
			if n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
				for i, to := range n.Lhs {
					if sel, ok := ast.Unparen(to).(*ast.SelectorExpr); ok {
						v.field(n, sel.Sel, n.Rhs[i])
					}
				}
			}
		}
	}
}

// A bound is a function that takes a number that bounds something.
type bound struct {
	arg     int // which argument it is
	kind    NumberKind
	instead string
}

// bounds are functions whose parameters have names that tell nothing, by the last two
// elements of their packages' paths without the version, and their names.
var bounds = map[string]bound{
	"database/sql.DB.SetMaxOpenConns":       {0, Connections, "a sweetspot.Limiter in the driver, by contrib/sql"},
	"sync/semaphore.NewWeighted":            {0, Semaphore, "sweetspot.Limiter"},
	"marusama/semaphore.New":                {0, Semaphore, "sweetspot.Limiter"},
	"remeh/sizedwaitgroup.New":              {0, GroupLimit, groupInstead},
	"net/netutil.LimitListener":             {1, Connections, "httplimit.Server"},
	"panjf2000/ants.NewPool":                {0, PoolSize, poolInstead},
	"panjf2000/ants.NewPoolWithFunc":        {0, PoolSize, poolInstead},
	"panjf2000/ants.NewPoolWithFuncGeneric": {0, PoolSize, poolInstead},
	"panjf2000/ants.NewMultiPool":           {1, PoolSize, poolInstead},
	"panjf2000/ants.NewMultiPoolWithFunc":   {1, PoolSize, poolInstead},
	"Jeffail/tunny.New":                     {0, PoolSize, poolInstead},
	"Jeffail/tunny.NewFunc":                 {0, PoolSize, poolInstead},
	"Jeffail/tunny.NewCallback":             {0, PoolSize, poolInstead},
	"alitto/pond.New":                       {0, PoolSize, poolInstead},
	"alitto/pond.NewPool":                   {0, PoolSize, poolInstead},
	"alitto/pond.NewResultPool":             {0, PoolSize, poolInstead},
	"gammazero/workerpool.New":              {0, PoolSize, poolInstead},
	"sweetspot-go/sweetspot.Fixed":          {0, WorkerLoop, "no option: the call finds the number"},
}

const poolInstead = "sweetspot.Pool"

// call takes in the number of a call of a function of this or another package.
func (v *inventory) call(c inspector.Cursor, call *ast.CallExpr, f *types.Func) {
	b, ok := bounds[shortPath(f.Pkg().Path())+"."+nameOf(f.Origin())]
	switch {
	case ok:
	case isFunc(v.TypesInfo, call, "runtime", "GOMAXPROCS"):
		// One that stands for it restores what was before.
		if n, ok := constantInt(v.TypesInfo, call.Args[0]); (!ok || n > 0) && !v.standsFor(call.Args[0], "GOMAXPROCS") {
			v.add(call, Processors, call.Args[0], opaque, "no call: the runtime knows the CPUs")
		}
		return
	case (f.Name() == "SetLimit" || f.Name() == "WithMaxGoroutines") && len(call.Args) == 1 && starts(f):
		b = bound{0, GroupLimit, groupInstead}
	default:
		v.arguments(call, f)
		return
	}
	if b.arg >= len(call.Args) || v.isOne(call.Args[b.arg]) {
		return
	}
	work := opaque
	if b.kind == Connections {
		work = waits
	} else if uses := v.usesOf(c, call); uses != nil {
		work = v.under(uses)
	}
	v.add(call, b.kind, call.Args[b.arg], work, b.instead)
}

// starts reports whether f is a method of what starts goroutines by a method Go.
func starts(f *types.Func) bool {
	obj, _, _ := types.LookupFieldOrMethod(recvType(f), true, f.Pkg(), "Go")
	return obj != nil
}

// shortPath returns the last two elements of the path of a package, without a version.
func shortPath(path string) string {
	parts := strings.Split(path, "/")
	if n := len(parts); n > 1 && majorVersion.MatchString(parts[n-1]) {
		parts = parts[:n-1]
	}
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

var majorVersion = patternOf(`^v[0-9]+$`)

// usesOf returns the calls of methods of what a call makes, or of what it is a method of,
// and the call itself if it takes a function.
func (v *inventory) usesOf(c inspector.Cursor, call *ast.CallExpr) (uses []inspector.Cursor) {
	if functionsAmong(v.TypesInfo, call.Args) != nil {
		uses = append(uses, c)
	}
	holder := v.holder(c)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && holder == nil {
		holder = v.selected(sel.X)
	}
	if holder == nil {
		return uses
	}
	for _, m := range v.mentionsOf(holder) {
		for m.ParentEdgeKind() == edge.SelectorExpr_Sel || m.ParentEdgeKind() == edge.SelectorExpr_X {
			m = m.Parent()
		}
		if m.ParentEdgeKind() == edge.CallExpr_Fun && m.Parent() != c {
			uses = append(uses, m.Parent())
		}
	}
	return uses
}

// holder returns the variable or the field that the value of the call at c is put into, be
// it by way of other calls of its methods; nil if that is unknown.
func (v *inventory) holder(c inspector.Cursor) types.Object {
	for {
		kind, i := c.ParentEdge()
		switch parent := c.Parent().Node().(type) {
		case *ast.AssignStmt, *ast.ValueSpec:
			if kind != edge.AssignStmt_Rhs && kind != edge.ValueSpec_Values {
				return nil
			}
			to, values := sides(parent)
			if len(to) != len(values) {
				i = 0
			}
			return v.selected(to[i])
		case *ast.KeyValueExpr:
			return v.selected(parent.Key)
		case *ast.ParenExpr, *ast.SelectorExpr, *ast.UnaryExpr, *ast.StarExpr:
		case *ast.CallExpr:
			if kind != edge.CallExpr_Fun {
				return nil
			}
		default:
			return nil
		}
		c = c.Parent()
	}
}

// selected returns the variable or the field that e names.
func (v *inventory) selected(e ast.Expr) types.Object {
	if star, ok := ast.Unparen(e).(*ast.StarExpr); ok {
		return v.selected(star.X)
	}
	if obj, ok := objectOf(v.TypesInfo, e).(*types.Var); ok {
		return obj
	}
	return nil
}

// arguments takes in the numbers that are chosen in a call, if the name of the parameter,
// of the function, or of the flag that is declared tells that they bound concurrency.
func (v *inventory) arguments(call *ast.CallExpr, f *types.Func) {
	params := f.Signature().Params()
	flag := false
	for i, arg := range call.Args {
		tv := v.TypesInfo.Types[arg]
		if declaresFlag.MatchString(f.Name()) {
			if tv.Value != nil && tv.Value.Kind() == constant.String {
				flag = flag || boundsByName(constant.StringVal(tv.Value))
			} else if flag && v.chosen(arg) {
				v.add(call, FlagDefault, arg, opaque, settingInstead)
				return
			}
			continue // its parameters have no name but value
		}
		if i >= params.Len() || !v.chosen(arg) || !isBasic(params.At(i).Type(), types.IsInteger) {
			continue
		}
		if boundsByName(params.At(i).Name()) || params.Len() == 1 && boundsByName(f.Name()) {
			name := params.At(i).Name() + " " + f.Name()
			work := workByName(name)
			if fs := functionsAmong(v.TypesInfo, call.Args); fs != nil {
				work = cheap
				for _, f := range fs {
					work |= v.takes.running(f)
				}
			}
			v.add(call, Setting, arg, work, settingInstead)
		}
	}
}

// declaresFlag matches the names of functions that declare a flag, or a default.
var declaresFlag = patternOf(`^(U?[Ii]nt(8|16|32|64)?(Var)?P?|SetDefault)$`)

const settingInstead = "a sweetspot.Limiter, with this as its Max"

// literal takes in the numbers that fields of a literal have, and the default of a flag
// that is declared by one.
func (v *inventory) literal(lit *ast.CompositeLit) {
	flag := false
	for _, elt := range lit.Elts {
		kv, ok := elt.(*ast.KeyValueExpr)
		if !ok {
			return
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok {
			return
		}
		v.field(kv, key, kv.Value)
		if s := v.TypesInfo.Types[kv.Value].Value; key.Name == "Name" && s != nil && s.Kind() == constant.String {
			flag = boundsByName(constant.StringVal(s))
		}
		if flag && (key.Name == "Default" || key.Name == "Value") && v.chosen(kv.Value) {
			v.add(kv, FlagDefault, kv.Value, opaque, settingInstead)
		}
	}
}

// field takes in the number that a field gets at a node, if it is chosen there and the
// name of the field tells what it is.
func (v *inventory) field(at ast.Node, name *ast.Ident, value ast.Expr) {
	field, ok := v.TypesInfo.ObjectOf(name).(*types.Var)
	// As a parameter this is mostly one of a pool of memory.
	named := boundsByName(name.Name) || name.Name == "PoolSize"
	if !ok || !field.IsField() || !isBasic(field.Type(), types.IsInteger) || !named || !v.chosen(value) {
		return
	}
	if field.Pkg() != nil && field.Pkg().Path() == "net/http" {
		v.add(at, Connections, value, waits, "httplimit.Transport")
		return
	}
	v.add(at, Setting, value, workByName(name.Name), settingInstead)
}

// workByName returns what the work behind a number does, as far as its name tells: a client
// that has connections waits for answers.
func workByName(name string) effort {
	if strings.Contains(strings.ToLower(name), "conn") {
		return waits
	}
	return opaque
}

// boundsByName reports whether the name of a parameter, a field, a function or a flag says
// that it bounds how much happens at a time.
func boundsByName(name string) bool {
	return aboutBounds.MatchString(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
}

var aboutBounds = patternOf(`(?i)` +
	`concurrency|parallelism|maxconcurrent|maxparallel|max(in)?flight|maxoutstanding|` + // requests at a time
	`^(num|default)?parallel$|` +
	`(workers|goroutines|threads)(count|num|size|limit)?$|` +
	`(worker|thread|goroutine|routine)(s|count|num|size|limit)$|^(num|max)(worker|thread|goroutine)$|` +
	`threadstreams$|^maxprocs$|^(max|num)?jobs$|` +
	`^(with|set)?(max|num|default)?(open|active)?conn(ection)?s(perhost)?$`)
