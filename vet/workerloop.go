package vet

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/ast/inspector"
)

// loops takes in the loops that start goroutines: as many as a number says, or as there
// are elements.
func (v *inventory) loops() {
	byLoop := make(map[ast.Node][]*spawn)
	var order []inspector.Cursor
	for _, s := range v.spawns() {
		if loop := innermostLoop(s.cur); loop.Valid() {
			if byLoop[loop.Node()] == nil {
				order = append(order, loop)
			}
			byLoop[loop.Node()] = append(byLoop[loop.Node()], s)
		}
	}
	for _, loop := range order {
		spawns := byLoop[loop.Node()]
		work := cheap
		lasting, bounded := false, false
		for _, s := range spawns {
			work |= v.takes.running(s.fun)
			lasting = lasting || v.lasting(s) || s.target.Valid() && v.receives(s.target, 1)
			bounded = bounded || v.bounded(s, loop)
		}
		count := countOf(v.TypesInfo, loop.Node())
		switch {
		case count != nil && v.countsHands(count, lasting):
			if !v.isOne(count) {
				v.add(loop.Node(), WorkerLoop, count, work, workersInstead(lasting))
			}
		case !bounded && !lasting:
			v.unbounded(spawns[0], loop, work)
		}
	}
}

// receives reports whether a function takes its work from a channel, or one that it calls,
// down to a depth.
func (v *inventory) receives(f inspector.Cursor, depth int) bool {
	return some(f.Preorder((*ast.RangeStmt)(nil), (*ast.CallExpr)(nil)), func(c inspector.Cursor) bool {
		if r, ok := c.Node().(*ast.RangeStmt); ok {
			return isChan(v.TypesInfo.TypeOf(r.X))
		}
		callee := v.functions.of(v.TypesInfo, c, c.Node().(*ast.CallExpr).Fun)
		return depth > 0 && callee.Valid() && callee != f && v.receives(callee, depth-1)
	})
}

// countsHands reports whether a loop over count turns once for each goroutine that is
// wanted, and not for each element of the data.
func (v *inventory) countsHands(count ast.Expr, lasting bool) bool {
	if !isBasic(v.TypesInfo.TypeOf(count), types.IsInteger) {
		return false
	}
	sole := v.functions.soleOf(v.TypesInfo, count)
	if contains(sole, func(call *ast.CallExpr) bool {
		return isBuiltin(v.TypesInfo, call, "len") || lastName(call.Fun) == "Len"
	}) {
		return false
	}
	return lasting || v.chosen(count) || v.functions.isWorkers(v.TypesInfo, count)
}

func workersInstead(lasting bool) string {
	if lasting {
		return "sweetspot.Pool or ForEachSeq"
	}
	return "sweetspot.ForEachIndex or WorkersRange"
}

// unbounded takes in a loop that starts a goroutine for each element.
func (v *inventory) unbounded(s *spawn, loop inspector.Cursor, work effort) {
	what, _ := v.elements(s, loop)
	if what == "" {
		return
	}
	instead := "sweetspot.ForEach"
	switch {
	case s.group != nil && !s.plain:
		instead = groupInstead
	case v.streams(loop) != "":
		instead = "sweetspot.ForEachSeq"
	}
	head := s.head()
	v.list = append(v.list, Number{
		Pos: head.Pos, End: head.End, Kind: Unbounded, Value: "one for each " + what, Work: workOf(work), Instead: instead,
	})
}

const groupInstead = "SetLimiter of a sweetspot.Group"
