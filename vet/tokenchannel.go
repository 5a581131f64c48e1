package vet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// tokens takes in the channels that are used as semaphores.
func (v *inventory) tokens() {
	for _, ch := range v.channels.all {
		for _, m := range ch.makes {
			call := m.Node().(*ast.CallExpr)
			if len(call.Args) != 2 || v.isOne(call.Args[1]) || !v.wanted(fileOf(m)) {
				continue
			}
			if uses := v.ahead(ch); uses != nil {
				v.add(call, Semaphore, call.Args[1], v.under(uses), "sweetspot.MapSeq")
			} else if uses := v.holding(ch); uses != nil && v.carriesTokens(ch) {
				v.add(call, Semaphore, call.Args[1], v.under(uses), "sweetspot.Limiter")
			}
		}
	}
}

// ahead returns the sends to a channel of channels by loops that start a goroutine for
// each: there are as many results on their way as the channel has room for.
func (v *inventory) ahead(ch *channel) (uses []inspector.Cursor) {
	if isChan(ch.elem) {
		for _, s := range ch.sends {
			if v.startedBeside(s) != nil {
				uses = append(uses, s)
			}
		}
	}
	return uses
}

// carriesTokens reports whether it does not matter what goes through a channel: all that
// is sent is the same, and nobody looks at what is received.
func (v *inventory) carriesTokens(ch *channel) bool {
	for _, s := range ch.sends {
		if isDone(s.Node().(*ast.SendStmt).Chan) {
			return false
		}
		value := s.Node().(*ast.SendStmt).Value
		lit, empty := ast.Unparen(value).(*ast.CompositeLit)
		tv := v.TypesInfo.Types[value]
		if tv.Value == nil && !tv.IsNil() && !(empty && len(lit.Elts) == 0) {
			return false
		}
	}
	looked := slices.ContainsFunc(ch.receives, func(r inspector.Cursor) bool { return r.ParentEdgeKind() != edge.ExprStmt_X })
	return len(ch.sends) > 0 && len(ch.receives) > 0 && !looked
}

// holding returns the operations that take a token, or enter with one, if something is
// done until it is given back; nil if the channel tells somebody that something is over.
// A token is given back by the function that took it, by one that this function starts or
// defers, or by one whose name is the opposite of its name.
func (v *inventory) holding(ch *channel) (uses []inspector.Cursor) {
	for _, s := range ch.sends {
		for _, r := range ch.receives {
			if v.holds(s, r) {
				uses = append(uses, s)
			} else if v.holds(r, s) {
				uses = append(uses, r)
			}
		}
	}
	return uses
}

// holds reports whether a token is taken at take and given back at give.
func (v *inventory) holds(take, give inspector.Cursor) bool {
	f, g := functionAround(take), functionAround(give)
	switch {
	case !f.Valid() || !g.Valid():
		return false
	case f == g:
		return take.Node().Pos() < give.Node().Pos() && innermostLoop(take) == innermostLoop(give)
	case f.Contains(g):
		return take.Node().Pos() < give.Node().Pos()
	}
	a, ok1 := f.Node().(*ast.FuncDecl)
	b, ok2 := g.Node().(*ast.FuncDecl)
	return ok1 && ok2 && takesToken.MatchString(a.Name.Name) && givesToken.MatchString(b.Name.Name)
}

var (
	takesToken = patternOf(`(?i)acquire|get|take|^lock|enter|wait|reserve|borrow|begin|start`)
	givesToken = patternOf(`(?i)release|put|unlock|free|done|give|return|leave|end|finish|stop`)
)

// under returns the effort of what is done under a bound, given the operations on what
// keeps it: what they start, what is started beside them or around them, or else the
// functions that enter.
func (v *inventory) under(uses []inspector.Cursor) effort {
	work, found := cheap, false
	take := func(e effort) { work, found = work|e, true }
	for _, use := range uses {
		beside := v.startedBeside(use)
		if around := v.startedAround(use); beside == nil && around != nil {
			beside = []*spawn{around}
		}
		for _, s := range beside {
			take(v.takes.running(s.fun))
		}
		if call, ok := use.Node().(*ast.CallExpr); ok {
			for _, f := range functionsAmong(v.TypesInfo, call.Args) {
				take(v.takes.running(f))
			}
		}
	}
	for _, use := range uses {
		if found {
			break
		}
		if call, ok := use.Node().(*ast.CallExpr); !ok || enters.MatchString(lastName(call.Fun)) {
			v.entering(functionAround(use), 3, take)
		}
	}
	if !found {
		return opaque
	}
	return work
}

// enters matches the names of functions that wait until they may go on, and then hold
// something back from others.
var enters = patternOf(`^(?i:(try)?(acquire|take|enter|lock|begin))`)

// entering gives take the effort of a function that enters, or, if it does so on behalf of
// its callers, that of these, up to some depth. Such a function has the name of one, or
// returns what gives back.
func (v *inventory) entering(f inspector.Cursor, depth int, take func(effort)) {
	if !f.Valid() {
		return
	}
	decl, ok := f.Node().(*ast.FuncDecl)
	if !ok || depth == 0 || !takesToken.MatchString(decl.Name.Name) && !returnsFunction(v.TypesInfo, f) {
		take(v.takes.within(bodyOf(f), nil, v.takes.aside))
		return
	}
	for _, c := range v.mentionsOf(v.TypesInfo.Defs[decl.Name]) {
		v.entering(functionAround(c), depth-1, take)
	}
}

func returnsFunction(info *types.Info, f inspector.Cursor) bool {
	return some(signatureOf(info, f).Results().Variables(), func(v *types.Var) bool { return is[*types.Signature](v.Type()) })
}

// startedBeside returns what is started in the innermost loop around c.
func (v *inventory) startedBeside(c inspector.Cursor) (found []*spawn) {
	loop := innermostLoop(c)
	for _, s := range v.functions.spawns {
		if loop.Valid() && loop == innermostLoop(s.cur) {
			found = append(found, s)
		}
	}
	return found
}

// startedAround returns what starts the innermost function around c that something starts;
// nil if there is none.
func (v *inventory) startedAround(c inspector.Cursor) *spawn {
	for f := functionAround(c); f.Valid(); f = functionAround(f) {
		if i := slices.IndexFunc(v.functions.spawns, func(s *spawn) bool { return s.target == f }); i >= 0 {
			return v.functions.spawns[i]
		}
	}
	return nil
}

// functionsAmong returns the arguments of a call that are functions.
func functionsAmong(info *types.Info, args []ast.Expr) (found []ast.Expr) {
	for _, arg := range args {
		if _, ok := typeUnder(info, arg).(*types.Signature); ok {
			found = append(found, arg)
		}
	}
	return found
}

// mentionsOf returns where a variable, a field or a function is named.
func (v *inventory) mentionsOf(obj types.Object) []inspector.Cursor {
	if v.mentions == nil {
		v.mentions = make(map[types.Object][]inspector.Cursor)
		for c := range v.nodes((*ast.Ident)(nil)) {
			if obj := v.TypesInfo.Uses[c.Node().(*ast.Ident)]; obj != nil {
				v.mentions[obj] = append(v.mentions[obj], c)
			}
		}
	}
	return v.mentions[obj]
}
