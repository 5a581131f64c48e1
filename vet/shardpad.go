package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/types/typeutil"
)

var shardPad = &check{
	name: "shardpad",
	doc: `report tables of locks whose elements share cache lines

	type shard struct {
		mu sync.Mutex
		m  map[string]int
	}

	var shards [64]shard // shards[hash(key)%64]

A table is split by a hash so that goroutines don't wait for one lock. But these
locks are 16 bytes apart, four to a cache line, which only one CPU at a time can
write: taking one is slowed down by its neighbours. Elements of a multiple of 64 bytes
fix it.`,
	surest: Quiet,
	run: func(p *pass) {
		var order []token.Pos
		tables := make(map[token.Pos]*lockTable) // by where they are declared
		for c := range p.nodes((*ast.IndexExpr)(nil)) {
			t := p.lockTable(c)
			if t == nil {
				continue
			}
			if tables[t.pos] == nil {
				tables[t.pos] = t
				order = append(order, t.pos)
			}
			if f := functionAround(c); f.Valid() && !slices.Contains(tables[t.pos].users, f) {
				tables[t.pos].users = append(tables[t.pos].users, f)
			}
		}
		for _, pos := range order {
			p.shardPad(tables[pos])
		}
	},
}

// oneLine is the size from which elements are left alone: only the ends of such a
// large one share a line with others.
const oneLine = 2 * cacheLine

// A lockTable is an array or slice of elements with locks, several to a cache line.
type lockTable struct {
	pos   token.Pos
	name  string
	elem  types.Type
	lock  string
	size  int64 // of an element
	grade Grade
	users []inspector.Cursor // the functions that take an element
}

// lockTable returns the table that the *ast.IndexExpr at c takes an element of by a
// hash; nil if there is none.
func (p *pass) lockTable(c inspector.Cursor) *lockTable {
	index := c.Node().(*ast.IndexExpr)
	t := p.TypesInfo.TypeOf(index.X)
	if t == nil || !p.TypesInfo.Types[index.X].IsValue() {
		return nil
	}
	named := types.Unalias(t)
	t = t.Underlying()
	if ptr, ok := t.(*types.Pointer); ok {
		named = types.Unalias(ptr.Elem())
		t = ptr.Elem().Underlying()
	}
	table := new(lockTable)
	switch t := t.(type) {
	case *types.Slice:
		table.elem = t.Elem()
	case *types.Array:
		if t.Len() < 2 {
			return nil
		}
		table.elem = t.Elem()
	default:
		return nil
	}
	table.lock = lockIn(table.elem)
	switch table.lock {
	case "":
		return nil
	case "a Mutex", "an RWMutex":
	default:
		table.grade = Hot
	}
	var ok bool
	table.size, ok = p.size(table.elem)
	if !ok || table.size%cacheLine == 0 || table.size >= oneLine || p.padded(table.elem) || !p.hashed(c, index.Index, 3) {
		return nil
	}
	table.pos, table.name = p.declared(index.X, named)
	if !table.pos.IsValid() {
		return nil
	}
	return table
}

func (p *pass) shardPad(t *lockTable) {
	users, lock := p.holders(t)
	slow := 0
	for _, f := range users {
		if p.heldOverIO(f, lock) {
			slow++
		}
	}
	if 2*slow > len(users) {
		t.grade = Hot
	}
	pad := cacheLine - t.size%cacheLine
	write := "lock and unlock"
	if t.lock != "a Mutex" && t.lock != "an RWMutex" {
		write = "write"
	}
	p.report(t.grade, analysis.Diagnostic{
		Pos: t.pos,
		End: t.pos + token.Pos(len(t.name)),
		Message: fmt.Sprintf("the elements of %s, each with %s, are %d bytes large, so that several share a cache line, "+
			"which every %s takes away from the other CPUs, as if there were fewer shards; "+
			"pad the element to a multiple of %d bytes, for example by a field _ [%d]byte or cpu.CacheLinePad of golang.org/x/sys/cpu",
			t.name, t.lock, t.size, write, cacheLine, pad),
		SuggestedFixes: p.padFix(t.elem, pad),
		Related:        p.uses("an element is taken", p.locking(t)),
	})
}

