// Package machine describes what benchmarks ran on.
package machine

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
)

// Describe returns the model of the CPU, how many there are, the system and the
// version of Go, for the head of a report.
func Describe() string {
	return fmt.Sprintf("%s, %d CPUs, %s/%s, %s", CPU(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

var (
	model      = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)
	hypervisor = regexp.MustCompile(`(?m)^flags\s*:.* hypervisor\b`)
)

// CPU returns the name of the CPU where Linux tells it, otherwise "unknown CPU".
func CPU() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	name := "unknown CPU"
	if found := model.FindSubmatch(text); found != nil {
		name = string(found[1])
	}
	if hypervisor.Match(text) {
		name += " (virtual machine)"
	}
	return name
}
