// Command grep searches the files of a tree for lines that match a pattern. See
// the README beside this file.
package main

import (
	"os"

	"github.com/sweetspot-go/sweetspot/lab/scan"
)

func main() {
	scan.Main()
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}
