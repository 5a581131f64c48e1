package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

// A channel is what a package does with the channels that certain variables, fields,
// parameters and results hold: those between which it passes them on. They may be
// many channels at run time.
//
// It is found by uniting what is assigned to each other, without regard to order or
// to instances (Steensgaard, Points-to analysis in almost linear time, POPL 1996): in
// doubt two channels are one.
type channel struct {
	elem     types.Type
	makes    []inspector.Cursor // *ast.CallExpr
	sends    []inspector.Cursor // *ast.SendStmt
	receives []inspector.Cursor // *ast.UnaryExpr, or *ast.RangeStmt
	closes   []inspector.Cursor // *ast.CallExpr
	foreign  bool               // it, or another instead of it, comes from unknown code
	escapes  bool               // unknown code gets it
	returned []inspector.Cursor // functions of which it is a result
	shared   bool               // it is in something else than local variables
}

// channels are those of a package.
type channels struct {
	all    []*channel
	byNode map[any]*channel // *types.Var, or result
}

// A result is a result of a function of this package.
type result struct {
	function ast.Node // *ast.FuncDecl or *ast.FuncLit
	index    int
}

// channelAnalyzer finds channels for the checks.
var channelAnalyzer = &analysis.Analyzer{
	Name:       "sweetspotchannels",
	Doc:        "find who makes, sends to and receives from a channel",
	Requires:   []*analysis.Analyzer{inspect.Analyzer, spawnAnalyzer},
	ResultType: reflect.TypeFor[*channels](),
	Run: func(a *analysis.Pass) (any, error) {
		u := &unifier{
			info:      a.TypesInfo,
			pkg:       a.Pkg,
			functions: a.ResultOf[spawnAnalyzer].(*functions),
			parent:    make(map[any]any),
			held:      make(map[ast.Node]bool),
		}
		for c := range u.functions.literals() {
			u.held[c.Node()] = true
		}
		root := a.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		for c := range root.Preorder((*ast.Ident)(nil), (*ast.SelectorExpr)(nil), (*ast.CallExpr)(nil), (*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
			switch n := c.Node().(type) {
			case *ast.FuncDecl:
				// Other packages may give it channels, too. That changes nothing for
				// those that this package gives it.
				if u.visible(n.Name.IsExported()) {
					u.publish(n, n.Type)
				}
			case *ast.FuncLit:
				if !u.held[n] && c.ParentEdgeKind() != edge.CallExpr_Fun {
					u.abandon(n, n.Type)
				}
			case ast.Expr:
				if isChan(u.info.TypeOf(n)) {
					u.mention(c, n)
				} else {
					u.function(c, n)
				}
			}
		}
		return u.result(), nil
	},
}

func isChan(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// A unifier unites what holds the same channels: variables, results, and calls of
// make.
type unifier struct {
	info      *types.Info
	pkg       *types.Package
	functions *functions
	held      map[ast.Node]bool // literals that are only called through a variable
	parent    map[any]any
	marks     []mark
}

// A mark is something to tell the channel that a node holds.
type mark struct {
	node any
	tell func(*channel)
}

func (u *unifier) root(n any) any {
	for {
		p, ok := u.parent[n]
		if !ok {
			u.parent[n] = n
			return n
		}
		if p == n {
			return n
		}
		u.parent[n] = u.parent[p]
		n = p
	}
}

func (u *unifier) unite(a, b any) { u.parent[u.root(a)] = u.root(b) }

func (u *unifier) mark(n any, tell func(*channel)) {
	u.root(n)
	u.marks = append(u.marks, mark{n, tell})
}

// lose tells that unknown code gets the channel in n, and may have put it there.
func (u *unifier) lose(n any) {
	u.mark(n, func(c *channel) { c.foreign, c.escapes = true, true })
}

func (u *unifier) result() *channels {
	all := &channels{byNode: make(map[any]*channel)}
	at := make(map[any]*channel)
	for _, m := range u.marks {
		root := u.root(m.node)
		c := at[root]
		if c == nil {
			c = new(channel)
			at[root] = c
			all.all = append(all.all, c)
		}
		m.tell(c)
		if v, ok := m.node.(*types.Var); ok && v.Kind() != types.LocalVar {
			c.shared = true
		}
	}
	for n := range u.parent {
		if c := at[u.root(n)]; c != nil {
			all.byNode[n] = c
		}
	}
	return all
}

// visible reports whether something can be seen by other packages.
func (u *unifier) visible(exported bool) bool { return exported && u.pkg.Name() != "main" }

// abandon tells that unknown code may call a function: it gives the parameters, and
// gets the results.
func (u *unifier) abandon(function ast.Node, t *ast.FuncType) {
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			if v, ok := u.info.Defs[name].(*types.Var); ok && isChan(v.Type()) {
				u.lose(v)
			}
		}
	}
	u.publish(function, t)
}

