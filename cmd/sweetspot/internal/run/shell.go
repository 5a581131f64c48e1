package run

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// newShellTemplate returns the command sh -c LINE sh VALUE... for a line with
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
// The replacement depends on the quotation around the placeholder, so the line
// is read with the shell's quoting rules. Where no replacement is right (in
// single quotes, backquotes, here-documents, arithmetic), the line is refused.
// Should this reader ever misjudge a place, the worst result is an expansion
// that is split or stays literal; a value is still not read as shell text.
func newShellTemplate(sh, line, mark string, s shape) (*template, error) {
	if strings.TrimSpace(line) == "" {
		return nil, fmt.Errorf("-c needs a shell line, such as -c 'gzip -9 <{} >{}.gz'")
	}
	r := shellReader{line: line, mark: mark, shape: s}
	if !s.plural() {
		r.params = []part{{field: value}}
	}
	if err := r.read(); err != nil {
		return nil, err
	}
	text := r.out.String()
	if s.plural() {
		text = unpack(len(r.params)) + text
		if !s.none {
			r.params = append(r.params, part{field: value}) // all of them
		}
	}
	t := &template{}
	for _, w := range []string{sh, "-c", text, sh} {
		t.words = append(t.words, word{{text: w}})
	}
	for _, p := range r.params {
		t.words = append(t.words, word{p})
	}
	return t, nil
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

// A shellReader walks over a line and replaces its placeholders.
type shellReader struct {
	line, mark string
	i          int
	out        strings.Builder
	shape      shape
	params     []part // what $1, $2, ... are, those that unpack moves away included

	nest     []byte // the open constructs, innermost last; see the constants
	hereDoc  bool   // a here-document is announced on this line
	inDoc    bool   // its text has begun; where it ends is not followed
	wordOpen bool   // the last byte belongs to a word, so # begins no comment
}

const (
	inDouble = '"' // "..."
	inParen  = '(' // (...) and $(...)
	inBrace  = '{' // ${...}
	inArith  = '+' // $((...)) and ((...))
	inCase   = 'c' // case ... esac, whose patterns end in a ) that closes nothing
	inWord   = '$' // below the parentheses of $(...) and $((...)), after which the word goes on
)

func (r *shellReader) read() error {
	for r.i < len(r.line) {
		if p, n := placeholderAt(r.line[r.i:], r.mark, r.shape); n > 0 {
			if err := r.replace(p, n); err != nil {
				return err
			}
			continue
		}
		if err := r.step(); err != nil {
			return err
		}
	}
	// A word that was taken for a case hides the ) of its $(...), and so where quotations end.
	if i := slices.Index(r.nest, inWord); i >= 0 && slices.Contains(r.nest[i:], inCase) {
		return errors.New(`-c: a case in $(...) has no esac that would end it: write 'case' where it is an argument`)
	}
	return nil
}

// replace writes the expansion of a placeholder.
func (r *shellReader) replace(p part, n int) error {
	if err := r.shape.check(p, r.mark); err != nil {
		return fmt.Errorf("-c: %w", err)
	}
	switch {
	case r.inDoc:
		return r.refuse(n, "in a here-document", `use printf '%%s\n' %s | COMMAND`)
	case r.top() == inArith:
		return r.refuse(n, "in arithmetic, which would evaluate it", "use test or awk with %s as an argument")
	case r.top() == inBrace:
		return r.refuse(n, "inside ${...}", "assign it first: v=%s; ...")
	}
	text, err := r.expansion(p)
	if err != nil {
		return err
	}
	if r.top() != inDouble {
		text = `"` + text + `"`
	}
	r.out.WriteString(text)
	r.i += n
	r.wordOpen = true
	return nil
}

// expansion returns what the shell expands to p.
func (r *shellReader) expansion(p part) (string, error) {
	switch {
	case !r.shape.plural():
		p.pos = 0 // {1} is {}
		return fmt.Sprintf("${%d}", r.param(p)), nil
	case !p.ofValues() && p.field == value && p.pos > 0:
		return fmt.Sprintf("${%d}", p.pos), nil
	case !p.ofValues():
		return fmt.Sprintf("${%s%d}", shellVariable, r.param(p)), nil
	case p.field != value:
		s := p.spelling(r.mark)
		return "", fmt.Errorf("-c: %s would stand for several words, since a job has several values: want {1%s, {2%s and so on", s, s[1:], s[1:])
	case r.top() == inDouble:
		return "${*}", nil
	}
	return "${@}", nil
}

// param returns the number of the parameter that holds p.
func (r *shellReader) param(p part) int {
	i := slices.Index(r.params, p)
	if i < 0 {
		i = len(r.params)
		r.params = append(r.params, p)
	}
	return i + 1
}

// step copies the next token and keeps track of quotation and nesting.
func (r *shellReader) step() error {
	rest := r.line[r.i:]
	double := r.top() == inDouble
	switch c := rest[0]; {
	case c == '\\':
		r.copy(min(2, len(rest)))
		r.wordOpen = true
	case c == '\'' && !double:
		return r.quoted('\'', "inside single quotes, where a shell replaces nothing", "write %s without quotes: it is always one word")
	case c == '`':
		return r.quoted('`', "inside backquotes", "use $(...) instead, with %s in it")
	case c == '"':
		if double {
			r.pop()
		} else {
			r.push(inDouble)
		}
		r.copy(1)
		r.wordOpen = true
	case strings.HasPrefix(rest, "$(("):
		r.push(inWord)
		r.push(inArith) // one for each parenthesis
		r.push(inArith)
		r.copy(3)
	case strings.HasPrefix(rest, "$("):
		r.push(inWord)
		r.push(inParen)
		r.copy(2)
		r.wordOpen = false
	case strings.HasPrefix(rest, "${"):
		r.push(inBrace)
		r.copy(2)
	case c == '}' && r.top() == inBrace:
		r.pop()
		r.copy(1)
		r.wordOpen = true
	case double:
		r.copy(1)
	case !r.inDoc && r.keyword("case", " \t\n", caseFollows):
		r.push(inCase)
		r.copy(len("case"))
		r.wordOpen = true
	case r.top() == inCase && r.keyword("esac", " \t\n;&|()<>", esacFollows):
		r.pop()
		r.copy(len("esac"))
		r.wordOpen = true
	case strings.HasPrefix(rest, "((") && r.top() != inArith:
		r.push(inArith)
		r.push(inArith)
		r.copy(2)
	case c == '(':
		if r.top() == inArith {
			r.push(inArith)
		} else {
			r.push(inParen)
		}
		r.copy(1)
		r.wordOpen = false
	case c == ')':
		if t := r.top(); t == inParen || t == inArith {
			r.pop()
		}
		r.copy(1)
		r.wordOpen = r.top() == inWord
		if r.wordOpen {
			r.pop()
		}
	case c == '#' && !r.wordOpen && r.top() != inArith && r.top() != inBrace:
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest)
		}
		r.copy(end)
	case strings.HasPrefix(rest, "<<<"):
		r.copy(3)
		r.wordOpen = false
	case strings.HasPrefix(rest, "<<") && r.top() != inArith:
		r.hereDoc = true
		r.copy(2)
		r.wordOpen = false
	case c == '\n':
		r.inDoc = r.inDoc || r.hereDoc
		r.copy(1)
		r.wordOpen = false
	default:
		r.copy(1)
		r.wordOpen = !strings.ContainsRune(" \t;&|<>", rune(c))
	}
	return nil
}

