package run

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/manual"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

const (
	helpSummary = "Run a command once for each value. How many run at a time is found by measuring them."

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

// help returns the help of "sweetspot run". Its first lines answer most
// questions.
func help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n%s\nExamples:\n%s", helpSummary, helpUsage, helpExamples)
	for _, s := range Manual() {
		fmt.Fprintf(&b, "\n%s:\n", s.Title)
		for _, i := range s.Items {
			if i.Term == "" {
				fmt.Fprintf(&b, "\n  %s\n", strings.Join(humanize.Wrap(i.Words, usage.Width-2), "\n  "))
				continue
			}
			usage.Entry(&b, i.Term, i.Words)
		}
	}
	return b.String()
}

// Manual returns what the manual page says beyond the usage and the examples: the flags by
// groups, and their notes.
func Manual() []manual.Section {
	sections := make([]manual.Section, groups)
	for g := range groups {
		sections[g].Title = groupTitles[g]
		items := &sections[g].Items
		for i := range flags {
			if f := &flags[i]; f.group == g {
				*items = append(*items, manual.Item{Term: f.synopsis(), Words: f.wordsAnd()})
			}
		}
		for _, n := range notes[g] {
			*items = append(*items, manual.Item{Term: n.term, Words: n.words})
		}
	}
	return sections
}

// synopsis returns the flag as it is written: "-j, --jobs N".
func (f *flag) synopsis() string {
	s := "--" + f.name
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

// screen returns the help of -h: the flags of every day.
func screen() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n%s\nExamples:\n%s\nFlags:\n", helpSummary, helpUsage, helpExamples)
	for g := range groups {
		for i := range flags {
			if f := &flags[i]; f.brief && f.group == g {
				usage.Entry(&b, f.synopsis(), f.summary())
			}
		}
	}
	b.WriteString("\nsweetspot run --help is the manual.\n")
	return b.String()
}
