package search_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/lab/search"
)

func ExampleSearcher_Run() {
	s, err := search.New(search.Options{
		Query:       search.Query{Pattern: `^func Example\w+\(`},
		Tree:        search.Tree{Roots: []string{"example_test.go"}},
		LineNumbers: false,
		NoFilename:  true,
	})
	if err != nil {
		log.Fatal(err)
	}
	counts, err := s.Run(context.Background(), os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(counts.Lines, "lines in", counts.Matched, "file")
	// Output:
	// func ExampleSearcher_Run() {
	// func ExampleSearcher_RunFiles() {
	// func ExampleSearcher_File() {
	// func ExampleTree_Files() {
	// func ExampleNew() {
	// 5 lines in 1 file
}

// A stream of work below a Limiter, which says how it has decided.
func ExampleSearcher_RunFiles() {
	limiter := sweetspot.New(sweetspot.Name("search"))
	s, err := search.New(search.Options{
		Query: search.Query{Pattern: "limiter", Fixed: true},
		Mode:  search.Names,
		Limit: limiter,
	})
	if err != nil {
		log.Fatal(err)
	}
	twice := slices.Values([]string{"example_test.go", "example_test.go"})
	counts, err := s.RunFiles(context.Background(), twice, io.Discard)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(counts.Files, "files,", limiter.Limit() > 0)
	// Output: 2 files, true
}

// One file at a time, as the unit of somebody else's concurrency.
func ExampleSearcher_File() {
	s, err := search.New(search.Options{
		Query: search.Query{Pattern: "world"},
		Open: func(_ context.Context, path string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("hello\nworld\n")), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	counts, err := s.File(context.Background(), "greeting", os.Stdout)
	fmt.Println(counts.Lines, counts.Bytes, err)
	// Output:
	// greeting:world
	// 1 12 <nil>
}

func ExampleTree_Files() {
	tree := search.Tree{Roots: []string{"testdata/tree"}}
	for path := range tree.Files(context.Background(), func(err error) { log.Print(err) }) {
		fmt.Println(path)
	}
	// Output:
	// testdata/tree/.gitignore
	// testdata/tree/a.txt
	// testdata/tree/sub/b.txt
}

func ExampleNew() {
	_, err := search.New(search.Options{Query: search.Query{Pattern: "a(b"}})
	fmt.Println(err)
	// Output: the pattern "a(b" is not a regular expression: missing closing ): "a(b"
}
