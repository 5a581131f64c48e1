package vetcmd

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"unicode/utf16"

	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/vet"
)

// A Finding is a place in the code that a check has something to say about. Its keys in JSON
// are those of schema.json.
type Finding struct {
	Check       string      `json:"check"`
	Grade       vet.Grade   `json:"grade"`
	Package     string      `json:"package"`            // import path
	Function    string      `json:"function,omitempty"` // that it is in, such as "(*T).m"; empty outside of functions
	File        string      `json:"file"`               // absolute
	Line        int         `json:"line"`
	Column      int         `json:"column"` // in bytes, from 1
	EndLine     int         `json:"endLine,omitempty"`
	EndColumn   int         `json:"endColumn,omitempty"`
	Text        string      `json:"text"` // of the line, with single spaces
	Message     string      `json:"message"`
	URL         string      `json:"url"`
	Severity    string      `json:"severity"`    // error, warning or note
	Fingerprint string      `json:"fingerprint"` // the key and a number, hashed, for tools that compare runs
	Number      *vet.Number `json:"number,omitempty"`
	Fixes       []Fix       `json:"fixes,omitempty"`
	Related     []Line      `json:"-"` // that the message is about, too

	utf16    int // Column in UTF-16 code units, as SARIF counts
	endUTF16 int // of EndColumn
}

// A Line is one of a file.
type Line struct {
	File string
	Line int
}

// A Fix is a change that fixes a finding.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// An Edit puts New in place of a part of a file.
type Edit struct {
	File  string `json:"file"`
	Start int    `json:"start"` // offsets in bytes
	End   int    `json:"end"`
	New   string `json:"new"`
}

func (f Finding) compare(g Finding) int {
	return cmp.Or(
		cmp.Compare(f.File, g.File),
		cmp.Compare(f.Line, g.Line),
		cmp.Compare(f.Column, g.Column),
		cmp.Compare(f.Check, g.Check),
		cmp.Compare(f.Message, g.Message),
	)
}

// A place is where a check has found something.
type place struct {
	check, file  string
	line, column int
}

func (f Finding) place() place { return place{f.Check, f.File, f.Line, f.Column} }

// key tells a finding from others whatever lines are added above it, and wherever
// the file is.
func (f Finding) key() string {
	return fmt.Sprintf("%s %s %s: %s", f.Check, f.Package, cmp.Or(f.Function, "-"), f.Text)
}

// fingerprint tells findings with the same key apart by their order.
func fingerprint(findings []Finding) {
	seen := make(map[string]int)
	for i := range findings {
		k := findings[i].key()
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", k, seen[k]))
		findings[i].Fingerprint = hex.EncodeToString(sum[:16])
		seen[k]++
	}
}

func (u *unit) finding(a *analysis.Analyzer, d analysis.Diagnostic) Finding {
	check, _, _ := strings.Cut(cmp.Or(d.Category, a.Name), "/")
	at := u.position(d.Pos)
	before, after := u.around(d.Pos)
	f := Finding{
		Check:    check,
		Grade:    vet.GradeOf(d),
		Package:  u.pkg.PkgPath,
		Function: u.function(d.Pos),
		File:     at.Filename,
		Line:     at.Line,
		Column:   at.Column,
		Text:     strings.Join(strings.Fields(before+after), " "),
		Message:  d.Message,
		URL:      cmp.Or(d.URL, a.URL),
		utf16:    utf16Column(before),
	}
	if d.End.IsValid() {
		end := u.position(d.End)
		f.EndLine, f.EndColumn = end.Line, end.Column
		before, _ := u.around(d.End)
		f.endUTF16 = utf16Column(before)
	}
	for _, r := range d.Related {
		at := u.fset.Position(r.Pos)
		f.Related = append(f.Related, Line{at.Filename, at.Line})
	}
	for _, fix := range d.SuggestedFixes {
		if edits, ok := u.edits(fix); ok {
			f.Fixes = append(f.Fixes, Fix{fix.Message, edits})
		}
	}
	return f
}

// position returns where pos is said to be. A comment that says only the line, as most do, leaves
// the column as it is.
func (u *unit) position(pos token.Pos) token.Position {
	at := u.fset.Position(pos)
	at.Column = cmp.Or(at.Column, u.fset.PositionFor(pos, false).Column)
	return at
}

// number returns an entry of an inventory as a finding, which it is not: its grade
// never changes the exit status.
func (u *unit) number(a *analysis.Analyzer, n vet.Number) Finding {
	f := u.finding(a, analysis.Diagnostic{Pos: n.Pos, End: n.End, Category: a.Name + "/" + vet.Info.String(), Message: n.String()})
	f.Number = &n
	return f
}

// edits returns the edits of a fix, unless one is of a file that says it was made
// from another.
func (u *unit) edits(fix analysis.SuggestedFix) (edits []Edit, ok bool) {
	for _, e := range fix.TextEdits {
		file := u.fset.File(e.Pos)
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		if file == nil || u.fset.File(end) != file || u.fset.Position(e.Pos).Filename != file.Name() {
			return nil, false
		}
		edits = append(edits, Edit{file.Name(), file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
	}
	return edits, len(edits) > 0
}

// function names the declared function around pos.
func (u *unit) function(pos token.Pos) string {
	for _, file := range u.files {
		if pos < file.FileStart || file.FileEnd < pos {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Pos() <= pos && pos < f.End() {
				return FunctionName(f)
			}
		}
	}
	return ""
}

// FunctionName is the name as stack traces have it, without type parameters.
func FunctionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	recv, _, _ := strings.Cut(types.ExprString(ast.Unparen(f.Recv.List[0].Type)), "[")
	if strings.HasPrefix(recv, "*") {
		recv = "(" + recv + ")"
	}
	return recv + "." + f.Name.Name
}

func utf16Column(before string) int { return 1 + len(utf16.Encode([]rune(before))) }

// around returns what stands before and after pos in its line.
func (u *unit) around(pos token.Pos) (before, after string) {
	file := u.fset.File(pos)
	if file == nil {
		return "", ""
	}
	src := u.sources[file.Name()]
	at := file.Offset(pos)
	start := file.Offset(file.LineStart(file.PositionFor(pos, false).Line))
	if at > len(src) {
		return "", ""
	}
	rest, _, _ := bytes.Cut(src[at:], []byte("\n"))
	return string(src[start:at]), string(rest)
}
