package run

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// ManCommand returns the cobra command "man".
func ManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Write the manual page of sweetspot run",
		Long: `man writes the manual page sweetspot-run(1) in roff. It is made of what
sweetspot run --help shows.`,
		Example: `  sweetspot man | man -l -
  sweetspot man >/usr/local/share/man/man1/sweetspot-run.1`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := io.WriteString(c.OutOrStdout(), man())
			return err
		},
	}
}

// man returns the manual page, in the macros that every man(1) knows.
func man() string {
	var b strings.Builder
	b.WriteString(".TH SWEETSPOT-RUN 1 \"\" sweetspot \"User commands\"\n.SH NAME\n")
	summary := strings.TrimSuffix(helpSummary, ".")
	fmt.Fprintf(&b, "sweetspot\\-run \\- %s\n", roff(strings.ToLower(summary[:1])+summary[1:]))
	b.WriteString(".SH SYNOPSIS\n")
	verbatim(&b, helpUsage)
	b.WriteString(".SH EXAMPLES\n")
	verbatim(&b, helpExamples)
	for g := range groups {
		fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(groupTitles[g])))
		for i := range flags {
			if f := &flags[i]; f.group == g {
				item(&b, strings.TrimLeft(f.synopsis(), " "), f.wordsAnd())
			}
		}
		for _, n := range notes[g] {
			item(&b, n.term, n.words)
		}
	}
	b.WriteString(".SH SEE ALSO\n.BR xargs (1),\n.BR parallel (1)\n")
	return b.String()
}

// item writes a term with its words, or a paragraph.
func item(b *strings.Builder, term, words string) {
	if term == "" {
		b.WriteString(".PP\n")
	} else {
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n", roff(term))
	}
	for i, para := range strings.Split(words, "\n") {
		if i > 0 {
			b.WriteString(".br\n")
		}
		b.WriteString(roff(para) + "\n")
	}
}

// verbatim writes lines as they stand.
func verbatim(b *strings.Builder, text string) {
	b.WriteString(".nf\n")
	for line := range strings.Lines(text) {
		b.WriteString(roff(strings.TrimPrefix(line, "  ")))
	}
	b.WriteString(".fi\n")
}

// roffEscapes are the characters that roff would take for something else: a
// hyphen for one at which words may break, quotation marks for typographic
// ones.
var roffEscapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`)

// roff returns a line of text that stands for itself. At its beginning a dot
// would make a request of it.
func roff(line string) string {
	line = roffEscapes.Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
