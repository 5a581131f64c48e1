package vetcmd

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/go/ast/astutil"
)

// A change is what the fixes of findings make of a file.
type change struct {
	file          string
	before, after []byte
}

// changes returns what the fixes of findings change, by file. Of fixes that overlap
// the first is taken.
func changes(findings []Finding) ([]change, error) {
	edits := make(map[string][]Edit)
	for _, f := range findings {
		if len(f.Fixes) == 0 || slices.ContainsFunc(f.Fixes[0].Edits, func(e Edit) bool { return overlaps(e, edits[e.File]) }) {
			continue
		}
		for _, e := range f.Fixes[0].Edits {
			edits[e.File] = append(edits[e.File], e)
		}
	}
	var all []change
	for _, file := range slices.Sorted(maps.Keys(edits)) {
		before, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		after := before
		slices.SortFunc(edits[file], func(a, b Edit) int { return b.Start - a.Start })
		for _, e := range edits[file] {
			after = slices.Concat(after[:e.Start], []byte(e.New), after[e.End:])
		}
		if after, err = tidied(file, before, after); err != nil {
			return nil, fmt.Errorf("%s: after the fixes: %w", file, err)
		}
		all = append(all, change{file, before, after})
	}
	return all, nil
}

func overlaps(e Edit, others []Edit) bool {
	return slices.ContainsFunc(others, func(o Edit) bool {
		return e.Start < o.End && o.Start < e.End || e.Start == o.Start
	})
}

// tidied returns a file formatted, without the imports that it used before only, and
// without each function init that has lost all its statements.
func tidied(name string, before, after []byte) ([]byte, error) {
	fset := token.NewFileSet()
	was, err := parser.ParseFile(fset, name, before, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	is, err := parser.ParseFile(fset, name, after, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if at := 0; len(was.Decls) == len(is.Decls) {
		is.Decls = slices.DeleteFunc(is.Decls, func(d ast.Decl) bool {
			at++
			return emptyInit(fset, is, d) && !emptyInit(fset, was, was.Decls[at-1])
		})
	}
	uses := func(f ast.File, spec *ast.ImportSpec, path string) bool {
		f.Imports = []*ast.ImportSpec{spec} // there may be several of a path
		return astutil.UsesImport(&f, path)
	}
	for _, spec := range slices.Clone(is.Imports) {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil && uses(*was, spec, path) && !uses(*is, spec, path) {
			as := ""
			if spec.Name != nil {
				as = spec.Name.Name
			}
			astutil.DeleteNamedImport(fset, is, as, path)
		}
	}
	var b bytes.Buffer
	err = format.Node(&b, fset, is)
	return b.Bytes(), err
}

// emptyInit reports whether d is a function init without a statement, and without a comment
// in its lines or above it.
func emptyInit(fset *token.FileSet, file *ast.File, d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv != nil || f.Name.Name != "init" || f.Doc != nil || f.Body == nil || len(f.Body.List) > 0 {
		return false
	}
	last := fset.PositionFor(f.End(), false).Line
	return !slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
		return c.End() > f.Pos() && fset.PositionFor(c.Pos(), false).Line <= last
	})
}

// writeDiff writes the changes in the form that patch and git apply understand.
func writeDiff(w io.Writer, all []change, dir string) error {
	for _, c := range all {
		name := slashed(dir, c.file)
		// What comes before is for people.
		text := diff.Diff("a/"+name, c.before, "b/"+name, c.after)
		if at := bytes.Index(text, []byte("--- ")); at >= 0 {
			text = text[at:]
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
