package diagnose

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/internal/pattern"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A line is what a line of source does, as far as its syntax tells.
type line struct {
	text     string
	function string // declared, that it is in

	spawns    bool // a go statement, or a call of a method Go
	channel   bool // an operation on a channel that may hand over; a range may be one
	makeChan  bool
	locks     bool // takes a lock or gives it back
	recurses  bool // such a statement that calls the function it is in
	stores    bool // writes to an element, a field or what a pointer points to; also atomically
	adds      bool // does so again and again, in a loop in which it is always the same one
	asksCPUs  bool // the function that it is in calls runtime.NumCPU
	asksProcs bool // or runtime.GOMAXPROCS
	library   bool // calls this library, which decides itself how many goroutines there are
}

// sources reads lines of source files, each file once. Files that are not there
// have no lines.
type sources map[string]map[int]*line

// at returns what is known of a place; nil if its file cannot be read.
func (s sources) at(p dissect.Place) *line {
	lines, known := s[p.File]
	if !known {
		lines = readLines(p.File)
		s[p.File] = lines
	}
	return lines[p.Line]
}

// libraryPath is the import path of this library's packages.
const libraryPath = "github.com/sweetspot-go/sweetspot"

func readLines(file string) map[int]*line {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	lines := map[int]*line{}
	for i, t := range bytes.Split(text, []byte("\n")) {
		lines[i+1] = &line{text: strings.TrimSpace(string(t))}
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return lines // its text is there all the same
	}
	at := func(p token.Pos) *line { return lines[fset.PositionFor(p, false).Line] }
	library := map[string]bool{}
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if path == libraryPath || strings.HasPrefix(path, libraryPath+"/") {
			name := path[strings.LastIndexByte(path, '/')+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			library[name] = true
		}
	}
	for _, decl := range f.Decls {
		r := &lineReader{at: at, library: library, ends: endsIn(decl), looks: map[ast.Node]bool{}}
		r.function, _ = decl.(*ast.FuncDecl)
		ast.Inspect(decl, r.read)
		if r.function != nil {
			name := vetcmd.FunctionName(r.function)
			for n := fset.PositionFor(decl.Pos(), false).Line; n <= fset.PositionFor(decl.End(), false).Line; n++ {
				lines[n].function, lines[n].asksCPUs, lines[n].asksProcs = name, r.asksCPUs, r.asksProcs
			}
		}
	}
	return lines
}

// A lineReader fills in lines from the nodes of a declaration.
type lineReader struct {
	at       func(token.Pos) *line
	library  map[string]bool   // names of packages
	function *ast.FuncDecl     // nil where none is declared
	ends     map[string]bool   // variables with what a method Done has returned
	looks    map[ast.Node]bool // receives that hand nothing over

	asksCPUs, asksProcs bool
}

func (r *lineReader) read(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		r.spawn(n.Go, n.Call)
	case *ast.SendStmt:
		r.at(n.Arrow).channel = true
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !r.looks[n] && !r.end(n.X) {
			r.at(n.OpPos).channel = true
		}
	case *ast.SelectStmt:
		r.at(n.Select).channel = r.selects(n)
	case *ast.ForStmt:
		r.adding(n, n.Body)
	case *ast.RangeStmt:
		r.at(n.For).channel = true
		r.adding(n, n.Body)
	case *ast.SelectorExpr:
		if of, ok := n.X.(*ast.Ident); ok && of.Name == "runtime" {
			r.asksCPUs = r.asksCPUs || n.Sel.Name == "NumCPU"
			r.asksProcs = r.asksProcs || n.Sel.Name == "GOMAXPROCS"
		}
	case *ast.IncDecStmt, *ast.AssignStmt, *ast.CallExpr:
		if place, x := stored(n); x != nil {
			r.at(place).stores = true
		}
		if call, ok := n.(*ast.CallExpr); ok {
			r.call(call)
		}
	}
	return true
}

// selects reports whether a select may hand something over: it sends, or keeps what it
// receives. What is dropped is a signal, as the end of a context.
func (r *lineReader) selects(n *ast.SelectStmt) bool {
	hands := false
	for _, c := range n.Body.List {
		switch comm := c.(*ast.CommClause).Comm.(type) {
		case nil: // default
		case *ast.ExprStmt:
			r.looks[ast.Unparen(comm.X)] = true
		default:
			hands = true
		}
	}
	return hands
}

// end reports whether a channel is one that a method Done returns, as that of a context:
// it is closed, and nothing goes over it.
func (r *lineReader) end(channel ast.Expr) bool {
	if id, ok := ast.Unparen(channel).(*ast.Ident); ok {
		return r.ends[id.Name]
	}
	return callsDone(channel)
}

func callsDone(x ast.Expr) bool {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Done"
}

func endsIn(decl ast.Decl) map[string]bool {
	ends := map[string]bool{}
	for n := range ast.Preorder(decl) {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 && callsDone(a.Rhs[0]) {
			if id, ok := a.Lhs[0].(*ast.Ident); ok {
				ends[id.Name] = true
			}
		}
	}
	return ends
}

