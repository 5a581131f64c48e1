package search

import "strings"

// A glob is a pattern of a .gitignore file, as git's manual describes it: bytes,
// "?" and "[a-z]" for one byte, "*" for any number, none of them a slash; and "**"
// for any number of directories. A name is looked at once for each star at most,
// so there is no pattern that takes for ever.
type glob []globPart

// A globPart matches one part of a path between slashes.
type globPart struct {
	any    bool // "**": any number of parts
	tokens []globToken
}

// A globToken matches one byte, or any number of them.
type globToken struct {
	star bool
	set  *byteSet // nil for the one byte
	byte byte
}

type byteSet [256]bool

var anyByte = func() *byteSet {
	s := new(byteSet)
	s.invert()
	return s
}()

func (s *byteSet) invert() {
	for i := range s {
		s[i] = !s[i]
	}
}

// parseGlob returns the glob that p is, or false if p is malformed: then git
// matches nothing by it.
func parseGlob(p string) (g glob, ok bool) {
	var part globPart
	stars := 0 // part is so many stars and nothing else
	end := func() {
		if part.any = stars > 1 && stars == len(part.tokens); part.any {
			part.tokens = nil
		}
		g = append(g, part)
		part, stars = globPart{}, 0
	}
	for len(p) > 0 {
		b := p[0]
		p = p[1:]
		token := globToken{byte: b}
		switch b {
		case '\\':
			if p == "" {
				return nil, false
			}
			token.byte, p = p[0], p[1:]
			if token.byte == '/' {
				end()
				continue
			}
		case '/':
			end()
			continue
		case '*':
			stars++
			token.star = true
		case '?':
			token.set = anyByte
		case '[':
			if token.set, p, ok = parseSet(p); !ok {
				return nil, false
			}
		}
		part.tokens = append(part.tokens, token)
	}
	end()
	return g, true
}

// parseSet parses what follows "[" up to its "]", and returns what is behind.
func parseSet(p string) (set *byteSet, rest string, ok bool) {
	set = new(byteSet)
	inverted := p != "" && (p[0] == '!' || p[0] == '^')
	if inverted {
		p = p[1:]
	}
	last := -1 // the byte that a range may begin with
	for first := true; ; first = false {
		if p == "" {
			return nil, "", false
		}
		here, b := p, p[0]
		p = p[1:]
		switch {
		case b == ']' && !first:
			if inverted {
				set.invert()
			}
			return set, p, true
		case b == '-' && last >= 0 && p != "" && p[0] != ']':
			to, rest, ok := setByte(p)
			if !ok {
				return nil, "", false
			}
			for i := last; i <= int(to); i++ {
				set[i] = true
			}
			p, last = rest, -1
		case b == '[' && strings.HasPrefix(p, ":"):
			name, rest, closed := strings.Cut(p[1:], "]")
			if !closed {
				return nil, "", false
			}
			name, isClass := strings.CutSuffix(name, ":")
			if !isClass { // "[" is one of the bytes
				set['['], last = true, '['
				continue
			}
			in, known := byteClasses[name]
			if !known {
				return nil, "", false
			}
			for i := range set {
				set[i] = set[i] || i < 0x80 && in(byte(i))
			}
			p, last = rest, -1
		default:
			b, rest, ok := setByte(here)
			if !ok {
				return nil, "", false
			}
			set[b] = true
			p, last = rest, int(b)
		}
	}
}

// setByte returns the byte that p begins with, be it behind a backslash.
func setByte(p string) (b byte, rest string, ok bool) {
	if p[0] != '\\' {
		return p[0], p[1:], true
	}
	if len(p) == 1 {
		return 0, "", false
	}
	return p[1], p[2:], true
}

// byteClasses are the classes of POSIX, in ASCII.
var byteClasses = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isLetter(b) || isDigit(b) },
	"alpha":  isLetter,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return ' ' < b && b < 0x7f },
	"lower":  func(b byte) bool { return 'a' <= b && b <= 'z' },
	"print":  func(b byte) bool { return ' ' <= b && b < 0x7f },
	"punct":  func(b byte) bool { return ' ' < b && b < 0x7f && !isLetter(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' },
	"upper":  func(b byte) bool { return 'A' <= b && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' },
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }

// match reports whether g matches all of path.
func (g glob) match(path string) bool {
	i := 0
	back, from := -1, "" // behind the last "**", and what it left to match
	rest, more := path, true
	for {
		switch {
		case i < len(g) && g[i].any:
			if i == len(g)-1 {
				return more // whatever is inside
			}
			i++
			back, from = i, rest
			continue
		case !more && i == len(g):
			return true
		case more && i < len(g):
			part, behind, further := strings.Cut(rest, "/")
			if g[i].match(part) {
				rest, more = behind, further
				i++
				continue
			}
		}
		if back < 0 { // no "**" to give one directory more to
			return false
		}
		_, behind, further := strings.Cut(from, "/")
		if !further {
			return false
		}
		i, from = back, behind
		rest, more = behind, true
	}
}

// match reports whether p matches all of name.
func (p *globPart) match(name string) bool {
	i, at := 0, 0
	back, from := -1, 0 // behind the last star, and what it left to match
	for {
		switch {
		case i < len(p.tokens) && p.tokens[i].star:
			i++
			back, from = i, at
			continue
		case i == len(p.tokens) && at == len(name):
			return true
		case i < len(p.tokens) && at < len(name) && p.tokens[i].matches(name[at]):
			i++
			at++
			continue
		}
		if back < 0 || from >= len(name) {
			return false
		}
		from++
		i, at = back, from
	}
}

func (t *globToken) matches(b byte) bool {
	if t.set != nil {
		return t.set[b]
	}
	return t.byte == b
}
