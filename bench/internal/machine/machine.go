// Package machine describes what benchmarks ran on.
package machine

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Describe returns the model of the CPU, how many there are, the system and the
// version of Go, for the head of a report.
func Describe() string {
	return fmt.Sprintf("%s, %d CPUs, %s/%s, %s", CPU(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// CPU returns the name of the CPU where Linux tells it, otherwise "unknown CPU".
func CPU() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown CPU"
	}
	defer f.Close()
	name, virtual := "unknown CPU", ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch strings.TrimSpace(key) {
		case "model name":
			name = strings.TrimSpace(value)
		case "flags":
			for flag := range strings.FieldsSeq(value) {
				if flag == "hypervisor" {
					virtual = " (virtual machine)"
				}
			}
		}
	}
	return name + virtual
}
