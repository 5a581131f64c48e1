package sim

import _ "embed"

//go:embed servers.txt
var serverFile string

// Servers returns the scenarios that laws for servers are judged on by [Serve], in
// the order of their file, sim/servers.txt. The slice is the caller's. It panics if
// the embedded file is broken, which its test excludes.
func Servers() []Scenario { return embedded("servers.txt", serverFile, Parse) }
