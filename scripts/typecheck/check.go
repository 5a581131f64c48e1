package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"sync"
)

// checker checks packages beside each other, each after what it imports.
type checker struct {
	fset  *token.FileSet
	sizes types.Sizes
	slots chan struct{} // one for each package at work
	all   []*checked
	byID  map[string]*checked
}

// checked is a package and what came of it.
type checked struct {
	*pkg
	done  chan struct{} // closed when the rest is set
	types *types.Package
	errs  []error
}

func newChecker(arch string, pkgs []*pkg) *checker {
	c := &checker{
		fset:  token.NewFileSet(),
		sizes: types.SizesFor("gc", arch),
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		byID:  map[string]*checked{},
	}
	for _, p := range pkgs {
		each := &checked{pkg: p, done: make(chan struct{})}
		c.all = append(c.all, each)
		c.byID[p.ImportPath] = each
	}
	return c
}

// check checks all packages and returns what is wrong, in their order.
func (c *checker) check() []error {
	var all sync.WaitGroup
	for _, p := range c.all {
		all.Go(func() {
			defer close(p.done)
			for _, path := range p.Imports {
				if dep := c.byID[path]; dep != nil {
					<-dep.done
				}
			}
			c.slots <- struct{}{}
			defer func() { <-c.slots }()
			c.one(p)
		})
	}
	all.Wait()
	var errs []error
	told := map[string]bool{} // a package stands in the list again as its test sees it
	for _, p := range c.all {
		for _, err := range p.errs {
			if !told[err.Error()] {
				told[err.Error()] = true
				errs = append(errs, err)
			}
		}
	}
	return errs
}

// one checks a package whose imports are checked.
func (c *checker) one(p *checked) {
	if p.ImportPath == "unsafe" {
		p.types = types.Unsafe
		return
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			p.errs = append(p.errs, err)
			continue
		}
		files = append(files, f)
	}
	conf := types.Config{
		Importer:         importer{c, p},
		Sizes:            c.sizes,
		IgnoreFuncBodies: p.DepOnly,
		Error:            func(err error) { p.errs = append(p.errs, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	var info *types.Info
	if !p.DepOnly {
		info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	}
	p.types, _ = conf.Check(p.ImportPath, c.fset, files, info) // p.errs has all of its errors
	if info != nil && len(p.errs) == 0 {
		p.errs = c.shifts(files, info)
	}
}

// importer finds what a package imports among the packages of the checker.
type importer struct {
	c *checker
	p *checked
}

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	id := path
	if other, ok := i.p.ImportMap[path]; ok {
		id = other
	}
	dep := i.c.byID[id]
	if dep == nil {
		return nil, fmt.Errorf("go list did not list %s", id)
	}
	if dep.types == nil {
		return nil, errors.New("it could not be checked")
	}
	return dep.types, nil
}
