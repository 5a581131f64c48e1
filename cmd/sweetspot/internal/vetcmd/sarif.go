package vetcmd

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// writeSARIF writes a result in the Static Analysis Results Interchange Format, version 2.1.0 of
// OASIS: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
//
// Paths are relative to the root of the repository, or to dir outside of one.
func writeSARIF(w io.Writer, r *Result, analyzers []*analysis.Analyzer, dir string) error {
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
		at := object{"physicalLocation": object{"artifactLocation": object{"uri": fileURI(dir, f.File)}, "region": region}}
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
	return encode(w, object{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool":        object{"driver": object{"name": "sweetspot", "informationUri": "https://github.com/sweetspot-go/sweetspot", "rules": rules}},
			"columnKind":  "utf16CodeUnits",
			"invocations": []object{{"executionSuccessful": len(r.Broken) == 0, "toolExecutionNotifications": notifications}},
			"results":     results,
		}},
	})
}

// fileURI returns a path relative to dir, or else an absolute URI.
func fileURI(dir, path string) string {
	slashed := slashed(dir, path)
	if !filepath.IsAbs(filepath.FromSlash(slashed)) {
		return (&url.URL{Path: slashed}).String()
	}
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}