// publish tells that unknown code gets the results of a function.
func (u *unifier) publish(function ast.Node, t *ast.FuncType) {
	if t.Results == nil {
		return
	}
	i := 0
	for _, field := range t.Results.List {
		for range max(1, len(field.Names)) {
			if isChan(u.info.TypeOf(field.Type)) {
				u.mark(result{function, i}, func(c *channel) { c.escapes = true })
			}
			i++
		}
	}
}

// function takes in what is done with a function, if e is one: a call that has
// several results, or a mention that is no call.
func (u *unifier) function(c inspector.Cursor, e ast.Expr) {
	if call, ok := e.(*ast.CallExpr); ok {
		if t, ok := u.info.TypeOf(e).(*types.Tuple); ok {
			u.results(c, call, t)
		}
		return
	}
	if c.ParentEdgeKind() == edge.SelectorExpr_Sel {
		return
	}
	for c.ParentEdgeKind() == edge.ParenExpr_X || c.ParentEdgeKind() == edge.IndexExpr_X || c.ParentEdgeKind() == edge.IndexListExpr_X {
		c = c.Parent()
	}
	if c.ParentEdgeKind() == edge.CallExpr_Fun {
		return
	}
	if id, ok := e.(*ast.Ident); ok && u.info.Uses[id] == nil || c.ParentEdgeKind() == edge.AssignStmt_Lhs {
		return // where it is declared
	}
	if of := u.functions.of(u.info, c, e); of.Valid() {
		u.abandon(of.Node(), signatureOf(of))
	}
}

// results takes in what becomes of several results.
func (u *unifier) results(c inspector.Cursor, call *ast.CallExpr, t *types.Tuple) {
	f := u.functions.of(u.info, c, call.Fun)
	kind, _ := c.ParentEdge()
	for i := range t.Len() {
		if !isChan(t.At(i).Type()) {
			continue
		}
		var from any = call
		if f.Valid() {
			from = result{f.Node(), i}
		} else {
			u.lose(from)
		}
		switch parent := c.Parent().Node().(type) {
		case *ast.AssignStmt:
			u.assign(from, parent.Lhs[i])
		case *ast.ValueSpec:
			u.assign(from, parent.Names[i])
		case *ast.ReturnStmt:
			u.give(c, from, i)
		default:
			if kind != edge.ExprStmt_X {
				u.lose(from)
			}
		}
	}
}

// mention takes in what is done with the channel that e, the expression at c, is.
func (u *unifier) mention(c inspector.Cursor, e ast.Expr) {
	if u.info.Types[e].IsType() {
		return
	}
	if k := c.ParentEdgeKind(); k == edge.SelectorExpr_Sel || k == edge.KeyValueExpr_Key {
		return // it is taken in with the selector, or with the value
	}
	var n any
	switch e := e.(type) {
	case *ast.CallExpr:
		switch f := u.functions.of(u.info, c, e.Fun); {
		case u.info.Types[e.Fun].IsType():
			return // a conversion: what is converted has been seen through it
		case isBuiltin(u.info, e, "make"):
			n = e
			u.mark(n, func(ch *channel) { ch.makes = append(ch.makes, c) })
		case f.Valid():
			n = result{f.Node(), 0}
		default:
			n = e
			u.lose(n)
		}
	case *ast.Ident:
		n = u.variable(u.info.ObjectOf(e))
	case *ast.SelectorExpr:
		n = u.variable(u.info.ObjectOf(e.Sel))
	}
	if n == nil {
		return // nil itself
	}
	elem := u.info.TypeOf(e).Underlying().(*types.Chan).Elem()
	u.mark(n, func(ch *channel) { ch.elem = elem })
	u.use(c, n)
}

