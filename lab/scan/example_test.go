package scan_test

import (
	"context"
	"fmt"
	"io"
	"log"

	"github.com/sweetspot-go/sweetspot/lab/scan"
)

func ExampleStart() {
	ctx := context.Background()
	scanner, err := scan.Start(ctx, scan.Config{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := scanner.Open(ctx, "doc.go") // waits until doc.go has been scanned
	if err != nil {
		log.Fatal(err)
	}
	n, _ := io.Copy(io.Discard, f)
	f.Close()
	report, err := scanner.Close()
	fmt.Println(report.Files, report.Bytes == n, err)
	// Output: 1 true <nil>
}

// A program calls Main before anything else: started again as the scanner process,
// it does not get beyond it.
func ExampleMain() {
	scan.Main()
	fmt.Println("the program")
	// Output: the program
}
