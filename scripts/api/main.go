// Command api writes down what the root module exports, so that a change of it is seen and
// meant. Run it in the root of the repository after such a change:
//
//	go run ./scripts/api > api.txt
//
// The test of this package compares the file with the code.
package main

import (
	"fmt"
	"os"
)

func main() {
	text, err := surface(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}
