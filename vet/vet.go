package vet

import (
	"fmt"
	"go/ast"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

var checks = []*check{
	chanArray,
	chanItem,
	falseShare,
	maxProcs,
	recSpawn,
	shardPad,
	unboundedGo,
}

// Analyzers returns an analyzer for each check that has findings of grade upTo or
// surer, and one for the directives that silence them, in the order of their names.
// They report findings of these grades only. The Category of a diagnostic is the
// name of the check and the grade, as in "falseshare/quiet", and its URL leads to
// the page of the check.
//
// The analyzers are made anew by each call; what they require is shared. It panics
// if upTo is not a grade.
func Analyzers(upTo Grade, opts ...Option) []*analysis.Analyzer {
	if upTo < Quiet || upTo > Hot {
		panic(fmt.Sprintf("sweetspot: vet.Analyzers: no such grade: %d; they go from Quiet (%d) to Hot (%d)", upTo, Quiet, Hot))
	}
	set := settings{upTo: upTo}
	for _, o := range opts {
		o(&set)
	}
	var list []*analysis.Analyzer
	for _, c := range append(slices.Clip(checks), ignore(checks)) {
		if c.surest <= upTo {
			list = append(list, c.analyzer(set))
		}
	}
	slices.SortFunc(list, func(a, b *analysis.Analyzer) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// An Option changes what [Analyzers] does.
type Option func(*settings)

type settings struct {
	upTo  Grade
	tests bool
}

// Tests makes the analyzers check test files, too. By default they are left out,
// because a test may well start a goroutine for each item.
func Tests() Option { return func(s *settings) { s.tests = true } }

// A check is a kind of finding.
type check struct {
	name   string
	doc    string // the first line is the title
	surest Grade  // that its findings may have
	run    func(*pass)
}

func (c *check) url() string {
	return "https://github.com/sweetspot-go/sweetspot/blob/main/docs/checks/" + c.name + ".md"
}

func (c *check) analyzer(set settings) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     c.name,
		Doc:      c.doc,
		URL:      c.url(),
		Requires: []*analysis.Analyzer{inspect.Analyzer, spawnAnalyzer, directiveAnalyzer, effortAnalyzer, channelAnalyzer},
		Run: func(a *analysis.Pass) (any, error) {
			c.run(&pass{
				Pass:       a,
				check:      c,
				set:        set,
				inspector:  a.ResultOf[inspect.Analyzer].(*inspector.Inspector),
				functions:  a.ResultOf[spawnAnalyzer].(*functions),
				directives: a.ResultOf[directiveAnalyzer].(directives),
				efforts:    a.ResultOf[effortAnalyzer].(*efforts),
				channels:   a.ResultOf[channelAnalyzer].(*channels),
			})
			return nil, nil
		},
	}
}

type pass struct {
	*analysis.Pass
	check      *check
	set        settings
	inspector  *inspector.Inspector
	functions  *functions
	directives directives
	efforts    *efforts
	channels   *channels

	following int // variables, see mostFollowed
}

func (p *pass) files() []inspector.Cursor {
	return slices.DeleteFunc(slices.Collect(p.inspector.Root().Children()), func(c inspector.Cursor) bool {
		return !p.wanted(c.Node().(*ast.File))
	})
}

// nodes yields the nodes of the given types in the files to look at, in preorder.
func (p *pass) nodes(types ...ast.Node) iter.Seq[inspector.Cursor] {
	return func(yield func(inspector.Cursor) bool) {
		for _, file := range p.files() {
			for c := range file.Preorder(types...) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// spawns returns the places that start a goroutine in the files to look at.
func (p *pass) spawns() []*spawn {
	return slices.DeleteFunc(slices.Clone(p.functions.spawns), func(s *spawn) bool { return !p.wanted(fileOf(s.cur)) })
}

func (p *pass) wanted(f *ast.File) bool {
	if ast.IsGenerated(f) {
		return false
	}
	return p.set.tests || !strings.HasSuffix(p.Fset.File(f.FileStart).Name(), "_test.go")
}

// report tells d, which lacks Category and URL, if its grade is wanted and no
// directive silences it.
func (p *pass) report(g Grade, d analysis.Diagnostic) {
	if g > p.set.upTo || p.directives.silence(p.Fset, d.Pos, p.check.name) {
		return
	}
	d.Category = p.check.name + "/" + g.String()
	d.URL = p.check.url()
	p.Report(d)
}
