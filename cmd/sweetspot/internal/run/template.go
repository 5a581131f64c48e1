package run

import (
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
)

// placeholders are those of GNU parallel, rush and fd, with the meaning they
// agree on. {} can be renamed by -I; see newTemplate.
var placeholders = []struct {
	text  string
	field field
}{
	{"{}", value}, {"{.}", noExt}, {"{/}", base}, {"{//}", dir}, {"{/.}", baseNoExt}, {"{#}", number},
}

// A template is a command with placeholders. It is never changed after its
// construction, so any number of goroutines may expand it.
type template struct {
	args [][]part
}

// A part is a literal text or a placeholder.
type part struct {
	field field
	text  string // of a literal
}

// newTemplate reads the words of a command. mark is the spelling of {}. If no
// word holds a placeholder, the value becomes the last argument, as in xargs
// and GNU parallel.
func newTemplate(words []string, mark string) *template {
	t := &template{args: make([][]part, 0, len(words)+1)}
	found := false
	for _, w := range words {
		parts := splitPlaceholders(w, mark)
		for _, p := range parts {
			found = found || p.field != literal
		}
		t.args = append(t.args, parts)
	}
	if !found {
		t.args = append(t.args, []part{{field: value}})
	}
	return t
}

// program returns the command's name, and false if it depends on the value.
func (t *template) program() (string, bool) {
	switch first := t.args[0]; {
	case len(first) == 0:
		return "", true
	case len(first) == 1 && first[0].field == literal:
		return first[0].text, true
	}
	return "", false
}

// expand appends the command's words for one value to dst.
func (t *template) expand(dst []string, val string, seq int64) []string {
	for _, parts := range t.args {
		switch len(parts) {
		case 0:
			dst = append(dst, "")
		case 1:
			dst = append(dst, parts[0].expand(val, seq))
		default:
			var b strings.Builder
			for _, p := range parts {
				b.WriteString(p.expand(val, seq))
			}
			dst = append(dst, b.String())
		}
	}
	return dst
}

func (p part) expand(val string, seq int64) string {
	if p.field == literal {
		return p.text
	}
	return p.field.of(val, seq)
}

// of returns what f stands for in the job number seq with the value val.
func (f field) of(val string, seq int64) string {
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
		return strconv.FormatInt(seq, 10)
	}
	return ""
}

// splitPlaceholders cuts a word at its placeholders.
func splitPlaceholders(word, mark string) []part {
	var parts []part
	start := 0
	for i := 0; i < len(word); {
		f, n := placeholderAt(word[i:], mark)
		if n == 0 {
			i++
			continue
		}
		if start < i {
			parts = append(parts, part{text: word[start:i]})
		}
		parts = append(parts, part{field: f})
		i += n
		start = i
	}
	if start < len(word) {
		parts = append(parts, part{text: word[start:]})
	}
	return parts
}

// placeholderAt returns the placeholder that s begins with and its length, or
// a length of 0.
func placeholderAt(s, mark string) (field, int) {
	if strings.HasPrefix(s, mark) {
		return value, len(mark)
	}
	for _, p := range placeholders {
		if p.field != value && strings.HasPrefix(s, p.text) {
			return p.field, len(p.text)
		}
	}
	return literal, 0
}

// splitPath returns what dirname(1) and basename(1) say of a path: the
// directory of a bare name is ".", slashes at the end do not count.
func splitPath(path string) (dir, base string) {
	if path == "" {
		return ".", ""
	}
	path = trimSlashes(path)
	i := strings.LastIndexByte(path, '/')
	switch {
	case i < 0:
		return ".", path
	case path == "/":
		return "/", "/"
	}
	return trimSlashes(path[:i+1]), path[i+1:]
}

func trimSlashes(path string) string {
	for len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	return path
}

// extension returns the last element's extension with its dot. A name that
// begins with its only dot, such as .profile, has none.
func extension(path string) string {
	b := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(b, '.'); i > 0 {
		return b[i:]
	}
	return ""
}
