package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// A spawn is a place that starts a goroutine: a go statement, or a call of a method
// Go or TryGo that takes a function, such as those of sync.WaitGroup and of groups.
type spawn struct {
	cur inspector.Cursor // at the *ast.GoStmt, or at the *ast.CallExpr of the method

	group  ast.Expr      // the receiver of the method; nil for a go statement
	method string        // "Go" or "TryGo"; empty for a go statement
	plain  bool          // the method is that of a sync.WaitGroup, which may be embedded
	call   *ast.CallExpr // of the go statement; nil for a method
	fun    ast.Expr      // the function that the goroutine runs

	// The function that fun is, an *ast.FuncLit or an *ast.FuncDecl of this package.
	// Valid tells whether it is known.
	target inspector.Cursor
}

// head returns the place that starts the goroutine, without the body of a literal.
func (s *spawn) head() analysis.Diagnostic {
	d := analysis.Diagnostic{Pos: s.cur.Node().Pos(), End: s.cur.Node().End()}
	if body := bodyOf(s.target); body != nil && within(s.cur.Node(), body.Pos()) {
		d.End = body.Lbrace
	}
	return d
}

// statement returns the statement that starts the goroutine, which the call of a method is
// only a part of.
func (s *spawn) statement() inspector.Cursor {
	for c := range s.cur.Enclosing() {
		if _, ok := c.Node().(ast.Stmt); ok {
			return c
		}
	}
	return s.cur // in a declaration of the package
}

// bodyOf returns the body of a function; nil if the function is unknown.
func bodyOf(function inspector.Cursor) *ast.BlockStmt {
	if !function.Valid() {
		return nil
	}
	switch f := function.Node().(type) {
	case *ast.FuncLit:
		return f.Body
	case *ast.FuncDecl:
		return f.Body
	}
	return nil
}

// signatureOf returns the signature of a function. Of code that is not wholly known, as
// where it uses C, it may be that of func().
func signatureOf(info *types.Info, function inspector.Cursor) *types.Signature {
	var t types.Type
	switch f := function.Node().(type) {
	case *ast.FuncLit:
		t = info.TypeOf(f)
	case *ast.FuncDecl:
		t = info.TypeOf(f.Name)
	}
	if sig, ok := t.(*types.Signature); ok {
		return sig
	}
	return new(types.Signature)
}

// functionAround returns the innermost *ast.FuncLit or *ast.FuncDecl around c, c itself
// left out. It is not valid at package level.
func functionAround(c inspector.Cursor) inspector.Cursor {
	for f := range c.Enclosing((*ast.FuncLit)(nil), (*ast.FuncDecl)(nil)) {
		if f != c {
			return f
		}
	}
	return inspector.Cursor{}
}

// loopsAround yields the loops whose body c stands in, the innermost first, up to
// the function that c stands in.
func loopsAround(c inspector.Cursor) iter.Seq[inspector.Cursor] {
	return func(yield func(inspector.Cursor) bool) {
		for ; c.Valid() && c.Node() != nil; c = c.Parent() {
			switch c.ParentEdgeKind() {
			case edge.FuncLit_Body, edge.FuncDecl_Body:
				return
			case edge.ForStmt_Body, edge.RangeStmt_Body:
				if !yield(c.Parent()) {
					return
				}
			}
		}
	}
}

// innermostLoop returns the first of loopsAround; not valid if there is none.
func innermostLoop(c inspector.Cursor) inspector.Cursor {
	for loop := range loopsAround(c) {
		return loop
	}
	return inspector.Cursor{}
}

// functions are what a package declares, as far as a call tells statically which
// one it is, and where it starts goroutines.
type functions struct {
	spawns []*spawn // in order of file and position
	decls  map[*types.Func]inspector.Cursor
	// The only value that a variable ever has, apart from zero before that: an expression
	// of this package. It is not valid if there are several, or it is unknown.
	values map[*types.Var]inspector.Cursor
}

var spawnAnalyzer = &analysis.Analyzer{
	Name:       "sweetspotspawns",
	Doc:        "find the places that start goroutines",
	Requires:   []*analysis.Analyzer{inspect.Analyzer},
	ResultType: reflect.TypeFor[*functions](),
	Run: func(a *analysis.Pass) (any, error) {
		f := &functions{
			decls:  make(map[*types.Func]inspector.Cursor),
			values: make(map[*types.Var]inspector.Cursor),
		}
		root := a.ResultOf[inspect.Analyzer].(*inspector.Inspector).Root()
		f.collect(a.TypesInfo, root)
		for c := range root.Preorder((*ast.GoStmt)(nil), (*ast.CallExpr)(nil)) {
			if s := newSpawn(a.TypesInfo, c); s != nil {
				s.target = f.of(a.TypesInfo, c, s.fun)
				f.spawns = append(f.spawns, s)
			}
		}
		return f, nil
	},
}

