package sim

import (
	_ "embed"
	"strings"
)

//go:embed scenarios.txt
var scenarioFile string

// Scenarios returns the scenarios that come with the package, in the order of
// their file, sim/scenarios.txt. The slice is the caller's. It panics if the
// embedded file is broken, which its test excludes.
func Scenarios() []Scenario {
	s, err := Parse(strings.NewReader(scenarioFile))
	if err != nil {
		panic("sim: scenarios.txt: " + err.Error())
	}
	return s
}
