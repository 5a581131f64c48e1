package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes what was measured on.
func machine(procs int) string {
	return fmt.Sprintf("%s, %d CPUs, %s/%s, %s, GOMAXPROCS 1 and %d", cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), procs)
}

// cpuModel returns the name of the CPU where Linux tells it.
func cpuModel() string {
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
