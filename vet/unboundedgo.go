package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

var unboundedGo = &check{
	name: "unboundedgo",
	doc: `report goroutines that are started for each element of the data

	for scanner.Scan() {
		go handle(scanner.Text())
	}

There are as many goroutines as the input has elements, all at once: each takes a
stack of 2 KiB at least and whatever else it holds, and what they use (files,
connections, memory) runs out first. Where an element takes less than a microsecond,
starting a goroutine costs more than the work.

Of grade info where the input is a stream, or a slice that is as large as the data, or
where the goroutine does next to nothing; of grade hot for any other loop. Silent where
something bounds them: a limit of the group, a semaphore, a loop over workers, or over
what was configured.`,
	surest: Info,
	run: func(p *pass) {
		for _, s := range p.spawns() {
			if loop := innermostLoop(s.cur); loop.Valid() && !p.bounded(s, loop) && !p.lasting(s) {
				p.unboundedGo(s, loop)
			}
		}
	},
}

// manyGoroutines is the constant from which on goroutines are many: their stacks take
// 20 MB, more than a CPU's cache holds.
const manyGoroutines = 10_000

func (p *pass) unboundedGo(s *spawn, loop inspector.Cursor) {
	what, sure := p.elements(s, loop)
	if what == "" {
		return
	}
	grade := Hot
	message := fmt.Sprintf("a goroutine is started for each %s, as many at once as there are: ", what)
	if body := bodyOf(s.target); body != nil && p.efforts.within(body, s.target.Node(), nil) == cheap {
		sure = true
		message = fmt.Sprintf("a goroutine is started for each %s, and does less than starting it takes: ", what)
	}
	if sure && !sometimes(s, loop) {
		grade = Info
	}
	call := "sweetspot.ForEach"
	if p.streams(loop) != "" {
		call = "sweetspot.ForEachSeq"
	}
	if s.group != nil && !s.plain {
		message += "give the group a limit with SetLimit, or one that is found, with the SetLimiter of a sweetspot.Group"
	} else {
		message += call + " runs as many at a time as pay"
	}
	d := s.head()
	d.Message = message
	p.report(grade, d)
}

// passesContext reports whether the goroutine calls something that may wait for long.
// Then a number is not one to compute with: it stands for a server or the like.
func (p *pass) passesContext(s *spawn) bool {
	body := bodyOf(s.target)
	return body != nil && contains(body, func(call *ast.CallExpr) bool {
		return slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
			t := p.TypesInfo.TypeOf(arg)
			return t != nil && isNamed(t, "context", "Context")
		})
	})
}

// asksPeer reports whether the goroutine is given somebody to talk to. Then the loop is
// over who there is, by whatever they are found, and not over data.
func (p *pass) asksPeer(s *spawn) bool {
	return s.call != nil && slices.ContainsFunc(s.call.Args, func(arg ast.Expr) bool {
		n, ok := types.Unalias(deref(p.TypesInfo.TypeOf(arg))).(*types.Named)
		return ok && aboutPeers.MatchString(n.Obj().Name())
	})
}

// sometimes reports whether a goroutine is started only where a condition holds.
func sometimes(s *spawn, loop inspector.Cursor) bool {
	for c := s.cur; c != loop; c = c.Parent() {
		switch c.ParentEdgeKind() {
		case edge.IfStmt_Body, edge.IfStmt_Else, edge.CaseClause_Body:
			return true
		}
	}
	return false
}

func deref(t types.Type) types.Type {
	if t == nil {
		return types.Typ[types.Invalid]
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// elements returns what the loop has a turn for, and whether there surely may be many
// of them; "" if there are few.
func (p *pass) elements(s *spawn, loop inspector.Cursor) (what string, sure bool) {
	if p.functions.countsWorkers(p.TypesInfo, loop.Node()) {
		return "", false
	}
	if turns, ok := turnsOf(p.TypesInfo, loop.Node()); ok {
		if turns < manyGoroutines {
			return "", false
		}
		_, exactly := stepOf(p.TypesInfo, loop.Node())
		return "turn of the loop", exactly
	}
	if what := p.streams(loop); what != "" {
		if r, ok := loop.Node().(*ast.RangeStmt); ok && (p.feeds(s, loop) || hasChan(p.TypesInfo, r.X)) {
			// A goroutine for each node, which another check tells; or a server that
			// answers requests.
			return "", false
		}
		return what, true
	}
	r, ok := loop.Node().(*ast.RangeStmt)
	if !ok {
		if countOf(p.TypesInfo, loop.Node()) == nil {
			return "", false // a server, that serves one after the other
		}
		return "turn of the loop", false
	}
	switch x := p.functions.soleOf(p.TypesInfo, r.X).(type) {
	case *ast.CallExpr:
		for _, arg := range x.Args {
			if p.functions.isWorkers(p.TypesInfo, arg) {
				return "", false // the work, divided among workers
			}
		}
	case *ast.CompositeLit:
		return "", false
	case *ast.SliceExpr:
		if x.High != nil {
			return "", false // a batch
		}
	}
	if name := types.ExprString(r.X); aboutConfig.MatchString(name) || aboutBatches.MatchString(name) || p.asksPeer(s) {
		return "", false
	}
	switch t := typeUnder(p.TypesInfo, r.X).(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return "character", true
		}
		return "turn of the loop", false
	case *types.Slice:
		if p.read(loop, r.X) {
			return "element read", true
		}
		switch e := t.Elem().Underlying().(type) {
		case *types.Signature, *types.Interface, *types.Chan:
			return "", false // what somebody has set up
		case *types.Slice:
			// Bytes may be an address, a key or a message as well.
			b, ok := e.Elem().Underlying().(*types.Basic)
			return "row", !ok || b.Kind() != types.Byte
		case *types.Basic:
			if e.Info()&types.IsNumeric != 0 {
				// A permutation is of a number of things, and no data.
				perm, ok := p.functions.soleOf(p.TypesInfo, r.X).(*ast.CallExpr)
				return "number", (!ok || lastName(perm.Fun) != "Perm") && !p.passesContext(s)
			}
		}
		return "element", false
	}
	return "element", false // of a map
}

// aboutConfig matches the names of what was configured: there are few of these, and
// their goroutines live long.
var aboutConfig = patternOf(`(?i)config|conf\b|cfg|option|listener|server|endpoint|peer|backend|plugin|handler|addr|hosts?\b|watcher|broker|gateway|service|region|zone|subscri|module|component|controller|callback|hook|observer|client|conns?\b|connections?\b|interfaces?\b|member|signal|provider|exporter|receiver`)

// aboutPeers matches the names of types of those that a program talks to.
var aboutPeers = patternOf(`(?i)^(broker|peer|server|endpoint|backend|replica|gateway|upstream|listener|member)s?$`)

// aboutBatches matches the names of parts that the work has been divided into for its
// goroutines.
var aboutBatches = patternOf(`(?i)batch|chunk|part|split|segment|bucket|stripe|tile|groups?\b|ranges?\b`)
