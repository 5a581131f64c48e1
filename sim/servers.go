package sim

import (
	_ "embed"
	"strings"
)

//go:embed servers.txt
var serverFile string

// Servers returns the scenarios that laws for servers are judged on by [Serve], in
// the order of their file, sim/servers.txt. The slice is the caller's. It panics if
// the embedded file is broken, which its test excludes.
func Servers() []Scenario {
	s, err := Parse(strings.NewReader(serverFile))
	if err != nil {
		panic("sim: servers.txt: " + err.Error())
	}
	return s
}
