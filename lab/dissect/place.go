package dissect

import (
	"path/filepath"
	"strconv"
	"strings"
)

// A Place is a line of source, in a function.
type Place struct {
	Func string `json:"func"` // as the runtime names it: "example.com/a/b.(*T).F.func1"
	File string `json:"file"` // as the compiler recorded it, which is a whole path unless built with -trimpath
	Line int    `json:"line"`
}

// placeOf returns the place of a frame. The compiler and the runtime write a path with
// slashes on any system, the go command as the system does.
func placeOf(function, file string, line int) Place {
	return Place{Func: unwrapped(function), File: filepath.FromSlash(file), Line: line}
}

// String returns the place as in "b.(*T).F file.go:12".
func (p Place) String() string {
	return short(p.Func) + " " + filepath.Base(p.File) + ":" + strconv.Itoa(p.Line)
}

// A Scope separates the code of the user from what it calls. It holds directories, or
// the import paths of modules; the code in them is the user's. An import path also
// covers package main, whose functions do not name their path. In the empty scope all
// code outside the standard library is the user's.
type Scope []string

// Has reports whether a place is in the user's code.
func (s Scope) Has(p Place) bool {
	if ofRuntime(p.Func) {
		return false
	}
	if len(s) == 0 {
		first, _, _ := strings.Cut(p.Func, "/")
		dotted := strings.Contains(first, ".") && strings.Contains(p.Func, "/")
		return dotted || strings.HasPrefix(p.Func, "main.")
	}
	for _, dir := range s {
		if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "/") {
			if strings.HasPrefix(p.Func, "main.") || within(p.Func, dir) {
				return true
			}
			continue
		}
		if rest, ok := strings.CutPrefix(p.File, dir); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
			return true
		}
	}
	return false
}

// within reports whether a function is of a package of a module. The linker writes a dot
// in the last element of an import path as %2e.
func within(fn, module string) bool {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(fn, "%2e", "."), module)
	return ok && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "_test."))
}

// Innermost returns the first place of a stack, callees first, that is in the user's
// code.
func (s Scope) Innermost(stack []Place) (Place, bool) {
	for _, p := range stack {
		if s.Has(p) {
			return p, true
		}
	}
	return Place{}, false
}

// A program that is recorded has functions of the instrument, whose names begin with
// Recorder, and its own main function is Wrapped.
const (
	Recorder = "sweetspotRecorder"
	Wrapped  = "sweetspotMain"
)

// unwrapped returns the name that a function has in the user's source, with "[...]" for its
// type arguments: profiles have them whole, and traces do not.
func unwrapped(name string) string {
	if from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']'); from >= 0 && from < to {
		name = name[:from] + "[...]" + name[to+1:]
	}
	if rest, ok := strings.CutPrefix(name, "main."+Wrapped); ok {
		return "main.main" + rest
	}
	return name
}
