package template

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Field is what a placeholder stands for.
type Field uint8

const (
	literal   Field = iota
	value           // {}   the value itself
	noExt           // {.}  the value without its extension
	base            // {/}  the last element of the path
	dir             // {//} everything before it
	baseNoExt       // {/.} the last element without its extension
	number          // {#}  the job's number, from 1
	Slot            // {%}  the number of the place in which it runs, from 1
	Total           // {##} the number of jobs
)

// ofRun reports whether f is of the run, and not of a value.
func (f Field) ofRun() bool { return f == number || f == Slot || f == Total }

// placeholders are those of GNU parallel, rush and fd, with the meaning they
// agree on. {} can be renamed by -I. Those of a value may have the number of
// one in front: {2}, {2/.}, and {-1} is the last one.
var placeholders = []struct {
	inner string // between the braces
	field Field
}{
	{"", value}, {".", noExt}, {"/", base}, {"//", dir}, {"/.", baseNoExt}, {"#", number}, {"%", Slot}, {"##", Total},
}

// A Shape is what a template may expect of the rows that it expands.
type Shape struct {
	Most    int      // values of a job; 0 is any number
	None    bool     // jobs get no value at all,
	Without string   // because of this flag
	Repeat  bool     // a word with {} is repeated for each value, instead of {} alone; not for a shell
	Counted bool     // the number of jobs is known before the first
	Names   []string // of the values, by --header
}

// plural reports whether a job may have another number of values than one.
func (s Shape) plural() bool { return s.Most != 1 }

// A Template is a command with placeholders. It is never changed after its
// construction, so any number of goroutines may expand it.
type Template struct {
	words  []word
	repeat bool
	Cmd    bool // a call of cmd.exe, whose values go into the environment
}

// A word is one argument of a command, or a group of arguments if a job has
// several values and the word stands for all of them.
type word []part

// A part is a literal text or a placeholder.
type part struct {
	field Field
	pos   int    // of the value: 1 is the first, -1 the last, 0 all of them
	text  string // of a literal
}

// ofValues reports whether p stands for all values of a job.
func (p part) ofValues() bool {
	return p.field != literal && !p.field.ofRun() && p.pos == 0
}

// New reads the words of a command. mark is the spelling of {}. If no
// word holds a placeholder, the values become the last arguments, as in xargs
// and GNU parallel.
func New(words []string, mark string, s Shape) (*Template, error) {
	t := &Template{words: make([]word, 0, len(words)+1), repeat: s.Repeat}
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
	if !found && !s.None {
		t.words = append(t.words, word{{field: value}})
	}
	return t, nil
}

// check refuses what no job can have.
func (s Shape) check(p part, mark string) error {
	switch {
	case p.field == Total && !s.Counted:
		return errors.New("{##}: the number of jobs is not known before the end: it is for lists of sweetspot run, without --pipe")
	case s.None && (p.ofValues() || p.pos != 0):
		return fmt.Errorf("%s: with %s the jobs get no values: leave it out", p.spelling(mark), s.Without)
	case s.Most > 0 && max(p.pos, -p.pos) > s.Most:
		return fmt.Errorf("%s: a job has %d values: want {1} to {%d}, or write {n,n} where a regular expression is meant", p.spelling(mark), s.Most, s.Most)
	}
	return nil
}

// checkWord refuses a word that is {2} and nothing else where each job has one
// value: no regular expression is that, and the value would be appended.
func (s Shape) checkWord(text, mark string) error {
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
	if p, n := placeholderAt(text, mark, Shape{}); n == len(text) && p.pos*p.pos > 1 {
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

// Program returns the command's name, and false if it depends on the job: then only what is
// before the first placeholder.
func (t *Template) Program() (string, bool) {
	first := t.words[0]
	if len(first) == 0 {
		return "", true
	}
	return first[0].text, len(first) == 1 && first[0].field == literal
}

// Uses reports whether the command has a placeholder of a kind.
func (t *Template) Uses(f Field) bool {
	return slices.ContainsFunc(t.words, func(w word) bool {
		return slices.ContainsFunc(w, func(p part) bool { return p.field == f })
	})
}

// A Place is what a job is besides its values: its number, the number of the place in which
// it runs, and how many jobs there are.
type Place struct {
	Seq   int64
	Slot  int
	Total int64
}

// Expand appends the command's words for the values of one job to dst.
func (t *Template) Expand(dst, vals []string, at Place) []string {
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
func (w word) expandAll(dst, vals []string, at Place, repeat bool) []string {
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
func (p part) expand(vals []string, at Place) string {
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

// PerArgument is what an argument takes besides its bytes: a NUL, and a pointer to it.
const PerArgument = 9

// HasPlaceholder reports whether a text has a placeholder of one value or of the run.
func HasPlaceholder(text string) bool {
	return slices.ContainsFunc(splitPlaceholders(text, "{}", Shape{}), func(p part) bool { return p.field != literal })
}

// Length returns how much one more value of so many bytes makes the command
// longer.
func (t *Template) Length(v int) int {
	n := 0
	for _, w := range t.words {
		for _, p := range w {
			switch {
			case p.ofValues():
				n += v + PerArgument
			case t.repeat && w.all():
				n += len(p.text)
			}
		}
	}
	return n
}

// of returns what f stands for with the value val.
func (f Field) of(val string, at Place) string {
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
		return strconv.FormatInt(at.Seq, 10)
	case Slot:
		return strconv.Itoa(at.Slot)
	case Total:
		return strconv.FormatInt(at.Total, 10)
	}
	return ""
}

func splitPlaceholders(text, mark string, s Shape) word {
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
func placeholderAt(text, mark string, s Shape) (part, int) {
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
