package sim

import (
	_ "embed"
	"strings"
)

//go:embed company.txt
var companyFile string

// Companies returns the companies that come with the package, in the order of
// their file, sim/company.txt. The slice is the caller's. It panics if the
// embedded file is broken, which its test excludes.
func Companies() []Company {
	c, err := ParseCompanies(strings.NewReader(companyFile))
	if err != nil {
		panic("sim: company.txt: " + err.Error())
	}
	return c
}
