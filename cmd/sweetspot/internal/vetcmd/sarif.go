package vetcmd

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/vet"
)

// The Static Analysis Results Interchange Format, version 2.1.0 of OASIS, as far as
// findings need it: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	ColumnKind  string            `json:"columnKind"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
	HelpURI          string    `json:"helpUri"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	PhysicalLocation sarifPhysical  `json:"physicalLocation"`
	LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn"`
	EndLine     int        `json:"endLine,omitempty"`
	EndColumn   int        `json:"endColumn,omitempty"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

// writeSARIF writes a result. A finding that is shown by default is a warning, one
// that must be asked for a note: tools show the former in reviews.
func writeSARIF(w io.Writer, r *Result, analyzers []*analysis.Analyzer, dir string) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name:           "sweetspot",
			InformationURI: "https://github.com/sweetspot-go/sweetspot",
		}},
		ColumnKind: "utf16CodeUnits",
		Results:    []sarifResult{},
	}
	for _, a := range analyzers {
		title, _, _ := strings.Cut(a.Doc, "\n")
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{a.Name, sarifText{title}, sarifText{a.Doc}, a.URL})
	}
	for _, f := range r.Findings {
		region := sarifRegion{StartLine: f.Line, StartColumn: f.utf16, EndLine: f.EndLine, EndColumn: f.endUTF16}
		if f.Text != "" {
			region.Snippet = &sarifText{f.Text}
		}
		at := sarifLocation{PhysicalLocation: sarifPhysical{sarifArtifact{fileURI(dir, f.File)}, region}}
		if f.Function != "" {
			at.LogicalLocations = []sarifLogical{{f.Package + "." + f.Function, "function"}}
		}
		level := "note"
		if f.Grade == vet.Quiet {
			level = "warning"
		}
		run.Results = append(run.Results, sarifResult{
			RuleID:              f.Check,
			RuleIndex:           slices.IndexFunc(analyzers, func(a *analysis.Analyzer) bool { return a.Name == f.Check }),
			Level:               level,
			Message:             sarifText{f.Message},
			Locations:           []sarifLocation{at},
			PartialFingerprints: map[string]string{"sweetspot/v1": f.fingerprint()},
		})
	}
	call := sarifInvocation{ExecutionSuccessful: len(r.Broken) == 0}
	for _, b := range r.Broken {
		call.Notifications = append(call.Notifications, sarifNotification{"error", sarifText{b.Package + ": " + b.Err.Error()}})
	}
	run.Invocations = []sarifInvocation{call}
	return encode(w, sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// fileURI returns a path relative to dir, which tools take for the root of the
// repository, or else an absolute URI.
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
