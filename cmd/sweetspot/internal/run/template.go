package run

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A field is what a placeholder stands for.
type field uint8

const (
	literal   field = iota
	value           // {}   the value itself
	noExt           // {.}  the value without its extension
	base            // {/}  the last element of the path
	dir             // {//} everything before it
	baseNoExt       // {/.} the last element without its extension
	number          // {#}  the job's number, from 1
	slot            // {%}  the number of the place in which it runs, from 1
	total           // {##} the number of jobs
)

// ofRun reports whether f is of the run, and not of a value.
func (f field) ofRun() bool { return f == number || f == slot || f == total }

// placeholders are those of GNU parallel, rush and fd, with the meaning they
// agree on. {} can be renamed by -I. Those of a value may have the number of
// one in front: {2}, {2/.}, and {-1} is the last one.
var placeholders = []struct {
	inner string // between the braces
	field field
}{
	{"", value}, {".", noExt}, {"/", base}, {"//", dir}, {"/.", baseNoExt}, {"#", number}, {"%", slot}, {"##", total},
}

// A shape is what a template may expect of the rows that it expands.
type shape struct {
	most    int      // values of a job; 0 is any number
	none    bool     // jobs get no value at all,
	without string   // because of this flag
	repeat  bool     // a word with {} is repeated for each value, instead of {} alone; not for a shell
	counted bool     // the number of jobs is known before the first
	names   []string // of the values, by --header
}

// plural reports whether a job may have another number of values than one.
func (s shape) plural() bool { return s.most != 1 }

// A template is a command with placeholders. It is never changed after its
// construction, so any number of goroutines may expand it.
type template struct {
	words  []word
	repeat bool
	cmd    bool // a call of cmd.exe, whose values go into the environment
}

// A word is one argument of a command, or a group of arguments if a job has
// several values and the word stands for all of them.
type word []part

// A part is a literal text or a placeholder.
type part struct {
	field field
	pos   int    // of the value: 1 is the first, -1 the last, 0 all of them
	text  string // of a literal
}

// ofValues reports whether p stands for all values of a job.
func (p part) ofValues() bool {
	return p.field != literal && !p.field.ofRun() && p.pos == 0
}

// newTemplate reads the words of a command. mark is the spelling of {}. If no
// word holds a placeholder, the values become the last arguments, as in xargs
// and GNU parallel.
func newTemplate(words []string, mark string, s shape) (*template, error) {
	t := &template{words: make([]word, 0, len(words)+1), repeat: s.repeat}
	found := false
	for _, text := range words {
		if err := s.checkWord(text, mark); err != nil {
			return nil, err
		}
		w := splitPlaceholders(text, mark, s)
		for _, p := range w {
			found = found || p.field != literal
			if err := s.check(p, mark); err != nil {
				return nil, err
			}
		}
		t.words = append(t.words, w)
	}
	if !found && !s.none {
		t.words = append(t.words, word{{field: value}})
	}
	return t, nil
}

// check refuses what no job can have.
func (s shape) check(p part, mark string) error {
	switch {
	case p.field == total && !s.counted:
		return errors.New("{##}: the number of jobs is not known before the end: it is for lists of sweetspot run, without --pipe")
	case s.none && (p.ofValues() || p.pos != 0):
		return fmt.Errorf("%s: with %s the jobs get no values: leave it out", p.spelling(mark), s.without)
	case s.most > 0 && max(p.pos, -p.pos) > s.most:
		return fmt.Errorf("%s: a job has %d values: want {1} to {%d}, or write {n,n} where a regular expression is meant", p.spelling(mark), s.most, s.most)
	}
	return nil
}

// checkWord refuses a word that is {2} and nothing else where each job has one
// value: no regular expression is that, and the value would be appended.
func (s shape) checkWord(text, mark string) error {
	rest := strings.ReplaceAll(text, mark, " ") // what -I names is what its user wants
	if err := s.misnamed(rest); err != nil {
		return err
	}
	if _, perl, found := strings.Cut(rest, "{="); found && strings.Contains(perl, "=}") {
		return errors.New("{= =} of GNU parallel is Perl: in a line of -c the shell changes values, such as ${1%.*}")
	}
	if s.plural() || text == "" {
		return nil
	}
	if p, n := placeholderAt(text, mark, shape{}); n == len(text) && p.pos*p.pos > 1 {
		return fmt.Errorf("%s: a job has one value: want %s or {1}; --colsep makes several of a line, and -n takes several lines", p.spelling(mark), mark)
	}
	return nil
}

// spelling returns the placeholder as it is written.
func (p part) spelling(mark string) string {
	if p.field == value && p.pos == 0 {
		return mark
	}
	for _, h := range placeholders {
		if h.field == p.field {
			if p.pos != 0 {
				return "{" + strconv.Itoa(p.pos) + h.inner + "}"
			}
			return "{" + h.inner + "}"
		}
	}
	return p.text
}

// program returns the command's name, and false if it depends on the job.
func (t *template) program() (string, bool) {
	switch first := t.words[0]; {
	case len(first) == 0:
		return "", true
	case len(first) == 1 && first[0].field == literal:
		return first[0].text, true
	}
	return "", false
}

