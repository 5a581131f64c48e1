package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"path/filepath"
	"slices"
)

// packages are those that users of the root module import.
var packages = []string{".", "limit", "sense", "control", "sim", "errgroup", "kaburaya", "httplimit", "dash"}

const module = "github.com/sweetspot-go/sweetspot"

// surface returns the exported declarations of the packages in a folder, without comments,
// as they are on Linux.
func surface(root string) (string, error) {
	var b bytes.Buffer
	for _, name := range packages {
		d, fset, err := load(root, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "package %s // %s\n\n", d.Name, path.Join(module, name))
		write := func(n ast.Decl) {
			if err := printer.Fprint(&b, fset, n); err != nil {
				panic(err) // a bytes.Buffer takes everything
			}
			b.WriteByte('\n')
		}
		all := func(values []*doc.Value, funcs []*doc.Func) {
			for _, v := range values {
				write(v.Decl)
			}
			for _, f := range funcs {
				f.Decl.Body = nil
				write(f.Decl)
			}
		}
		all(slices.Concat(d.Consts, d.Vars), d.Funcs)
		for _, t := range d.Types {
			write(t.Decl)
			all(slices.Concat(t.Consts, t.Vars), slices.Concat(t.Funcs, t.Methods))
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// load reads a package without comments and tests.
func load(root, name string) (*doc.Package, *token.FileSet, error) {
	system := build.Default
	system.GOOS, system.GOARCH, system.CgoEnabled = "linux", "amd64", false
	dir := filepath.Join(root, name)
	found, err := system.ImportDir(dir, 0)
	if err != nil {
		return nil, nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range found.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, path.Join(module, name))
	return d, fset, err
}