// What a case and its esac may follow: they are words of the shell only where a command may
// begin or end. A pattern may be called so, too.
var (
	caseFollows = regexp.MustCompile(`(^|[;&|()\n]|(^|[\s;&|()])([!{]|if|then|elif|else|while|until|do|time))[ \t]*$`)
	esacFollows = regexp.MustCompile(`([;&)\n]|[\s;&)](}|fi|done|esac))[ \t]*$`)
)

// keyword reports whether a word of the shell comes next: before one of the bytes of ends, and
// after what matches follows.
func (r *shellReader) keyword(word, ends string, follows *regexp.Regexp) bool {
	rest, found := strings.CutPrefix(r.line[r.i:], word)
	return found && (rest == "" || strings.IndexByte(ends, rest[0]) >= 0) &&
		!r.wordOpen && r.top() != inArith && r.top() != inBrace && follows.MatchString(r.line[:r.i])
}

// quoted copies a quotation as it stands. A placeholder in it is an error.
func (r *shellReader) quoted(end byte, where, advice string) error {
	stop := len(r.line)
	for j := r.i + 1; j < len(r.line); j++ {
		if r.line[j] == '\\' && end == '`' {
			j++
		} else if r.line[j] == end {
			stop = j + 1
			break
		}
	}
	start := r.i
	for j := start + 1; j < stop; j++ {
		if _, n := placeholderAt(r.line[j:stop], r.mark, r.shape); n > 0 {
			r.i = j
			return r.refuse(n, where, advice)
		}
	}
	r.copy(stop - start)
	r.wordOpen = true
	return nil
}

func (r *shellReader) refuse(n int, where, advice string) error {
	mark := r.line[r.i : r.i+n]
	return fmt.Errorf("-c: %s stands %s (byte %d of the line): %s; -I STR renames {}, should it be meant as it stands",
		mark, where, r.i+1, fmt.Sprintf(advice, mark))
}

func (r *shellReader) top() byte {
	if len(r.nest) == 0 {
		return 0
	}
	return r.nest[len(r.nest)-1]
}

func (r *shellReader) push(c byte) { r.nest = append(r.nest, c) }
func (r *shellReader) pop()        { r.nest = r.nest[:len(r.nest)-1] }

func (r *shellReader) copy(n int) {
	r.out.WriteString(r.line[r.i : r.i+n])
	r.i += n
}