// collect finds the declared functions and the values of variables.
func (f *functions) collect(info *types.Info, root inspector.Cursor) {
	for c := range root.Preorder((*ast.FuncDecl)(nil)) {
		if obj, ok := info.Defs[c.Node().(*ast.FuncDecl).Name].(*types.Func); ok {
			f.decls[obj] = c
		}
	}
	assignments(root, func(to ast.Expr, value inspector.Cursor) { f.assign(info, to, value) })
}

// sides returns what stands left and right in an assignment, or in a declaration of
// variables; nothing for other nodes.
func sides(n ast.Node) (to, values []ast.Expr) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs, n.Rhs
	case *ast.ValueSpec:
		for _, name := range n.Names {
			to = append(to, name)
		}
		return to, n.Values
	}
	return nil, nil
}

// assignments calls each with what gets a value below c, apart from zero by a declaration.
// The value is not valid if it has no expression of its own.
func assignments(c inspector.Cursor, each func(to ast.Expr, value inspector.Cursor)) {
	var unknown inspector.Cursor
	for c := range c.Preorder((*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil), (*ast.IncDecStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.RangeStmt)(nil)) {
		switch n := c.Node().(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if len(n.Rhs) == len(n.Lhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
					each(to, c.ChildAt(edge.AssignStmt_Rhs, i))
				} else {
					each(to, unknown)
				}
			}
		case *ast.ValueSpec:
			for i, to := range n.Names {
				if len(n.Values) == len(n.Names) {
					each(to, c.ChildAt(edge.ValueSpec_Values, i))
				} else if len(n.Values) > 0 {
					each(to, unknown)
				}
			}
		case *ast.IncDecStmt:
			each(n.X, unknown)
		case *ast.UnaryExpr:
			if n.Op == token.AND { // whoever has the address may assign
				each(n.X, unknown)
			}
		case *ast.RangeStmt:
			each(n.Key, unknown)
			each(n.Value, unknown)
		}
	}
}

// assign notes that the variable that name is has the value at some time; the value
// is not valid if it is unknown.
func (f *functions) assign(info *types.Info, name ast.Expr, value inspector.Cursor) {
	v := varOf(info, name)
	if v == nil || v.Kind() != types.LocalVar && (v.Kind() != types.PackageVar || v.Exported()) {
		return // a parameter or the like, which has values from elsewhere
	}
	if value.Valid() && info.Types[value.Node().(ast.Expr)].IsNil() {
		return // as good as no value
	}
	if _, again := f.values[v]; again {
		value = inspector.Cursor{}
	}
	f.values[v] = value
}

// of returns the *ast.FuncDecl or *ast.FuncLit of this package that fun, an
// expression below c, is; not valid if that is unknown.
func (f *functions) of(info *types.Info, c inspector.Cursor, fun ast.Expr) inspector.Cursor {
	fun = ast.Unparen(fun)
	switch x := fun.(type) {
	case *ast.FuncLit:
		lit, _ := c.FindNode(x)
		return lit
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch obj := objectOf(info, fun).(type) {
	case *types.Func:
		return f.decls[obj.Origin()]
	case *types.Var:
		if value := f.values[obj]; value.Valid() {
			if lit, ok := ast.Unparen(value.Node().(ast.Expr)).(*ast.FuncLit); ok {
				c, _ := value.FindNode(lit)
				return c
			}
		}
	}
	return inspector.Cursor{}
}

func newSpawn(info *types.Info, c inspector.Cursor) *spawn {
	switch n := c.Node().(type) {
	case *ast.GoStmt:
		return &spawn{cur: c, call: n.Call, fun: ast.Unparen(n.Call.Fun)}
	case *ast.CallExpr:
		callee := calleeOf(info, n)
		if callee == nil || callee.Name() != "Go" && callee.Name() != "TryGo" || len(n.Args) != 1 {
			return nil
		}
		sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		if !ok || callee.Signature().Recv() == nil {
			return nil
		}
		if _, ok := typeUnder(info, n.Args[0]).(*types.Signature); !ok {
			return nil
		}
		return &spawn{cur: c, group: sel.X, method: callee.Name(), plain: pathOf(callee) == "sync", fun: ast.Unparen(n.Args[0])}
	}
	return nil
}
