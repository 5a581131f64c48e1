package program

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// WriteJSON writes a document to a file.
func WriteJSON(file string, document any) error {
	data, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

// Publish puts a table into a page, between the comments that carry the table's name.
func Publish(page, name, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("%w: -md wants to be run in bench/", err)
	}
	begin, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- end of %s -->", name)
	before, rest, begins := strings.Cut(string(text), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return fmt.Errorf("%s has no place for table %q: want the lines %q and %q", page, name, strings.TrimSpace(begin), end)
	}
	return os.WriteFile(page, []byte(before+begin+table+end+after), 0o644)
}
