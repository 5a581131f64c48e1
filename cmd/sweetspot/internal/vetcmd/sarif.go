package vetcmd

import (
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/findings"
)

// writeSARIF writes a result as SARIF. Paths are relative to the root of the repository, or
// to dir outside of one.
func writeSARIF(w io.Writer, r *Result, analyzers []*analysis.Analyzer, dir string) error {
	type object = findings.Object
	dir = repository(dir)
	text := func(s string) object { return object{"text": s} }
	rules, results, notifications := []object{}, []object{}, []object{}
	for _, a := range analyzers {
		title, _, _ := strings.Cut(a.Doc, "\n")
		rules = append(rules, object{"id": a.Name, "shortDescription": text(title), "fullDescription": text(a.Doc), "helpUri": a.URL})
	}
	for _, f := range r.Findings {
		region := object{"startLine": f.Line, "startColumn": f.utf16}
		if f.EndLine > 0 {
			region["endLine"], region["endColumn"] = f.EndLine, f.endUTF16
		}
		if f.Text != "" {
			region["snippet"] = text(f.Text)
		}
		at := object{"physicalLocation": object{"artifactLocation": object{"uri": findings.URI(dir, f.File)}, "region": region}}
		if f.Function != "" {
			at["logicalLocations"] = []object{{"fullyQualifiedName": f.Package + "." + f.Function, "kind": "function"}}
		}
		results = append(results, object{
			"ruleId":              f.Check,
			"ruleIndex":           slices.IndexFunc(analyzers, func(a *analysis.Analyzer) bool { return a.Name == f.Check }),
			"level":               f.Severity,
			"message":             text(f.Message),
			"locations":           []object{at},
			"partialFingerprints": object{"sweetspot/v1": f.Fingerprint},
		})
	}
	for _, b := range r.Broken {
		notifications = append(notifications, object{"level": "error", "message": text(b.Package + ": " + b.Err.Error())})
	}
	return findings.WriteSARIF(w, "sweetspot", rules, object{
		"columnKind":  "utf16CodeUnits",
		"invocations": []object{{"executionSuccessful": len(r.Broken) == 0, "toolExecutionNotifications": notifications}},
		"results":     results,
	})
}
