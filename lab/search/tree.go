package search

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree says which files are searched.
type Tree struct {
	Roots    []string // files and directories; none means "."
	NoIgnore bool     // also what .gitignore files leave out, and .git directories
}

// Files returns the paths of the regular files of t: for each root those below
// it, each directory's in the order of their names. A root is taken even if a
// .gitignore file leaves it out, and may be a symbolic link; links below it are not
// followed. What cannot be read is reported, and left out; a root that does
// not exist too. The sequence ends early when ctx is done. Memory is that of the
// directories on the way to the current file.
func (t Tree) Files(ctx context.Context, report func(error)) iter.Seq[string] {
	roots := t.Roots
	if len(roots) == 0 {
		roots = []string{"."}
	}
	return func(yield func(string) bool) {
		w := treeWalk{Tree: t, ctx: ctx, report: report, yield: yield}
		for _, root := range roots {
			if !w.root(root) {
				return
			}
		}
	}
}

type treeWalk struct {
	Tree
	ctx    context.Context
	report func(error)
	yield  func(string) bool
}

func (w *treeWalk) root(root string) bool {
	info, err := os.Stat(root)
	if err != nil {
		w.report(err)
		return true
	}
	if !info.IsDir() {
		return w.yield(root)
	}
	var ignore *ignoreFile
	if !w.NoIgnore {
		ignore = w.above(root)
	}
	return w.dir(root, ignore)
}

// dir yields the files below the directory at path, and reports whether more are
// wanted.
func (w *treeWalk) dir(path string, ignore *ignoreFile) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		w.report(err)
	}
	if !w.NoIgnore {
		ignore = w.rulesIn(path, entries, ignore)
	}
	for _, e := range entries {
		if w.ctx.Err() != nil {
			return false
		}
		isDir := e.IsDir()
		if !isDir && !e.Type().IsRegular() || !w.NoIgnore && e.Name() == ".git" {
			continue
		}
		at := join(path, e.Name())
		if ignore.ignores(at, e.Name(), isDir) {
			continue
		}
		if isDir && !w.dir(at, ignore) || !isDir && !w.yield(at) {
			return false
		}
	}
	return true
}

// rulesIn returns the rules for the entries of the directory at path. A
// repository within a tree answers to its own rules alone.
func (w *treeWalk) rulesIn(path string, entries []fs.DirEntry, ignore *ignoreFile) *ignoreFile {
	here := place{drop: path}
	if has(entries, ".git") {
		ignore = w.read(filepath.Join(path, ".git", "info", "exclude"), here, nil)
	}
	if has(entries, ".gitignore") {
		ignore = w.read(join(path, ".gitignore"), here, ignore)
	}
	return ignore
}

func (w *treeWalk) read(path string, p place, up *ignoreFile) *ignoreFile {
	g, err := readIgnoreFile(path, p, up)
	if err != nil {
		w.report(err)
	}
	return g
}

// above returns the rules of the directories above root, if root lies in a
// repository: those from the top of the repository down.
func (w *treeWalk) above(root string) *ignoreFile {
	at, err := filepath.Abs(root)
	if err != nil {
		w.report(err)
		return nil
	}
	type directory struct{ path, before string }
	var dirs []directory // above root, the nearest first
	before := ""
	for !exists(filepath.Join(at, ".git")) {
		up, name := filepath.Dir(at), filepath.Base(at)
		if up == at {
			return nil // no repository
		}
		at, before = up, name+"/"+before
		dirs = append(dirs, directory{at, before})
	}
	var ignore *ignoreFile
	for i, d := range slices.Backward(dirs) {
		p := place{drop: root, before: d.before}
		if i == len(dirs)-1 {
			ignore = w.read(filepath.Join(d.path, ".git", "info", "exclude"), p, nil)
		}
		ignore = w.read(filepath.Join(d.path, ".gitignore"), p, ignore)
	}
	return ignore
}

func has(entries []fs.DirEntry, name string) bool {
	_, found := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	return found
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// join is filepath.Join for a clean name. It keeps path as it was given, as grep
// does: "./a" stays "./a".
func join(path, name string) string {
	if os.IsPathSeparator(path[len(path)-1]) {
		return path + name
	}
	return path + string(filepath.Separator) + name
}
