package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var unboundedGo = &check{
	name: "unboundedgo",
	doc: `report goroutines that are started for each element of the data

	for scanner.Scan() {
		go handle(scanner.Text())
	}

There are as many goroutines as the input has elements, all at once: each takes a
stack of 2 KiB at least and whatever else it holds, and what they use, be it files,
connections or memory, runs out first. Where an element takes less than a microsecond,
starting a goroutine costs more than the work.

Of grade info where the input is a stream, or a slice that is as large as the data, or
where the goroutine does next to nothing; of grade hot for any other loop. Silent where
something bounds them: a limit of the group, a semaphore, a loop over workers, or over
what was configured.`,
	surest:   Info,
	requires: []*analysis.Analyzer{effortAnalyzer, channelAnalyzer},
	run: func(p *pass) {
		g := &goCheck{pass: p, efforts: p.ResultOf[effortAnalyzer].(*efforts), channels: p.ResultOf[channelAnalyzer].(*channels)}
		for s := range p.spawns() {
			if loop := innermostLoop(s.cur); loop.Valid() && !g.bounded(s, loop) && !g.lasting(s) {
				g.spawn(s, loop)
			}
		}
	},
}

// manyGoroutines is the constant from which on goroutines are many: their stacks take
// 20 MB, more than a CPU's cache holds.
const manyGoroutines = 10_000

// A goCheck looks for goroutines that are started for each element.
type goCheck struct {
	*pass
	efforts  *efforts
	channels *channels
}