// variable returns the node of a variable.
func (u *unifier) variable(obj types.Object) any {
	v, ok := obj.(*types.Var)
	if !ok {
		return nil
	}
	v = v.Origin()
	if v.Pkg() != u.pkg || u.visible(v.Exported()) && (v.IsField() || v.Kind() == types.PackageVar) {
		u.lose(v)
	}
	return v
}

// use takes in what is done with the channel in n, that the expression at c is.
func (u *unifier) use(c inspector.Cursor, n any) {
	for {
		if c.ParentEdgeKind() == edge.CallExpr_Args && u.info.Types[c.Parent().Node().(*ast.CallExpr).Fun].IsType() {
			if !isChan(u.info.TypeOf(c.Parent().Node().(ast.Expr))) {
				break
			}
		} else if c.ParentEdgeKind() != edge.ParenExpr_X {
			break
		}
		c = c.Parent()
	}
	kind, i := c.ParentEdge()
	parent := c.Parent()
	switch kind {
	case edge.SendStmt_Chan:
		u.mark(n, func(ch *channel) { ch.sends = append(ch.sends, parent) })
	case edge.RangeStmt_X:
		u.mark(n, func(ch *channel) { ch.receives = append(ch.receives, parent) })
	case edge.UnaryExpr_X:
		if parent.Node().(*ast.UnaryExpr).Op != token.ARROW {
			u.lose(n)
			break
		}
		u.mark(n, func(ch *channel) { ch.receives = append(ch.receives, parent) })
	case edge.CallExpr_Args:
		u.argument(parent, n, i)
	case edge.AssignStmt_Rhs:
		if s := parent.Node().(*ast.AssignStmt); len(s.Lhs) == len(s.Rhs) {
			u.assign(n, s.Lhs[i])
		}
	case edge.ValueSpec_Values:
		u.assign(n, parent.Node().(*ast.ValueSpec).Names[i])
	case edge.AssignStmt_Lhs:
		if s := parent.Node().(*ast.AssignStmt); len(s.Lhs) == len(s.Rhs) {
			u.source(n, s.Rhs[i])
		} else if _, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr); !ok {
			u.lose(n) // an element of something
		}
	case edge.ValueSpec_Names:
		if s := parent.Node().(*ast.ValueSpec); len(s.Names) == len(s.Values) {
			u.source(n, s.Values[i])
		} else if len(s.Values) == 1 {
			if _, ok := ast.Unparen(s.Values[0]).(*ast.CallExpr); !ok {
				u.lose(n)
			}
		}
	case edge.ReturnStmt_Results:
		u.give(c, n, i)
	case edge.Field_Names:
		u.name(c, n)
	case edge.KeyValueExpr_Value:
		u.field(parent.Parent(), n, parent.Node().(*ast.KeyValueExpr).Key, 0)
	case edge.CompositeLit_Elts:
		u.field(parent, n, nil, i)
	case edge.BinaryExpr_X, edge.BinaryExpr_Y, edge.ExprStmt_X:
	default:
		u.lose(n)
	}
}

// assign takes in that the channel in n is assigned to what to names.
func (u *unifier) assign(n any, to ast.Expr) {
	var obj types.Object
	switch to := ast.Unparen(to).(type) {
	case *ast.Ident:
		if to.Name == "_" {
			return
		}
		obj = u.info.ObjectOf(to)
	case *ast.SelectorExpr:
		obj = u.info.ObjectOf(to.Sel)
	}
	if v, ok := obj.(*types.Var); ok && isChan(v.Type()) {
		u.unite(n, u.variable(v))
	} else {
		u.lose(n)
	}
}

