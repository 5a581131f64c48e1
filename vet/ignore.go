package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// directivePrefix begins a comment that silences findings. It has the form of a
// directive of the Go toolchain, which gofmt leaves alone and go doc does not show.
const directivePrefix = "//sweetspot:ignore"

// A directive is a comment that silences findings.
type directive struct {
	pos, end token.Pos
	checks   []string
	reason   string
}

// directives are those of a package by the lines that they silence.
type directives map[token.Position][]directive

// lineOf returns file and line of pos: of the file itself, not those that a //line comment claims.
func lineOf(fset *token.FileSet, pos token.Pos) token.Position {
	at := fset.PositionFor(pos, false)
	return token.Position{Filename: at.Filename, Line: at.Line}
}

// directiveAnalyzer reads the directives of a package for the checks.
var directiveAnalyzer = &analysis.Analyzer{
	Name:       "sweetspotdirectives",
	Doc:        "read the comments that silence findings",
	ResultType: reflect.TypeFor[directives](),
	Run: func(a *analysis.Pass) (any, error) {
		found := make(directives)
		for _, f := range a.Files {
			for _, group := range f.Comments {
				for _, c := range group.List {
					d, ok := parseDirective(c)
					if !ok {
						continue
					}
					at := lineOf(a.Fset, c.Pos())
					found[at] = append(found[at], d)
				}
			}
		}
		return found, nil
	},
}

func parseDirective(c *ast.Comment) (directive, bool) {
	rest, ok := strings.CutPrefix(c.Text, directivePrefix)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return directive{}, false
	}
	// What follows a second // is a comment on the directive, as in directives of
	// the toolchain.
	rest, _, _ = strings.Cut(rest, "//")
	names, reason := strings.TrimSpace(rest), ""
	if i := strings.IndexAny(names, " \t"); i >= 0 {
		names, reason = names[:i], strings.TrimSpace(names[i:])
	}
	d := directive{pos: c.Pos(), end: c.End(), reason: reason}
	if names != "" {
		d.checks = strings.Split(names, ",")
	}
	return d, true
}

// silence reports whether a directive in the line of pos, or in one of the lines of
// directives right above it, names the check and gives a reason.
func (d directives) silence(fset *token.FileSet, pos token.Pos, check string) bool {
	at := lineOf(fset, pos)
	if d.name(at, check) {
		return true
	}
	for at.Line--; len(d[at]) > 0; at.Line-- {
		if d.name(at, check) {
			return true
		}
	}
	return false
}

func (d directives) name(at token.Position, check string) bool {
	return slices.ContainsFunc(d[at], func(d directive) bool {
		return d.reason != "" && slices.Contains(d.checks, check)
	})
}

// ignore returns the check of the directives themselves: one that silences nothing,
// as it lacks a reason or names no check, would go unnoticed.
func ignore(checks []*check) *check {
	var names []string
	for _, c := range checks {
		names = append(names, c.name)
	}
	return &check{
		name: "ignore",
		doc: `report sweetspot:ignore comments that silence nothing

Such a comment names a check and says why its finding is left as it is:

	//sweetspot:ignore falseshare there are two goroutines, and they run for 1 ms`,
		run: func(p *pass) {
			for _, file := range p.files() {
				f := file.Node().(*ast.File)
				for _, group := range f.Comments {
					for _, c := range group.List {
						if d, ok := parseDirective(c); ok {
							if wrong := d.wrong(names); wrong != "" {
								p.report(Quiet, analysis.Diagnostic{Pos: d.pos, End: d.end, Message: wrong})
							}
						}
					}
				}
			}
		},
	}
}

// wrong says what is wrong with a directive, given the names of the checks there are.
func (d directive) wrong(names []string) string {
	if len(d.checks) == 0 {
		return fmt.Sprintf("this directive silences nothing: write %s, the check and the reason", directivePrefix)
	}
	for _, name := range d.checks {
		if !slices.Contains(names, name) {
			return fmt.Sprintf("there is no check %q; the checks are %s", name, strings.Join(names, ", "))
		}
	}
	if d.reason == "" {
		return fmt.Sprintf("this directive silences nothing, as it gives no reason: write %s %s and why", directivePrefix, strings.Join(d.checks, ","))
	}
	return ""
}