func (g *goCheck) spawn(s *spawn, loop inspector.Cursor) {
	what, sure := g.elements(s, loop)
	if what == "" {
		return
	}
	grade := Hot
	message := fmt.Sprintf("a goroutine is started for each %s, as many at once as there are: ", what)
	if body := s.body(); body != nil && g.efforts.within(body, s.target.Node(), nil) == cheap {
		sure = true
		message = fmt.Sprintf("a goroutine is started for each %s, and does less than starting it takes: ", what)
	}
	if sure && !sometimes(s, loop) {
		grade = Info
	}
	call := "sweetspot.ForEach"
	if g.streams(loop) != "" {
		call = "sweetspot.ForEachSeq"
	}
	if s.group != nil && !isNamed(deref(g.TypesInfo.TypeOf(s.group)), "sync", "WaitGroup") {
		message += "give the group a limit with SetLimit, or one that is found, with the SetLimiter of a sweetspot.Group"
	} else {
		message += call + " runs as many at a time as pay"
	}
	n := s.cur.Node()
	end := n.End()
	if body := s.body(); body != nil && within(n, body.Pos()) {
		end = body.Lbrace
	}
	g.report(grade, analysis.Diagnostic{Pos: n.Pos(), End: end, Message: message})
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
func (g *goCheck) elements(s *spawn, loop inspector.Cursor) (what string, sure bool) {
	if g.functions.countsWorkers(g.TypesInfo, loop.Node()) {
		return "", false
	}
	if turns, ok := turnsOf(g.TypesInfo, loop.Node()); ok {
		if turns < manyGoroutines {
			return "", false
		}
		return "turn of the loop", true
	}
	if what := g.streams(loop); what != "" {
		if r, ok := loop.Node().(*ast.RangeStmt); ok && (g.feeds(s, r) || hasChan(g.TypesInfo, r.X)) {
			// A goroutine for each node, which another check tells; or a server that
			// answers requests.
			return "", false
		}
		return what, true
	}
	r, ok := loop.Node().(*ast.RangeStmt)
	if !ok {
		if countOf(g.TypesInfo, loop.Node()) == nil {
			return "", false // a server, that serves one after the other
		}
		return "turn of the loop", false
	}
	switch x := g.functions.soleOf(g.TypesInfo, r.X).(type) {
	case *ast.CallExpr:
		for _, arg := range x.Args {
			if g.functions.isWorkers(g.TypesInfo, arg) {
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
	if name := types.ExprString(r.X); aboutConfig.MatchString(name) || aboutBatches.MatchString(name) {
		return "", false
	}
	switch t := typeUnder(g.TypesInfo, r.X).(type) {
	case *types.Basic:
		if t.Info()&types.IsString != 0 {
			return "character", true
		}
		return "turn of the loop", false
	case *types.Slice:
		if g.read(loop, r.X) {
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
				perm, ok := g.functions.soleOf(g.TypesInfo, r.X).(*ast.CallExpr)
				return "number", !ok || calledName(perm) != "Perm"
			}
		}
		return "element", false
	}
	return "element", false // of a map
}

// aboutConfig matches the names of what was configured: there are few of these, and
// their goroutines live long.
var aboutConfig = regexp.MustCompile(`(?i)config|conf\b|cfg|option|listener|server|endpoint|peer|backend|plugin|handler|addr|hosts?\b|watcher|service|region|zone|subscri|module|component|controller|callback|hook|observer|client|conns?\b|connections?\b|interfaces?\b|member|signal|provider|exporter|receiver`)

// aboutBatches matches the names of parts that the work has been divided into for its
// goroutines.
var aboutBatches = regexp.MustCompile(`(?i)batch|chunk|part|split|segment|bucket|stripe|tile|groups?\b|ranges?\b`)

// streams returns what the loop takes from a stream; "" if from none.
func (g *goCheck) streams(loop inspector.Cursor) string {
	switch l := loop.Node().(type) {
	case *ast.RangeStmt:
		switch typeUnder(g.TypesInfo, l.X).(type) {
		case *types.Chan:
			return "value received"
		case *types.Signature:
			if !isStandardIterator(g.TypesInfo, l.X) {
				return "value of the sequence"
			}
		}
	case *ast.ForStmt:
		what := ""
		for c := range loop.Preorder((*ast.CallExpr)(nil)) {
			if functionAround(c) != functionAround(loop) {
				continue
			}
			if f, ok := typeutil.Callee(g.TypesInfo, c.Node().(*ast.CallExpr)).(*types.Func); ok && f.Pkg() != nil {
				if w := readers[f.Pkg().Path()+"."+nameOf(f)]; w != "" {
					what = w
				}
			}
		}
		return what
	}
	return ""
}

// readers are the functions of the standard library that take the next element of a
// stream.
var readers = map[string]string{
	"bufio.Scanner.Scan":            "token scanned",
	"bufio.Reader.ReadString":       "line read",
	"bufio.Reader.ReadBytes":        "line read",
	"bufio.Reader.ReadLine":         "line read",
	"encoding/csv.Reader.Read":      "record read",
	"encoding/json.Decoder.Decode":  "value decoded",
	"encoding/json.Decoder.More":    "value decoded",
	"encoding/xml.Decoder.Token":    "token read",
	"archive/tar.Reader.Next":       "file of the archive",
	"database/sql.Rows.Next":        "row read",
	"container/list.Element.Next":   "element of the list",
	"text/scanner.Scanner.Scan":     "token scanned",
	"encoding/gob.Decoder.Decode":   "value decoded",
	"net/textproto.Reader.ReadLine": "line read",
}

// hasChan reports whether a channel carries structs with channels.
func hasChan(info *types.Info, e ast.Expr) bool {
	ch, ok := typeUnder(info, e).(*types.Chan)
	if !ok {
		return false
	}
	s, ok := deref(ch.Elem()).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if isChan(f.Type()) {
			return true
		}
	}
	return false
}

func isStandardIterator(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := typeutil.Callee(info, call).(*types.Func)
	return ok && f.Pkg() != nil && (f.Pkg().Path() == "slices" || f.Pkg().Path() == "maps")
}

// read reports whether a slice that the loop ranges over has been read from a file, a
// directory, or by splitting data.
func (g *goCheck) read(loop inspector.Cursor, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		call = g.defining(loop, e)
	}
	if call == nil {
		return false
	}
	f, ok := typeutil.Callee(g.TypesInfo, call).(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case "os", "path/filepath", "strings", "bytes", "encoding/csv", "io/ioutil", "io/fs", "regexp":
		return true
	}
	return false
}

// defining returns the call whose result the variable e was declared with, be it one
// of several; nil if there is none.
func (g *goCheck) defining(loop inspector.Cursor, e ast.Expr) *ast.CallExpr {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	obj := g.TypesInfo.ObjectOf(id)
	f := functionAround(loop)
	if obj == nil || !f.Valid() || !within(f.Node(), obj.Pos()) {
		return nil
	}
	at, ok := f.FindByPos(obj.Pos(), obj.Pos())
	if !ok {
		return nil
	}
	s, ok := at.Parent().Node().(*ast.AssignStmt)
	if !ok || len(s.Rhs) != 1 {
		return nil
	}
	call, _ := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	return call
}

// feeds reports whether the goroutine sends to the channel that the loop ranges over.
func (g *goCheck) feeds(s *spawn, r *ast.RangeStmt) bool {
	if !s.target.Valid() {
		return false
	}
	for _, ch := range g.channels.all {
		for _, receive := range ch.receives {
			if receive.Node() != ast.Node(r) {
				continue
			}
			for _, send := range ch.sends {
				if s.target.Contains(send) {
					return true
				}
			}
		}
	}
	return false
}

// bounded reports whether something holds the loop back while its goroutines run.
func (g *goCheck) bounded(s *spawn, loop inspector.Cursor) bool {
	if s.method == "TryGo" || s.group != nil && !g.unlimited(s) {
		return true
	}
	found := false
	loop.Inspect([]ast.Node{(*ast.FuncLit)(nil), (*ast.SendStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.SelectStmt)(nil), (*ast.BranchStmt)(nil), (*ast.ReturnStmt)(nil)}, func(c inspector.Cursor) bool {
		if found {
			return false
		}
		switch n := c.Node().(type) {
		case *ast.FuncLit:
			return false
		case *ast.SendStmt:
			found = true
		case *ast.UnaryExpr:
			// To look whether the work is to end holds nothing back.
			found = n.Op == token.ARROW && !isDone(n.X)
		case *ast.CallExpr:
			found = holdsBack.MatchString(calledName(n))
		case *ast.BranchStmt:
			// It ends with the goroutine that it has started.
			found = n.Tok == token.BREAK && n.Pos() > s.cur.Node().End() && c.Parent() == s.cur.Parent()
		case *ast.ReturnStmt:
			found = n.Pos() > s.cur.Node().End() && c.Parent() == s.cur.Parent()
		}
		return !found
	})
	return found
}

// holdsBack matches the names of functions that wait until there is room for more
// work, or that wait for a peer.
var holdsBack = regexp.MustCompile(`(?i)^(try)?(acquire|wait|take|limit|allow|reserve|throttle|accept|borrow|receive|recv|checkout|dequeue|sleep|poll)`)

func calledName(call *ast.CallExpr) string {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// isDone reports whether a channel tells that something is over.
func isDone(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return calledName(e) == "Done"
	case *ast.Ident:
		return aboutEnd.MatchString(e.Name)
	case *ast.SelectorExpr:
		return aboutEnd.MatchString(e.Sel.Name)
	}
	return false
}

var aboutEnd = regexp.MustCompile(`(?i)done|quit|stop|exit|clos|cancel|shutdown|abort`)

// unlimited reports whether a group is of a kind that starts whatever it gets, and
// has not been given a limit.
func (g *goCheck) unlimited(s *spawn) bool {
	t := deref(g.TypesInfo.TypeOf(s.group))
	if isNamed(t, "sync", "WaitGroup") {
		return true
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Name() != "Group" {
		return false
	}
	limits, _, _ := types.LookupFieldOrMethod(types.NewPointer(n), true, n.Obj().Pkg(), "SetLimit")
	if limits == nil {
		return false
	}
	name := types.ExprString(s.group)
	decl := s.cur
	for f := range s.cur.Enclosing((*ast.FuncDecl)(nil)) {
		decl = f
	}
	for c := range decl.Preorder((*ast.CallExpr)(nil)) {
		if sel, ok := ast.Unparen(c.Node().(*ast.CallExpr).Fun).(*ast.SelectorExpr); ok {
			if (sel.Sel.Name == "SetLimit" || sel.Sel.Name == "SetLimiter") && types.ExprString(sel.X) == name {
				return false
			}
		}
	}
	// One that comes from elsewhere may have got its limit there.
	id, ok := ast.Unparen(s.group).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := g.TypesInfo.ObjectOf(id).(*types.Var)
	return ok && v.Kind() == types.LocalVar
}

// lasting reports whether the goroutine lives on, or waits its turn: then it is not
// work for one element.
func (g *goCheck) lasting(s *spawn) bool {
	if lives.MatchString(calledName(&ast.CallExpr{Fun: s.fun})) {
		return true
	}
	body := s.body()
	if body == nil {
		return false
	}
	if len(body.List) == 1 {
		if _, ok := body.List[0].(*ast.SendStmt); ok {
			return true // it hands over what nobody may take yet
		}
	}
	around := functionAround(s.cur)
	found := s.target == around
	for c := range s.target.Preorder((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.CallExpr)(nil)) {
		switch n := c.Node().(type) {
		case *ast.ForStmt:
			found = found || n.Cond == nil && n.Post == nil
		case *ast.RangeStmt:
			found = found || isChan(g.TypesInfo.TypeOf(n.X))
		case *ast.CallExpr:
			// A recursion is another check's.
			found = found || lives.MatchString(calledName(n)) || g.functions.of(g.TypesInfo, c, n.Fun) == around
		}
	}
	return found
}

// lives matches the names of functions that run until somebody ends them.
var lives = regexp.MustCompile(`^(?i:run|serve|watch|listen|loop|worker|poll|monitor|start|consume|keep|subscribe|acquire)`)
