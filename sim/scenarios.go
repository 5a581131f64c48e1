package sim

import _ "embed"

//go:embed scenarios.txt
var scenarioFile string

// Scenarios returns the scenarios that come with the package, in the order of
// their file, sim/scenarios.txt. The slice is the caller's. It panics if the
// embedded file is broken, which its test excludes.
func Scenarios() []Scenario { return embedded("scenarios.txt", scenarioFile, Parse) }
