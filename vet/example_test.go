package vet_test

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

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
