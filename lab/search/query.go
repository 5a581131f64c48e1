package search

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// A Query says which lines are sought.
type Query struct {
	Pattern    string // several, one on each line, mean any of them
	Fixed      bool   // Pattern is text, not a regular expression of package regexp
	IgnoreCase bool
	Word       bool // a match must not touch letters, digits or underscores
}

// A matcher finds the lines of a text that match a Query. Any number of
// goroutines may use one.
type matcher struct {
	need needle         // what every line that matches contains
	re   *regexp.Regexp // nil if need says it all
}

// newMatcher returns the matcher of q. The expression is rewritten so that no
// part of it can match a line feed: a match in a text of many lines then lies
// within one line, and the text need not be cut up before it is searched.
func newMatcher(q Query) (*matcher, error) {
	if q.Fixed && !q.IgnoreCase && !q.Word && q.Pattern != "" && !strings.Contains(q.Pattern, "\n") {
		return &matcher{need: needle{text: []byte(q.Pattern)}}, nil
	}
	var alternatives []string
	for p := range strings.SplitSeq(q.Pattern, "\n") {
		if q.Fixed {
			p = regexp.QuoteMeta(p)
		} else if _, err := regexp.Compile(p); err != nil {
			return nil, fmt.Errorf("the pattern %q is not a regular expression: %w", p, plain(err))
		}
		alternatives = append(alternatives, "(?:"+p+")")
	}
	expr := "(?:" + strings.Join(alternatives, "|") + ")"
	if q.Word {
		expr = `(?:^|[^\pL\pN_])` + expr + `(?:[^\pL\pN_]|$)`
	}
	flags := syntax.Perl &^ syntax.OneLine
	if q.IgnoreCase {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q is not a regular expression: %w", q.Pattern, plain(err))
	}
	tree = withinLine(tree.Simplify())
	m := &matcher{need: needed(tree)}
	if tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0 {
		return m, nil
	}
	m.re, err = regexp.Compile(tree.String())
	if err != nil {
		return nil, fmt.Errorf("the pattern %q: %w", q.Pattern, plain(err))
	}
	return m, nil
}

// plain returns err without the prefix of its package.
func plain(err error) error {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Errorf("%s: %q", e.Code, e.Expr)
	}
	return err
}

// withinLine changes re so that it cannot match a line feed, and so that the
// beginning and the end of the text are those of a line. It returns re.
func withinLine(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op = syntax.OpEndLine
	case syntax.OpCharClass:
		re.Rune = withoutLineFeed(re.Rune)
		if len(re.Rune) == 0 {
			re.Op = syntax.OpNoMatch
		}
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				re.Op, re.Rune = syntax.OpNoMatch, nil
				break
			}
		}
	}
	for _, sub := range re.Sub {
		withinLine(sub)
	}
	return re
}

// withoutLineFeed returns a character class, pairs of first and last rune,
// without the line feed.
func withoutLineFeed(class []rune) []rune {
	var out []rune
	for i := 0; i < len(class); i += 2 {
		lo, hi := class[i], class[i+1]
		if lo <= '\n' && '\n' <= hi {
			if lo < '\n' {
				out = append(out, lo, '\n'-1)
			}
			lo = '\n' + 1
		}
		if lo <= hi {
			out = append(out, lo, hi)
		}
	}
	return out
}

// next returns the first line of text that matches, from its first byte to just
// behind its line feed, or ok = false. text begins where a line does.
func (m *matcher) next(text []byte) (from, to int, ok bool) {
	if m.need.text == nil {
		span := m.re.FindIndex(text)
		if span == nil || len(text) == 0 || span[0] == len(text) && text[len(text)-1] == '\n' {
			return 0, 0, false // nothing, or behind the last line
		}
		from, to = lineAround(text, span[0])
		return from, to, true
	}
	for at := 0; at < len(text); at = to {
		i := m.need.index(text[at:])
		if i < 0 {
			break
		}
		from, to = lineAround(text, at+i)
		if m.re == nil || m.re.Match(trimmed(text[from:to])) {
			return from, to, true
		}
	}
	return 0, 0, false
}
