package diagnose

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/dissect"
)

// A line is what a line of source does, as far as its syntax tells.
type line struct {
	text     string
	spawns   bool // a go statement, or a call of a method Go
	channel  bool // an operation on a channel; a range may be one
	makeChan bool
	stores   bool // writes to an element, a field or what a pointer points to; also atomically
	library  bool // calls this library, which decides itself how many goroutines there are
}

// sources reads lines of source files, each file once. Files that are not there
// have no lines.
type sources struct {
	mu    sync.Mutex
	files map[string]map[int]*line
}

// at returns what is known of a place; nil if its file cannot be read.
func (s *sources) at(p dissect.Place) *line {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines, known := s.files[p.File]
	if !known {
		lines = readLines(p.File)
		if s.files == nil {
			s.files = map[string]map[int]*line{}
		}
		s.files[p.File] = lines
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
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			at(n.Go).spawns = true
		case *ast.SendStmt:
			at(n.Arrow).channel = true
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				at(n.OpPos).channel = true
			}
		case *ast.SelectStmt:
			at(n.Select).channel = true
		case *ast.RangeStmt:
			at(n.For).channel = true
		case *ast.IncDecStmt:
			at(n.TokPos).stores = at(n.TokPos).stores || inMemory(n.X)
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if inMemory(x) {
					at(n.TokPos).stores = true
				}
			}
		case *ast.CallExpr:
			l := at(n.Lparen)
			switch fun := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				if fun.Name == "make" && len(n.Args) > 0 {
					_, l.makeChan = n.Args[0].(*ast.ChanType)
				}
			case *ast.SelectorExpr:
				of, _ := fun.X.(*ast.Ident)
				switch {
				case of != nil && library[of.Name]:
					l.library = true
				case fun.Sel.Name == "Go":
					l.spawns = true
				case strings.HasPrefix(fun.Sel.Name, "Add"), strings.HasPrefix(fun.Sel.Name, "Store"),
					strings.HasPrefix(fun.Sel.Name, "Swap"), strings.HasPrefix(fun.Sel.Name, "CompareAndSwap"):
					l.stores = true
				}
			}
		}
		return true
	})
	return lines
}

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
	end := strings.LastIndexByte(cutTypes(fn), '/') + 1
	parts := strings.Split(cutTypes(fn)[end:], ".")
	for i, part := range parts {
		if i < 2 {
			continue // the package and a name
		}
		digits := strings.TrimPrefix(strings.TrimPrefix(part, "func"), "gowrap")
		digits, _, _ = strings.Cut(digits, "-")
		if _, err := strconv.Atoi(digits); err == nil {
			parts = parts[:i]
			break
		}
	}
	whole := strings.Join(parts, ".")
	whole, _, _ = strings.Cut(whole, "-range")
	return cutTypes(fn)[:end] + whole
}

// cutTypes removes type arguments, which stand for all of them as "[...]".
func cutTypes(fn string) string { return strings.ReplaceAll(fn, "[...]", "") }
