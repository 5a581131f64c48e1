package program

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
)

// A Table is one in Markdown.
type Table struct {
	Name    string // of its place in a page
	Caption string
	Head    []string
	Rows    [][]string
	Words   bool   // cells hold words; else numbers, which stand to the right of the first column
	Empty   string // what an empty cell shows
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t Table) String() string {
	var b strings.Builder
	if t.Caption != "" {
		fmt.Fprintf(&b, "%s\n\n", t.Caption)
	}
	align := "--:|"
	if t.Words {
		align = "---|"
	}
	fmt.Fprintf(&b, "| %s |\n|---|%s\n", strings.Join(t.Head, " | "), strings.Repeat(align, len(t.Head)-1))
	for _, r := range t.Rows {
		for _, x := range r {
			x = cmp.Or(x, t.Empty)
			fmt.Fprintf(&b, "| %s ", x)
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// Show prints a table, or publishes it if the flag -md is given.
func Show(out io.Writer, md bool, page, name, table string) error {
	if md {
		return Publish(page, name, table)
	}
	_, err := fmt.Fprintln(out, table)
	return err
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
