package vet_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	gopackages "golang.org/x/tools/go/packages"

	"github.com/sweetspot-go/sweetspot/vet"
)

func ExampleAnalyzers() {
	for _, a := range vet.Analyzers(vet.Quiet) {
		if a.Name == "falseshare" {
			fmt.Println(a.URL)
		}
	}
	// Output: https://github.com/sweetspot-go/sweetspot/blob/main/docs/checks/falseshare.md
}

// load returns a package that consists of source, and all that it imports.
func load(source string) []*gopackages.Package {
	dir, err := os.MkdirTemp("", "numbers")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	pkgs, err := gopackages.Load(&gopackages.Config{Dir: dir, Mode: gopackages.LoadAllSyntax, Env: append(os.Environ(), "GOWORK=off")}, ".")
	if err != nil {
		log.Fatal(err)
	}
	return pkgs
}

func ExampleNumbers() {
	graph, err := checker.Analyze([]*analysis.Analyzer{vet.Numbers()}, load(`package p

func square(in <-chan int, out chan<- int) {
	for range 8 {
		go func() {
			for n := range in {
				out <- n * n
			}
		}()
	}
}
`), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, root := range graph.Roots {
		for _, n := range root.Result.([]vet.Number) {
			fmt.Println(n)
		}
	}
	// Output: workers: 8; the work behind it computes; instead: sweetspot.Pool or ForEachSeq
}

func ExampleTests() {
	quiet := vet.Analyzers(vet.Quiet, vet.Tests())
	fmt.Println(len(quiet) > 0, analysis.Validate(quiet))
	// Output: true <nil>
}

func ExampleGradeOf() {
	fmt.Println(vet.GradeOf(analysis.Diagnostic{Category: "recspawn/info"}))
	// Output: info
}

func ExampleGrade_String() {
	for g := vet.Quiet; g <= vet.Hot; g++ {
		fmt.Println(g)
	}
	// Output:
	// quiet
	// info
	// hot
}

func ExampleGrade_MarshalText() {
	text, err := vet.Info.MarshalText()
	fmt.Printf("%s %v\n", text, err)
	// Output: info <nil>
}
