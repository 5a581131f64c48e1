package diagnose

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/findings"
)

// WriteSARIF writes the findings as SARIF. Paths are relative to dir, which tools take for
// the root of the repository. What is worth time is a warning, all else a note.
func (r *Report) WriteSARIF(w io.Writer, dir string) error {
	type object = findings.Object
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
			digest := sha256.Sum256([]byte(f.Check + "\x00" + f.Func + "\x00" + f.Text))
			region := object{"startLine": max(f.Place.Line, 1)}
			if f.Text != "" {
				region["snippet"] = object{"text": f.Text}
			}
			results = append(results, object{
				"ruleId": f.Check, "ruleIndex": slices.Index(checks, f.Check), "level": level, "message": object{"text": text},
				"locations": []object{{
					"physicalLocation": object{"artifactLocation": object{"uri": findings.URI(dir, f.Place.File)}, "region": region},
					"logicalLocations": []object{{"fullyQualifiedName": f.Place.Func, "kind": "function"}},
				}},
				"partialFingerprints": object{"sweetspot/v1": fmt.Sprintf("%x", digest[:16])},
				"properties":          object{"share": f.Share, "seconds": f.Seconds, "cpuSeconds": f.CPU, "waitingSeconds": f.Waiting},
			})
		}
	}
	return findings.WriteSARIF(w, "sweetspot diagnose", rules, object{
		"invocations": []object{{"executionSuccessful": true}},
		"results":     results,
	})
}
