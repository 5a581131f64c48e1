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
		p := declarations{&b, fset}
		p.values(d.Consts)
		p.values(d.Vars)
		p.funcs(d.Funcs)
		for _, t := range d.Types {
			p.node(t.Decl)
			p.values(t.Consts)
			p.values(t.Vars)
			p.funcs(t.Funcs)
			p.funcs(t.Methods)
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

// declarations writes declarations.
type declarations struct {
	to   *bytes.Buffer
	fset *token.FileSet
}

func (d declarations) values(list []*doc.Value) {
	for _, v := range list {
		d.node(v.Decl)
	}
}

func (d declarations) funcs(list []*doc.Func) {
	for _, f := range list {
		d.node(f.Decl)
	}
}

func (d declarations) node(n ast.Decl) {
	if f, ok := n.(*ast.FuncDecl); ok {
		f.Body = nil
	}
	if err := printer.Fprint(d.to, d.fset, n); err != nil {
		panic(err) // a bytes.Buffer takes everything
	}
	d.to.WriteByte('\n')
}
