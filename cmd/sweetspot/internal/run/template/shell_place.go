package template

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/internal/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// A shellPlace is where a placeholder stands in a shell line.
type shellPlace struct {
	part      part
	from, to  int // in the line
	at        int // in what is parsed
	quotation quotation
}

// A quotation is what a shell takes a part of a line for.
type quotation uint8

const (
	unquoted quotation = iota
	inDouble
	inComment
	inSingle // from here on, nothing can replace a placeholder
	inBackquotes
	inDocument
	inArithmetic
	inExpansion
	unclear
)

// refusals say where a placeholder stands that nothing can replace, and what to write instead.
var refusals = map[quotation]struct{ where, advice string }{
	inSingle:     {"inside single quotes, where a shell replaces nothing", "write MARK without quotes: it is always one word"},
	inBackquotes: {"inside backquotes", "use $(...) instead, with MARK in it"},
	inDocument:   {"in a here-document", `use printf '%s\n' MARK | COMMAND`},
	inArithmetic: {"in arithmetic, which would evaluate it", "use test MARK -gt or the like, or awk with MARK as an argument"},
	inExpansion:  {"inside ${...}", "assign it first: v=MARK; ..."},
	unclear:      {"where its quotation is unclear", `write "$1" for the value, but not in arithmetic`},
}

// refuse returns why nothing can replace the placeholder, or nil. fault is why the line could not be
// parsed.
func (p shellPlace) refuse(line string, fault error) error {
	r, found := refusals[p.quotation]
	if !found {
		return nil
	}
	mark, why := line[p.from:p.to], ""
	if fault != nil {
		_, why, _ = strings.Cut(fault.Error(), ": ") // without where, which is not of the line
		why = ", which cannot be read: " + why
	}
	return fmt.Errorf("%s stands %s (byte %d of the line%s): %s; -I STR renames {}, should it be meant as it stands",
		mark, r.where, p.from+1, why, strings.ReplaceAll(r.advice, "MARK", mark))
}

// placesIn returns the placeholders of a line and what is to be parsed: the line with a word instead of
// each that continues no name of a variable. No other letter is beyond ASCII, so the word ends no
// here-document, and the parser, which wants UTF-8, takes any line.
func placesIn(line, mark string, s Shape) (places []shellPlace, text string) {
	ascii := []byte(line)
	for i, c := range ascii {
		if c >= utf8.RuneSelf {
			ascii[i] = '_'
		}
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		p, n := placeholderAt(line[i:], mark, s)
		switch {
		case n > 0:
			places = append(places, shellPlace{part: p, from: i, to: i + n, at: b.Len()})
			b.WriteString("…")
			i += n
			continue
		case line[i] == '\\', strings.HasPrefix(line[i:], "${"): // a placeholder begins with neither
			n = min(2, len(line)-i)
		case strings.HasPrefix(line[i:], "!(") && commandBegins().MatchString(line[:i]):
			// A shell that is not asked for more takes it for the word ! and a parenthesis.
			b.WriteString("! (")
			i += 2
			continue
		default:
			n = 1
		}
		b.Write(ascii[i : i+n])
		i += n
	}
	return places, b.String()
}

// commandBegins matches text after which a command begins.
var commandBegins = pattern.Of(`(^|[;&|({\n]|\b(if|then|elif|else|while|until|do|time))\s*$`)

// judge finds out how the places in a text are quoted. The error is why it could not be parsed; a
// shell may take it all the same.
func judge(places []shellPlace, sh, text string) error {
	if len(places) == 0 {
		return nil
	}
	kind := syntax.LangBash // has what /bin/sh has, whichever shell that is
	if sh == "zsh" {
		kind = syntax.LangZsh
	}
	file, err := syntax.NewParser(syntax.Variant(kind), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		for i, p := range places {
			places[i].quotation = quotationAfter(text[:p.at])
		}
		return err
	}
	for n := range syntax.Preorder(file) {
		judgeWithin(places, n)
	}
	return nil
}

