package template

import (
	"fmt"
	"slices"
	"strings"
)

// NewShell returns the command sh -c LINE sh VALUE... for a line with
// placeholders; sh is the name of the shell, by which some choose how they read.
//
// A value never becomes part of the text that the shell reads: each
// placeholder is replaced by an expansion, "$1" or "$2", and the values are
// handed over as positional parameters. So no value can end a quotation, start
// a command or be split, whatever bytes it holds. $1 is the value in any case,
// so that a line may also say "$1" by itself.
//
// Where a job has several values, $1 and $2 are the first two of them and {} is
// "$@", or "$*" within double quotes. What other placeholders stand for goes in
// front of the values; the line begins with text of ours that moves it into
// variables.
//
// The replacement depends on the quotation around the placeholder; see
// [judge]. Where no replacement is right (in single quotes, backquotes,
// here-documents, arithmetic), the line is refused. Should a place ever be
// misjudged, the worst result is an expansion that is split, stays literal or is
// evaluated as arithmetic; a value is still not read as text of the line.
func NewShell(sh, line, mark string, s Shape) (*Template, error) {
	if strings.TrimSpace(line) == "" {
		return nil, fmt.Errorf("-c needs a shell line, such as -c 'gzip -9 <{} >{}.gz'")
	}
	w := shellWriter{mark: mark, shape: s}
	if !s.plural() {
		w.params = []part{{field: value}}
	}
	text, err := w.write(sh, line)
	if err != nil {
		return nil, fmt.Errorf("-c: %w", err)
	}
	if s.plural() {
		text = unpack(len(w.params)) + text
		if !s.None {
			w.params = append(w.params, part{field: value}) // all of them
		}
	}
	return w.template(sh, "-c", text, sh), nil
}

// unpack returns what moves so many positional parameters into variables.
func unpack(n int) string {
	if n == 0 {
		return ""
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s%d=${%d} ", shellVariable, i+1, i+1)
	}
	fmt.Fprintf(&b, "&& shift %d; ", n)
	return b.String()
}

// shellVariable begins the names of the variables that [unpack] sets. They are
// not exported.
const shellVariable = "sweetspot_value_"

// A shellWriter writes a line with expansions instead of its placeholders.
type shellWriter struct {
	mark   string
	shape  Shape
	params []part // what $1, $2, ... are, those that unpack moves away included
}

func (w *shellWriter) write(sh, line string) (string, error) {
	places, parsed := placesIn(line, w.mark, w.shape)
	fault := judge(places, sh, parsed)
	var out strings.Builder
	end := 0
	for _, p := range places {
		if p.quotation == inComment {
			continue
		}
		if err := w.shape.check(p.part, w.mark); err != nil {
			return "", err
		}
		if err := p.refuse(line, fault); err != nil {
			return "", err
		}
		text, err := w.expansion(p.part, p.quotation)
		if err != nil {
			return "", err
		}
		out.WriteString(line[end:p.from])
		out.WriteString(text)
		end = p.to
	}
	return out.String() + line[end:], nil
}

// expansion returns what the shell expands to p.
func (w *shellWriter) expansion(p part, q quotation) (string, error) {
	name := ""
	switch {
	case !w.shape.plural():
		p.pos = 0 // {1} is {}
		name = fmt.Sprint(w.param(p))
	case !p.ofValues() && p.field == value && p.pos > 0:
		name = fmt.Sprint(p.pos)
	case !p.ofValues():
		name = fmt.Sprint(shellVariable, w.param(p))
	case p.field != value:
		s := p.spelling(w.mark)
		return "", fmt.Errorf("%s would stand for several words, since a job has several values: want {1%s, {2%s and so on", s, s[1:], s[1:])
	case q == inDouble:
		name = "*"
	default:
		name = "@"
	}
	if q == inDouble {
		return "${" + name + "}", nil
	}
	return `"${` + name + `}"`, nil
}

// template returns the command of these words, which the parameters follow.
func (w *shellWriter) template(words ...string) *Template {
	t := &Template{}
	for _, text := range words {
		t.words = append(t.words, word{{text: text}})
	}
	for _, p := range w.params {
		t.words = append(t.words, word{p})
	}
	return t
}

// param returns the number of the parameter that holds p.
func (w *shellWriter) param(p part) int {
	i := slices.Index(w.params, p)
	if i < 0 {
		i = len(w.params)
		w.params = append(w.params, p)
	}
	return i + 1
}
