package scan_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"time"

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

// A file that is not there is not scanned.
func ExampleScanner_Open() {
	ctx := context.Background()
	scanner, err := scan.Start(ctx, scan.Config{Timeout: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	defer scanner.Close()
	for _, name := range []string{"doc.go", "nothing.go"} {
		f, err := scanner.Open(ctx, name)
		if err != nil {
			fmt.Println(name, "does not exist:", errors.Is(err, fs.ErrNotExist))
			continue
		}
		fmt.Println(name, "may be read")
		f.Close()
	}
	// Output:
	// doc.go may be read
	// nothing.go does not exist: true
}

// Close says what was scanned, however often it is called.
func ExampleScanner_Close() {
	ctx := context.Background()
	scanner, err := scan.Start(ctx, scan.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer scanner.Close()
	for range 3 {
		f, err := scanner.Open(ctx, "doc.go")
		if err != nil {
			log.Fatal(err)
		}
		f.Close()
	}
	report, err := scanner.Close()
	fmt.Println(report.Files, "scans", err)
	// Output: 3 scans <nil>
}

// A program calls Main before anything else: started again as the scanner process,
// it does not get beyond it.
func ExampleMain() {
	scan.Main()
	fmt.Println("the program")
	// Output: the program
}
