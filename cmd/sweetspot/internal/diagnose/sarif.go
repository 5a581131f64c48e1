package diagnose

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// object is one of JSON.
type object = map[string]any

// WriteSARIF writes the findings in the Static Analysis Results Interchange Format, version
// 2.1.0 of OASIS. Paths are relative to dir, which tools take for the root of the
// repository. What is worth time is a warning, all else a note.
func (r *Report) WriteSARIF(w io.Writer, dir string) error {
	var checks []string
	rules, results := []object{}, []object{}
	for _, t := range r.Targets {
		for _, f := range t.Findings {
			if !slices.Contains(checks, f.Check) {
				checks = append(checks, f.Check)
				rules = append(rules, object{"id": f.Check, "helpUri": f.URL})
			}
			level := "note"
			if f.Share >= worthwhile {
				level = "warning"
			}
			text := fmt.Sprintf("%s: %s. %s %s", t.Name, f.could()+": "+f.Title, strings.Join(f.Evidence, " "), f.Remedy)
			// The line may move, and what it is worth varies.
			digest := sha256.Sum256([]byte(f.Check + "\x00" + outer(f.Place.Func) + "\x00" + f.Text))
			region := object{"startLine": max(f.Place.Line, 1)}
			if f.Text != "" {
				region["snippet"] = object{"text": f.Text}
			}
			results = append(results, object{
				"ruleId": f.Check, "ruleIndex": slices.Index(checks, f.Check), "level": level, "message": object{"text": text},
				"locations": []object{{
					"physicalLocation": object{"artifactLocation": object{"uri": artifact(dir, f.Place.File)}, "region": region},
					"logicalLocations": []object{{"fullyQualifiedName": f.Place.Func, "kind": "function"}},
				}},
				"partialFingerprints": object{"sweetspot/v1": fmt.Sprintf("%x", digest[:16])},
				"properties":          object{"share": f.Share, "seconds": f.Seconds, "cpuSeconds": f.CPU, "waitingSeconds": f.Waiting},
			})
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(object{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		"version": "2.1.0",
		"runs": []object{{
			"tool":        object{"driver": object{"name": "sweetspot diagnose", "informationUri": "https://github.com/sweetspot-go/sweetspot", "rules": rules}},
			"invocations": []object{{"executionSuccessful": true}},
			"results":     results,
		}},
	})
}

// artifact returns the URI of a file.
func artifact(dir, file string) string {
	slashed := filepath.ToSlash(relative(dir, file))
	switch {
	case !filepath.IsAbs(filepath.FromSlash(slashed)):
		return (&url.URL{Path: slashed}).String()
	case !strings.HasPrefix(slashed, "/"):
		slashed = "/" + slashed // C:/...
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}
