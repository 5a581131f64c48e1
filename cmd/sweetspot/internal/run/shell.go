package run

import (
	"fmt"
	"strings"
)

// shellPath runs the lines of -c. POSIX gives it to every Unix.
const shellPath = "/bin/sh"

// newShellTemplate returns the command sh -c LINE sh VALUE... for a line with
// placeholders.
//
// A value never becomes part of the text that the shell reads: each
// placeholder is replaced by an expansion, "$1" or "$2", and the values are
// handed over as positional parameters. So no value can end a quotation, start
// a command or be split, whatever bytes it holds. $1 is the value in any case,
// so that a line may also say "$1" by itself.
//
// The replacement depends on the quotation around the placeholder, so the line
// is read with the shell's quoting rules. Where no replacement is right (in
// single quotes, backquotes, here-documents, arithmetic), the line is refused.
// Should this reader ever misjudge a place, the worst result is an expansion
// that is split or stays literal; a value is still not read as shell text.
func newShellTemplate(line, mark string) (*template, error) {
	if strings.TrimSpace(line) == "" {
		return nil, fmt.Errorf("-c needs a shell line, such as -c 'gzip -9 <{} >{}.gz'")
	}
	r := shellReader{line: line, mark: mark, params: []field{value}}
	if err := r.read(); err != nil {
		return nil, err
	}
	t := &template{}
	for _, w := range []string{"sh", "-c", r.out.String(), "sh"} {
		t.args = append(t.args, []part{{text: w}})
	}
	for _, f := range r.params {
		t.args = append(t.args, []part{{field: f}})
	}
	return t, nil
}

// A shellReader walks over a line and replaces its placeholders.
type shellReader struct {
	line, mark string
	i          int
	out        strings.Builder
	params     []field // what $1, $2, ... are

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
)

func (r *shellReader) read() error {
	for r.i < len(r.line) {
		if f, n := placeholderAt(r.line[r.i:], r.mark); n > 0 {
			if err := r.replace(f, n); err != nil {
				return err
			}
			continue
		}
		if err := r.step(); err != nil {
			return err
		}
	}
	return nil
}

// replace writes the expansion of a placeholder.
func (r *shellReader) replace(f field, n int) error {
	switch {
	case r.inDoc:
		return r.refuse(n, "in a here-document", `use printf '%%s\n' %s | COMMAND`)
	case r.top() == inArith:
		return r.refuse(n, "in arithmetic, which would evaluate it", "use test or awk with %s as an argument")
	case r.top() == inBrace:
		return r.refuse(n, "inside ${...}", "assign it first: v=%s; ...")
	}
	text := fmt.Sprintf("${%d}", r.param(f))
	if r.top() != inDouble {
		text = `"` + text + `"`
	}
	r.out.WriteString(text)
	r.i += n
	r.wordOpen = true
	return nil
}

// param returns the number of the positional parameter that holds f.
func (r *shellReader) param(f field) int {
	for i, p := range r.params {
		if p == f {
			return i + 1
		}
	}
	r.params = append(r.params, f)
	return len(r.params)
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
		r.push(inArith) // one for each parenthesis
		r.push(inArith)
		r.copy(3)
	case strings.HasPrefix(rest, "$("):
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
		r.wordOpen = r.top() == inDouble
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
		if _, n := placeholderAt(r.line[j:stop], r.mark); n > 0 {
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
