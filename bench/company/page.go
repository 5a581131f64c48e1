package main

import (
	"bytes"
	"fmt"
	"os"
)

// page is where the table is published, seen from the module's directory.
const page = "../docs/company.md"

// The table stands between these lines.
const (
	begin = "<!-- company -->\n"
	end   = "<!-- end of company -->"
)

// publish puts a table into a page.
func publish(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: -md wants to be run in bench/", err)
	}
	i, j := bytes.Index(text, []byte(begin)), bytes.Index(text, []byte(end))
	if i < 0 || j < i {
		return fmt.Errorf("%s has no place for the table: want the lines %q and %q", file, begin, end)
	}
	out := string(text[:i]) + begin + table + string(text[j:])
	return os.WriteFile(file, []byte(out), 0o644)
}
