package sim

import _ "embed"

//go:embed company.txt
var companyFile string

// Companies returns the companies that come with the package, in the order of
// their file, sim/company.txt. The slice is the caller's. It panics if the
// embedded file is broken, which its test excludes.
func Companies() []Company { return embedded("company.txt", companyFile, ParseCompanies) }
