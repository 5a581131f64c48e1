package record

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// wrap returns a file of package main whose function main has another name, for that
// which records to be around it, and whose calls of os.Exit end the recording first,
// when they are made: that may be later than the argument is evaluated.
// Lines stay where they are. It reports whether main was there.
func wrap(path string, text []byte) (wrapped []byte, main bool, err error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, text, parser.ParseComments)
	if err != nil {
		return nil, false, err
	}
	type edit struct {
		at, cut int
		put     string
	}
	var edits []edit
	offset := func(p token.Pos) int { return files.PositionFor(p, false).Offset }
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "main" {
			main = true
			edits = append(edits, edit{offset(fn.Name.Pos()), len("main"), dissect.Wrapped})
		}
	}
	name := importOf(f, "os")
	later := map[*ast.CallExpr]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			later[n.Call] = true
		case *ast.GoStmt:
			later[n.Call] = true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Exit" {
			// A name without an object is that of an import.
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && x.Obj == nil {
				if later[call] {
					edits = append(edits, edit{offset(call.Pos()), 0, dissect.Recorder + "Leave("}, edit{offset(call.Lparen), 1, ", "})
				} else {
					edits = append(edits, edit{offset(call.Args[0].Pos()), 0, dissect.Recorder + "Exit("}, edit{offset(call.Args[0].End()), 0, ")"})
				}
			}
		}
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	last := 0
	for _, e := range edits {
		wrapped = append(append(wrapped, text[last:e.at]...), e.put...)
		last = e.at + e.cut
	}
	return append(wrapped, text[last:]...), main, nil
}

func importOf(f *ast.File, path string) string {
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && p == path {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path
		}
	}
	return ""
}
