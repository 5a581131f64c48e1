// Command typecheck tells whether Go code compiles, without compiling it. What go build
// adds to that for another system, the optimized code of several hundred packages of
// others, takes a hundred times as long and is thrown away.
//
//	GOOS=windows typecheck ./...
//
// The packages are those of go list, with their tests, for the system and the module
// that the environment names, without cgo. It is the driver of sweetspot vet with the one
// check of go vet that finds other things on other systems: shifts that leave nothing of
// a number. Of a package it prints the first error. What a linker alone can find it does
// not find.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/shift"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
)

func main() {
	debug.SetGCPercent(400) // it ends before garbage matters
	faults := typecheck("", os.Args[1:])
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// typecheck checks the packages that match the patterns, seen from a folder. It returns
// what is wrong, each fault once.
func typecheck(dir string, patterns []string) (faults []string) {
	r, err := vetcmd.Check(context.Background(), vetcmd.Request{
		Dir: dir, Patterns: patterns, Env: append(os.Environ(), "CGO_ENABLED=0"), Tests: true,
		Analyzers: []*analysis.Analyzer{shift.Analyzer},
	})
	if err != nil {
		return []string{err.Error()}
	}
	for _, b := range r.Broken {
		faults = append(faults, b.Err.Error())
	}
	for _, f := range r.Findings {
		faults = append(faults, fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message))
	}
	slices.Sort(faults) // a package and the same with its tests have the same faults
	return slices.Compact(faults)
}
