// Command typecheck tells whether Go code compiles, without compiling it. What go build
// adds to that for another system, the optimized code of several hundred packages of
// others, takes a hundred times as long and is thrown away.
//
//	GOOS=windows go run ./scripts/typecheck ./...
//
// The packages are those of go list, with their tests, for the system and the module
// that the environment names, without cgo. Bodies of functions are looked at in them
// alone: what they import is checked only so far as they can see it. What a linker
// alone can find it does not find.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
)

func main() {
	debug.SetGCPercent(400) // it ends before garbage matters
	patterns := os.Args[1:]
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	errs := typecheck("", patterns)
	for _, err := range errs {
		fmt.Fprintln(os.Stderr, err)
	}
	if len(errs) > 0 {
		os.Exit(1)
	}
}

// typecheck checks the packages that match the patterns, seen from a folder. It returns
// what is wrong, in the order of the packages, or nil.
func typecheck(dir string, patterns []string) []error {
	system, err := target(dir)
	if err != nil {
		return []error{err}
	}
	pkgs, err := list(dir, patterns)
	if err != nil {
		return []error{err}
	}
	return newChecker(system, pkgs).check()
}
