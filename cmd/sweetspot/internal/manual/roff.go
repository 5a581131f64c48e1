package manual

import (
	"fmt"
	"strings"
)

// A page is a manual page in roff.
type page struct{ strings.Builder }

// item writes a term with its words, or a paragraph.
func (p *page) item(i Item) {
	if i.Term == "" {
		p.WriteString(".PP\n")
	} else {
		fmt.Fprintf(p, ".TP\n.B %s\n", escape(i.Term))
	}
	p.WriteString(strings.ReplaceAll(escape(i.Words), "\n", "\n.br\n") + "\n")
}

// text writes paragraphs. Those that are indented keep their lines.
func (p *page) text(text string) {
	for i, para := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			p.WriteString(".PP\n")
		}
		if strings.Contains("\n"+para, "\n  ") {
			fmt.Fprintf(p, ".nf\n%s\n.fi\n", escape(para))
		} else {
			p.WriteString(escape(para) + "\n")
		}
	}
}

// escapes are the characters that roff would take for something else: a hyphen for one at
// which words may break, quotation marks for typographic ones. A line may break after a comma,
// as in a list without spaces.
var escapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, `"`, `\(dq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`, ", ", ", ", ",\n", ",\n", ",", `,\:`)

// escape returns text that stands for itself. At the beginning of a line a dot would make a
// request of it.
func escape(text string) string {
	lines := strings.Split(escapes.Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