// heldOverIO reports whether the function does I/O between a Lock and the Unlock that
// follows it: beside that no cache line matters.
func (p *pass) heldOverIO(f inspector.Cursor, lock map[*types.Func]bool) bool {
	held := false
	for c := range f.Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if fn := calleeOf(p.TypesInfo, call); fn != nil && (pathOf(fn) == "sync" || lock[fn.Origin()]) {
			switch fn.Name() {
			case "Lock", "RLock":
				held = true
			case "Unlock", "RUnlock":
				if c.ParentEdgeKind() != edge.DeferStmt_Call {
					held = false
				}
			}
			continue
		}
		if held && p.efforts.call(call, f.Node()) >= waits {
			return true
		}
	}
	return false
}

// lockIn returns what lock values of type t hold, the atomic if they hold that only, and
// else nothing.
func lockIn(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		switch name := named.Obj().Name(); named.Obj().Pkg().Path() {
		case "sync":
			switch name {
			case "Mutex":
				return "a Mutex"
			case "RWMutex":
				return "an RWMutex"
			}
			return ""
		case "sync/atomic":
			return "an atomic." + name
		}
	}
	found := ""
	switch t := t.Underlying().(type) {
	case *types.Array:
		return lockIn(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			switch what := lockIn(f.Type()); what {
			case "a Mutex", "an RWMutex":
				return what
			case "":
			default:
				found = what
			}
		}
	}
	return found
}

// aHash is what functions are called that spread keys over a table.
var aHash = patternOf(`(?i)hash|shard|bucket|stripe|slot|fnv|crc|sum32|sum64`)

// hashed reports whether the index spreads over the table: a remainder, some bits, or
// the result of a function that looks like it.
func (p *pass) hashed(c inspector.Cursor, index ast.Expr, depth int) bool {
	switch e := ast.Unparen(index).(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.REM, token.AND, token.SHR:
			return true
		}
	case *ast.Ident:
		if value := p.functions.values[p.variable(e)]; value.Valid() && depth > 0 {
			return p.hashed(value, value.Node().(ast.Expr), depth-1)
		}
	case *ast.CallExpr:
		if p.TypesInfo.Types[e.Fun].IsType() && len(e.Args) == 1 {
			return p.hashed(c, e.Args[0], depth)
		}
		if obj := objectOf(p.TypesInfo, e.Fun); obj != nil && aHash.MatchString(obj.Name()) {
			return true
		}
		if callee := p.functions.of(p.TypesInfo, c, e.Fun); callee.Valid() && depth > 0 {
			for r := range inBody(callee, (*ast.ReturnStmt)(nil)) {
				if results := r.Node().(*ast.ReturnStmt).Results; len(results) == 1 && p.hashed(r, results[0], depth-1) {
					return true
				}
			}
		}
	}
	return false
}

// declared returns where the table is declared, and its name: the variable or field,
// or the type if it has a name. The position is not valid elsewhere than in a file
// to look at, nor where the variable got the table from elsewhere.
func (p *pass) declared(table ast.Expr, t types.Type) (token.Pos, string) {
	var obj types.Object
	if named, ok := t.(*types.Named); ok {
		obj = named.Obj()
	} else {
		obj = objectOf(p.TypesInfo, table)
	}
	if v, ok := obj.(*types.Var); ok {
		switch v.Kind() {
		case types.FieldVar, types.PackageVar:
			obj = v.Origin()
		case types.LocalVar:
			if value := p.functions.values[v]; value.Valid() {
				switch e := ast.Unparen(value.Node().(ast.Expr)).(type) {
				case *ast.Ident, *ast.SelectorExpr:
					return p.declaredBy(e, v)
				case *ast.CompositeLit:
				case *ast.CallExpr:
					if _, ok := typeutil.Callee(p.TypesInfo, e).(*types.Builtin); !ok {
						return token.NoPos, ""
					}
				default:
					return token.NoPos, ""
				}
			}
		default:
			return token.NoPos, ""
		}
	}
	if obj == nil || obj.Pkg() != p.Pkg {
		return token.NoPos, ""
	}
	for _, file := range p.files() {
		if within(file.Node(), obj.Pos()) {
			return obj.Pos(), obj.Name()
		}
	}
	return token.NoPos, ""
}

// declaredBy is declared for a copy of a slice.
func (p *pass) declaredBy(table ast.Expr, copied *types.Var) (token.Pos, string) {
	if obj := objectOf(p.TypesInfo, table); obj == nil || obj == copied {
		return token.NoPos, ""
	} else if v, ok := obj.(*types.Var); ok && v.Kind() == types.LocalVar {
		return token.NoPos, "" // told where it is used itself
	}
	return p.declared(table, types.Unalias(p.TypesInfo.TypeOf(table)))
}