// uses reports whether the command has a placeholder of a kind.
func (t *template) uses(f field) bool {
	return slices.ContainsFunc(t.words, func(w word) bool {
		return slices.ContainsFunc(w, func(p part) bool { return p.field == f })
	})
}

// A place is what a job is besides its values: its number, the number of the place in which
// it runs, and how many jobs there are.
type place struct {
	seq   int64
	slot  int
	total int64
}

// expand appends the command's words for the values of one job to dst.
func (t *template) expand(dst, vals []string, at place) []string {
	for _, w := range t.words {
		switch {
		case len(vals) != 1 && w.all():
			dst = w.expandAll(dst, vals, at, t.repeat)
		case len(w) == 1:
			dst = append(dst, w[0].expand(vals, at))
		default:
			var b strings.Builder
			for _, p := range w {
				b.WriteString(p.expand(vals, at))
			}
			dst = append(dst, b.String())
		}
	}
	return dst
}

// all reports whether w stands for all values of a job.
func (w word) all() bool { return slices.ContainsFunc(w, part.ofValues) }

// expandAll appends the words that w stands for. What stands before the first
// value and after the last one clings to it, as it does in a shell to the ends
// of "$@": with the values a and b, x{}y is xa and by. With repeat it is xay and
// xby.
func (w word) expandAll(dst, vals []string, at place, repeat bool) []string {
	if repeat {
		for i := range vals {
			var b strings.Builder
			for _, p := range w {
				if p.ofValues() {
					b.WriteString(p.field.of(vals[i], at))
				} else {
					b.WriteString(p.expand(vals, at))
				}
			}
			dst = append(dst, b.String())
		}
		return dst
	}
	var b strings.Builder
	for _, p := range w {
		if !p.ofValues() {
			b.WriteString(p.expand(vals, at))
			continue
		}
		for i, v := range vals {
			if i > 0 {
				dst = append(dst, b.String())
				b.Reset()
			}
			b.WriteString(p.field.of(v, at))
		}
	}
	return append(dst, b.String())
}

// expand returns what p stands for in a job. A value that the job does not have
// is empty.
func (p part) expand(vals []string, at place) string {
	i := p.pos - 1
	switch {
	case p.field == literal:
		return p.text
	case p.field.ofRun():
		return p.field.of("", at)
	case p.pos == 0:
		i = 0
	case p.pos < 0:
		i = len(vals) + p.pos
	}
	if i < 0 || i >= len(vals) {
		return ""
	}
	return p.field.of(vals[i], at)
}

// length returns how much one more value of so many bytes makes the command
// longer.
func (t *template) length(v int) int {
	n := 0
	for _, w := range t.words {
		for _, p := range w {
			switch {
			case p.ofValues():
				n += v + perArgument
			case t.repeat && w.all():
				n += len(p.text)
			}
		}
	}
	return n
}

// of returns what f stands for with the value val.
func (f field) of(val string, at place) string {
	switch f {
	case value:
		return val
	case noExt:
		return val[:len(val)-len(extension(val))]
	case base:
		_, b := splitPath(val)
		return b
	case dir:
		d, _ := splitPath(val)
		return d
	case baseNoExt:
		_, b := splitPath(val)
		return b[:len(b)-len(extension(b))]
	case number:
		return strconv.FormatInt(at.seq, 10)
	case slot:
		return strconv.Itoa(at.slot)
	case total:
		return strconv.FormatInt(at.total, 10)
	}
	return ""
}

func splitPlaceholders(text, mark string, s shape) word {
	var parts word
	start := 0
	for i := 0; i < len(text); {
		p, n := placeholderAt(text[i:], mark, s)
		if n == 0 {
			i++
			continue
		}
		if start < i {
			parts = append(parts, part{text: text[start:i]})
		}
		parts = append(parts, p)
		i += n
		start = i
	}
	if start < len(text) {
		parts = append(parts, part{text: text[start:]})
	}
	return parts
}

// longestPlaceholder is enough for {-32768//}.
const longestPlaceholder = 12

// placeholderAt returns the placeholder that s begins with and its length, or
// a length of 0. Where each job has one value, {2} is none: there it rather
// belongs to a regular expression.
func placeholderAt(text, mark string, s shape) (part, int) {
	if strings.HasPrefix(text, mark) {
		return part{field: value}, len(mark)
	}
	if text[0] != '{' {
		return part{}, 0
	}
	if p, n := s.named(text); n > 0 {
		return p, n
	}
	inner, _, closed := strings.Cut(text[1:min(len(text), longestPlaceholder)], "}")
	if !closed {
		return part{}, 0
	}
	digits := len(inner) - len(strings.TrimLeft(inner, "-0123456789"))
	pos := 0
	if digits > 0 {
		n, err := strconv.ParseInt(inner[:digits], 10, 16)
		if pos = int(n); err != nil || n == 0 || !s.plural() && n*n != 1 {
			return part{}, 0
		}
	}
	for _, p := range placeholders {
		switch {
		case inner[digits:] != p.inner:
		case digits == 0 && p.field == value, digits > 0 && p.field.ofRun():
			return part{}, 0 // {} is spelt mark
		default:
			return part{field: p.field, pos: pos}, len(inner) + 2
		}
	}
	return part{}, 0
}
