package vet

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// streams returns what the loop takes from a stream; "" if from none.
func (p *pass) streams(loop inspector.Cursor) string {
	switch l := loop.Node().(type) {
	case *ast.RangeStmt:
		switch typeUnder(p.TypesInfo, l.X).(type) {
		case *types.Chan:
			return "value received"
		case *types.Signature:
			if !isStandardIterator(p.TypesInfo, l.X) {
				return "value of the sequence"
			}
		}
	case *ast.ForStmt:
		what := ""
		for c := range loop.Preorder((*ast.CallExpr)(nil)) {
			if functionAround(c) != functionAround(loop) {
				continue
			}
			if f := calleeOf(p.TypesInfo, c.Node().(*ast.CallExpr)); f != nil {
				what = cmp.Or(readers[pathOf(f)+"."+nameOf(f)], what)
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
	return ok && some(s.Fields(), func(f *types.Var) bool { return isChan(f.Type()) })
}

func isStandardIterator(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	path := pathOf(calleeOf(info, call))
	return path == "slices" || path == "maps"
}

// read reports whether a slice that the loop ranges over has been read from a file, a
// directory, or by splitting data.
func (p *pass) read(loop inspector.Cursor, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		call = p.defining(loop, e)
	}
	if call == nil {
		return false
	}
	switch pathOf(calleeOf(p.TypesInfo, call)) {
	case "os", "path/filepath", "strings", "bytes", "encoding/csv", "io/ioutil", "io/fs", "regexp":
		return true
	}
	return false
}

// defining returns the call whose result the variable e was declared with, be it one
// of several; nil if there is none.
func (p *pass) defining(loop inspector.Cursor, e ast.Expr) *ast.CallExpr {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	obj := p.TypesInfo.ObjectOf(id)
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
func (p *pass) feeds(s *spawn, loop inspector.Cursor) bool {
	return s.target.Valid() && slices.ContainsFunc(p.channels.all, func(ch *channel) bool {
		return slices.Contains(ch.receives, loop) && slices.ContainsFunc(ch.sends, s.target.Contains)
	})
}