func (r *lineReader) call(n *ast.CallExpr) {
	switch fun := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		if fun.Name == "make" && len(n.Args) > 0 {
			if _, ok := n.Args[0].(*ast.ChanType); ok {
				r.at(n.Lparen).makeChan = true
			}
		}
	case *ast.SelectorExpr:
		if of, ok := fun.X.(*ast.Ident); ok && r.library[of.Name] {
			r.at(n.Lparen).library = true
			break
		}
		switch fun.Sel.Name {
		case "Go":
			r.spawn(n.Lparen, n)
		case "Lock", "RLock", "TryLock", "TryRLock", "Unlock", "RUnlock":
			r.at(n.Lparen).locks = len(n.Args) == 0
		}
	}
}

// spawn marks the line of a statement that starts a goroutine, and whether what it
// starts calls the function that the statement is in.
func (r *lineReader) spawn(place token.Pos, call *ast.CallExpr) {
	l := r.at(place)
	l.spawns = true
	if r.function == nil {
		return
	}
	for n := range ast.Preorder(call) {
		if c, ok := n.(*ast.CallExpr); ok {
			switch fun := ast.Unparen(c.Fun).(type) {
			case *ast.Ident:
				l.recurses = l.recurses || fun.Name == r.function.Name.Name && r.function.Recv == nil
			case *ast.SelectorExpr:
				l.recurses = l.recurses || fun.Sel.Name == r.function.Name.Name && r.function.Recv != nil
			}
		}
	}
}

// adding marks the lines of a loop's body that add to one and the same element or
// field in each turn: nothing that names it is assigned to in the loop.
func (r *lineReader) adding(loop ast.Stmt, body *ast.BlockStmt) {
	changed := map[string]bool{}
	note := func(names ...ast.Expr) {
		for _, x := range names {
			if id, ok := x.(*ast.Ident); ok {
				changed[id.Name] = true
			}
		}
	}
	for n := range ast.Preorder(loop) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			note(n.Lhs...)
		case *ast.IncDecStmt:
			note(n.X)
		case *ast.RangeStmt:
			note(n.Key, n.Value)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				note(name)
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if a, ok := n.(*ast.AssignStmt); ok && (a.Tok == token.ASSIGN || a.Tok == token.DEFINE) {
			return true // what is overwritten is not added to
		}
		place, x := stored(n)
		if x == nil {
			return true
		}
		same := true
		for n := range ast.Preorder(x) {
			id, named := n.(*ast.Ident)
			_, called := n.(*ast.CallExpr)
			same = same && !called && !(named && changed[id.Name])
		}
		if same {
			r.at(place).adds = true
		}
		return true
	})
}

// stored returns what a statement, or an atomic operation, writes to if that is more
// than a variable, and where it is written.
func stored(n ast.Node) (token.Pos, ast.Expr) {
	switch n := n.(type) {
	case *ast.IncDecStmt:
		if inMemory(n.X) {
			return n.TokPos, n.X
		}
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			if inMemory(x) {
				return n.TokPos, x
			}
		}
	case *ast.CallExpr:
		fun, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
		if !ok || !atomics().MatchString(fun.Sel.Name) {
			break
		}
		if of, ok := fun.X.(*ast.Ident); ok && of.Name == "atomic" && len(n.Args) > 0 {
			if to, ok := n.Args[0].(*ast.UnaryExpr); ok && to.Op == token.AND {
				return n.Lparen, to.X
			}
			break
		}
		return n.Lparen, fun.X
	}
	return token.NoPos, nil
}

// atomics are the names of functions and methods of sync/atomic that write.
var atomics = pattern.Of(`^(Add|Store|Swap|CompareAndSwap|And|Or)(Int32|Int64|Uint32|Uint64|Uintptr|Pointer)?$`)

// inMemory reports whether an expression that is assigned to is more than a
// variable.
func inMemory(x ast.Expr) bool {
	switch ast.Unparen(x).(type) {
	case *ast.IndexExpr, *ast.SelectorExpr, *ast.StarExpr:
		return true
	}
	return false
}

// outer returns the declared function that a function is, or is a literal in:
// that of "example.com/a/b.(*T).F.func1.2" is "example.com/a/b.(*T).F".
func outer(fn string) string {
	fn = strings.ReplaceAll(fn, "[...]", "") // which stands for all type arguments
	end := strings.LastIndexByte(fn, '/') + 1
	parts := strings.Split(fn[end:], ".")
	for i, part := range parts {
		if i < 2 {
			continue // the package and a name
		}
		digits := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(part, "func"), "gowrap"), "deferwrap")
		digits, _, _ = strings.Cut(digits, "-")
		if _, err := strconv.Atoi(digits); err == nil {
			parts = parts[:i]
			break
		}
	}
	whole := strings.Join(parts, ".")
	whole, _, _ = strings.Cut(whole, "-range")
	return fn[:end] + whole
}
