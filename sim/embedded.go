package sim

import (
	_ "embed"
	"io"
	"strings"
)

var (
	//go:embed scenarios.txt
	scenarioFile string
	//go:embed servers.txt
	serverFile string
	//go:embed company.txt
	companyFile string
)

// Scenarios returns the scenarios that come with the package, in the order of
// their file, sim/scenarios.txt. The slice is the caller's. It panics if the
// embedded file is broken, which its test excludes.
func Scenarios() []Scenario { return embedded("scenarios.txt", scenarioFile, Parse) }

// Servers returns the scenarios that laws for servers are judged on by [Serve], in
// the order of their file, sim/servers.txt. The slice is the caller's. It panics if
// the embedded file is broken, which its test excludes.
func Servers() []Scenario { return embedded("servers.txt", serverFile, Parse) }

// Companies returns the companies that come with the package, in the order of
// their file, sim/company.txt. The slice is the caller's. It panics if the
// embedded file is broken, which its test excludes.
func Companies() []Company { return embedded("company.txt", companyFile, ParseCompanies) }

func embedded[T any](name, text string, parse func(io.Reader) ([]T, error)) []T {
	all, err := parse(strings.NewReader(text))
	if err != nil {
		panic("sim: " + name + ": " + err.Error())
	}
	return all
}
