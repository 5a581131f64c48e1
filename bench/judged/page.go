package main

import (
	"bytes"
	"fmt"
	"os"
)

// page is where the tables are published, seen from the module's directory.
const page = "../docs/judged.md"

// write puts the table into a page, between the comments that carry its name.
func (t *table) write(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: -md wants to be run in bench/", err)
	}
	begin, end := fmt.Appendf(nil, "<!-- %s -->\n", t.name), fmt.Appendf(nil, "<!-- end of %s -->", t.name)
	i, j := bytes.Index(text, begin), bytes.Index(text, end)
	if i < 0 || j < i {
		return fmt.Errorf("%s has no place for table %q: want the lines %q and %q", file, t.name, bytes.TrimSpace(begin), end)
	}
	var b bytes.Buffer
	b.Write(text[:i+len(begin)])
	t.markdown(&b)
	b.Write(text[j:])
	return os.WriteFile(file, b.Bytes(), 0o644)
}
