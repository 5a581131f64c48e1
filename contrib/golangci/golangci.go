// Package golangci makes the checks of package vet a linter of golangci-lint, named
// sweetspot. Build a golangci-lint with it, by golangci-lint custom and this
// .custom-gcl.yml:
//
//	version: v2.15.0
//	plugins:
//	  - module: github.com/sweetspot-go/sweetspot/contrib/golangci
//	    version: latest
//
// and enable it in .golangci.yml:
//
//	version: "2"
//	linters:
//	  enable:
//	    - sweetspot
//	  settings:
//	    custom:
//	      sweetspot:
//	        type: module
//	        description: find concurrency that costs more than it gains
//	        settings:
//	          info: false
//	          without: [chanarray]
//
// The settings are those of [Settings], and are optional.
package golangci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/vet"
)

func init() { register.Plugin("sweetspot", New) }

// Settings are those of the linter in .golangci.yml.
type Settings struct {
	Info    bool     `json:"info"`    // also report what is true, but often deliberate
	Tests   bool     `json:"tests"`   // look at files of tests, too
	Without []string `json:"without"` // checks not to run
}

// New returns the linter with these settings, in the form in which golangci-lint
// reads them. An unknown setting is an error.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("sweetspot: settings: %w", err)
	}
	return plugin{s}, nil
}

type plugin struct{ settings Settings }

// BuildAnalyzers returns an analyzer for each check. It is an error if a check of the
// settings does not exist.
func (p plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	upTo := vet.Quiet
	if p.settings.Info {
		upTo = vet.Info
	}
	var options []vet.Option
	if p.settings.Tests {
		options = append(options, vet.Tests())
	}
	all := vet.Analyzers(upTo, options...)
	var names []string
	for _, a := range vet.Analyzers(vet.Info) {
		names = append(names, a.Name)
	}
	for _, name := range p.settings.Without {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("sweetspot: settings: without: there is no check %q; the checks are %s", name, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(all, func(a *analysis.Analyzer) bool { return slices.Contains(p.settings.Without, a.Name) }), nil
}

// GetLoadMode says that the checks need types.
func (p plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