// source takes in where the channel in n comes from, where that is not an expression
// that is mentioned.
func (u *unifier) source(n any, from ast.Expr) {
	switch from := ast.Unparen(from).(type) {
	case *ast.Ident, *ast.SelectorExpr:
	case *ast.CallExpr:
		if u.info.Types[from.Fun].IsType() && len(from.Args) == 1 {
			u.source(n, from.Args[0])
		}
	default:
		u.lose(n)
	}
}

// argument takes in that the channel in n is the argument i of the call at c.
func (u *unifier) argument(c inspector.Cursor, n any, i int) {
	call := c.Node().(*ast.CallExpr)
	switch {
	case isBuiltin(u.info, call, "close"):
		u.mark(n, func(ch *channel) { ch.closes = append(ch.closes, c) })
		return
	case isBuiltin(u.info, call, "len"), isBuiltin(u.info, call, "cap"):
		return
	}
	f := u.functions.of(u.info, c, call.Fun)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.Valid() {
		if s := u.info.Selections[sel]; s != nil && s.Kind() == types.MethodExpr {
			f = inspector.Cursor{} // the receiver is the first argument
		}
	}
	if !f.Valid() {
		u.lose(n)
		return
	}
	for _, field := range signatureOf(f).Params.List {
		for _, name := range field.Names {
			if i == 0 {
				if v, ok := u.info.Defs[name].(*types.Var); ok && isChan(v.Type()) {
					u.unite(n, v)
				} else if name.Name != "_" {
					u.lose(n)
				}
				return
			}
			i--
		}
		if len(field.Names) == 0 {
			i--
		}
	}
	if len(signatureOf(f).Params.List) > 0 && i >= 0 {
		u.lose(n) // one of a variadic parameter's
	}
}

// give takes in that the channel in n is the result i of the function that the
// expression at c stands in.
func (u *unifier) give(c inspector.Cursor, n any, i int) {
	f := functionAround(c)
	r := result{f.Node(), i}
	u.unite(n, r)
	u.mark(r, func(ch *channel) { ch.returned = append(ch.returned, f) })
}

// name takes in the declaration of a field, a parameter or a result at c.
func (u *unifier) name(c inspector.Cursor, n any) {
	field := c.Parent()
	list := field.Parent()
	if list.ParentEdgeKind() != edge.FuncType_Results {
		return
	}
	of := list.Parent().Parent() // of the function's type
	switch of.Node().(type) {
	case *ast.FuncDecl, *ast.FuncLit:
	default:
		return
	}
	i := 0
	for _, f := range list.Node().(*ast.FieldList).List {
		for _, name := range f.Names {
			if name == c.Node() {
				r := result{of.Node(), i}
				u.unite(n, r)
				u.mark(r, func(ch *channel) { ch.returned = append(ch.returned, of) })
				return
			}
			i++
		}
	}
}

// field takes in that the channel in n is an element of the literal at c: the field
// called key, or of that index.
func (u *unifier) field(c inspector.Cursor, n any, key ast.Expr, i int) {
	lit, ok := c.Node().(*ast.CompositeLit)
	if !ok {
		u.lose(n)
		return
	}
	t := u.info.TypeOf(lit).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying() // an element of a literal, its type left out
	}
	s, ok := t.(*types.Struct)
	if !ok {
		u.lose(n)
		return
	}
	if key != nil {
		u.assign(n, key)
		return
	}
	if v := s.Field(i); isChan(v.Type()) {
		u.unite(n, v.Origin())
	} else {
		u.lose(n)
	}
}

// isBuiltin reports whether call calls the predeclared function of that name.
func isBuiltin(info *types.Info, call *ast.CallExpr, name string) bool {
	b, ok := typeutil.Callee(info, call).(*types.Builtin)
	return ok && b.Name() == name
}
