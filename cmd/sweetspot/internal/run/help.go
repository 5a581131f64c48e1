package run

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

const (
	helpSummary = "Run a command once for each value, as many at a time as serves best."

	helpUsage = `  sweetspot run [flags] [--] COMMAND [ARGS...]                values are the lines of stdin
  sweetspot run [flags] [--] COMMAND [ARGS...] ::: VALUES...  values are given here
  sweetspot run [flags] -c 'SHELL LINE' [::: VALUES...]
`

	helpExamples = `  ls *.wav | sweetspot run lame                           # the value is appended
  find . -name '*.png' -print0 | sweetspot run -0 optipng -quiet {}
  sweetspot run -a urls.txt curl -sSO -- {}               # a file of values
  sweetspot run -c 'gzip -9 <{} >{}.gz' ::: *.log         # a shell line, safe for any name
  sweetspot run -k --explain sha256sum <files.txt         # in order; say what was found
  sweetspot run -j 4 ffmpeg -loglevel error -i {} {.}.mp4 ::: *.avi
`
)

const (
	helpWidth  = 100 // columns; the conventions for terminals have it
	helpColumn = 26  // the column where the words begin
)

// help returns the help of "sweetspot run". Its first lines answer most
// questions.
func help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n%s\nExamples:\n%s", helpSummary, helpUsage, helpExamples)
	for g := range groups {
		fmt.Fprintf(&b, "\n%s:\n", groupTitles[g])
		for i := range flags {
			if f := &flags[i]; f.group == g {
				entry(&b, "  "+f.synopsis(), f.wordsAnd())
			}
		}
		for _, n := range notes[g] {
			entry(&b, "  "+n.term, n.words)
		}
	}
	return b.String()
}

// synopsis returns the flag as it is written: "-j, --jobs N".
func (f *flag) synopsis() string {
	s := "    --" + f.name
	if f.short != "" {
		s = "-" + f.short + ", --" + f.name
	}
	if f.arg != "" {
		s += " " + f.arg
	}
	return s
}

// wordsAnd returns the words and the other spellings.
func (f *flag) wordsAnd() string {
	var also []string
	for _, s := range f.also {
		if s.short != "" {
			also = append(also, "-"+s.short)
		}
		also = append(also, "--"+s.name)
	}
	if len(also) == 0 {
		return f.words
	}
	return f.words + " (also " + strings.Join(also, ", ") + ")"
}

// entry writes a term and, in a column beside it, its words.
func entry(b *strings.Builder, term, words string) {
	at := utf8.RuneCountInString(term)
	b.WriteString(term)
	if at > helpColumn-2 {
		b.WriteString("\n")
		at = 0
	}
	for para := range strings.SplitSeq(words, "\n") {
		for _, line := range humanize.Wrap(para, helpWidth-helpColumn) {
			fmt.Fprintf(b, "%*s%s\n", helpColumn-at, "", line)
			at = 0
		}
	}
}

// shortHelp is shown when there is nothing to run and nobody pipes anything.
const shortHelp = `Run a command once for each value, as many at a time as serves best.

  ls *.wav | sweetspot run lame                     values from stdin, one a line
  sweetspot run -a FILE COMMAND {}                  values from a file
  sweetspot run COMMAND {} ::: VALUES...            values given here
  sweetspot run -c 'gzip <{} >{}.gz' ::: *.log      a shell line, safe for any name

stdin is a terminal, so there are no values. See sweetspot run --help.
`