// judgeWithin notes what a node says about the places in it. The nodes around it have been seen.
func judgeWithin(places []shellPlace, n syntax.Node) {
	note := func(n syntax.Node, q quotation) {
		for i := range places {
			p := &places[i]
			switch {
			case n == nil, p.at < int(n.Pos().Offset()), p.at >= int(n.End().Offset()):
			case p.quotation == inBackquotes:
			case (p.quotation == inArithmetic || p.quotation == inDocument) && q != unquoted && q != inBackquotes:
				// Quotes change nothing there, but commands are read anew.
			default:
				p.quotation = q
			}
		}
	}
	switch n := n.(type) {
	case *syntax.Comment:
		note(n, inComment)
	case *syntax.SglQuoted:
		note(n, inSingle)
	case *syntax.DblQuoted:
		note(n, inDouble)
	case *syntax.ProcSubst:
		note(n, unquoted)
	case *syntax.CmdSubst:
		note(n, unquoted)
		if n.Backquotes {
			note(n, inBackquotes)
		}
	case *syntax.Redirect:
		if n.Hdoc != nil {
			note(n.Word, inDocument)
			note(n.Hdoc, inDocument)
		}
	case *syntax.ParamExp:
		note(n, inExpansion)
		note(n.Index, inArithmetic)
		if n.Slice != nil {
			note(n.Slice.Offset, inArithmetic)
			note(n.Slice.Length, inArithmetic)
		}
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.LetClause:
		note(n, inArithmetic)
	case *syntax.Assign:
		note(n.Index, inArithmetic)
	case *syntax.ArrayElem:
		note(n.Index, inArithmetic)
	case *syntax.BinaryTest:
		if syntax.TsEql <= n.Op && n.Op <= syntax.TsGtr { // -eq, -ne, -le, -ge, -lt, -gt
			note(n, inArithmetic)
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet { // the variable may have an index
			note(n, inArithmetic)
		}
	case *syntax.DeclClause:
		judgeDeclared(n, note)
	case *syntax.CallExpr:
		if c := plainWord(n.Args, 0); c == "test" || c == "[" {
			for i := range n.Args {
				if plainWord(n.Args, i) == "-v" && i+1 < len(n.Args) {
					note(n.Args[i+1], inArithmetic) // as with [[
				}
			}
		}
	case *syntax.ExtGlob: // its pattern is not parsed
		if strings.ContainsAny(n.Pattern.Value, "\"'`$\\") {
			note(n, unclear)
		}
	}
}

// judgeDeclared notes what bash evaluates in a declaration: the index in a name, as in a[i], and the
// values of integers (declare -i).
func judgeDeclared(n *syntax.DeclClause, note func(syntax.Node, quotation)) {
	if n.Variant.Value == "export" || n.Variant.Value == "readonly" {
		return // they take no index, and are not for integers
	}
	for _, a := range n.Args {
		if !a.Naked || a.Value == nil {
			continue
		}
		if flags := a.Value.Lit(); strings.HasPrefix(flags, "-") && strings.Contains(flags, "i") {
			note(n, inArithmetic)
		}
		note(a, inArithmetic)
	}
}

// plainWord returns the word at i if nothing in it is quoted or expanded.
func plainWord(words []*syntax.Word, i int) string {
	if i >= len(words) {
		return ""
	}
	return words[i].Lit()
}

// plainText matches text after which a place is unquoted for certain, or in the double quotes that
// are open at its end.
var plainText = pattern.Of(`^(?s:[^\\'"\x60$#]|\\.|'[^']*'|\$[\w(]|"(?:[^\\"\x60$]|\\.|\$\w)*")*("(?s:[^\\"\x60$]|\\.|\$\w)*)?$`)

// evaluates matches what may make arithmetic of that which follows.
var evaluates = pattern.Of(`\(\(|\[|\b(let|declare|typeset|local|integer|test)\b`)

// quotationAfter returns how a place after text is quoted, where it takes no parser to tell.
func quotationAfter(text string) quotation {
	switch m := plainText().FindStringSubmatch(text); {
	case m == nil, strings.Contains(text, "<<"), evaluates().MatchString(text):
		return unclear
	case m[1] != "":
		return inDouble
	}
	return unquoted
}
