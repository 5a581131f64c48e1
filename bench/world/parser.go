package main

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// openParser returns units that parse the files of the standard library in turn.
// They are read each time, as tools do; after the first time from the page cache.
func openParser(ctx context.Context, _ *host) (unit, error) {
	files, err := goFiles(ctx)
	if err != nil {
		return nil, err
	}
	var next atomic.Uint64
	return func(context.Context) error {
		name := files[next.Add(1)%uint64(len(files))]
		_, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		return err
	}, nil
}

// goFiles returns the Go files of the standard library in a random order that is
// always the same, since neighbours are of like size.
func goFiles(ctx context.Context) ([]string, error) {
	root, err := goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var files []string
	src := filepath.Join(root, "src")
	err = filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata": // some of it is wrong on purpose
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".go"):
			files = append(files, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no Go files in %s: want the sources of the standard library", src)
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files, err
}
