package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// The files that are wrong on 32-bit Windows, and in what; and what is right there.
var files = map[string]string{
	"go.mod":           "module m\n\ngo 1.26.0\n",
	"wide/wide.go":     "package wide\n\nvar Wide int = 1 << 40\n",
	"wide/ok_linux.go": "package wide\n\nvar Elsewhere = nowhere\n",

	"own/own.go":         "package own\n\nfunc Own() int { return own() }\n",
	"own/own_windows.go": "package own\n\nimport \"syscall\"\n\nfunc own() int { return syscall.Getpgrp() }\n",
	"own/own_linux.go":   "package own\n\nfunc own() int { return 1 }\n",

	"tested/tested.go":              "package tested\n\nfunc Tested() int { return 1 }\n",
	"tested/tested_windows_test.go": "package tested\n\nvar text string = Tested()\n",

	"shift/shift.go": "package shift\n\nfunc High(x int, y int64, n int) int {\n\tx <<= 31\n\tx = x<<n + 1<<20\n\ty >>= 32\n\treturn x>>32 + int(y)\n}\n",

	"seen/seen.go":        "package seen\n\nfunc hidden() {}\n",
	"seen/export_test.go": "package seen\n\nvar Hidden = hidden\n",
	"seen/seen_test.go":   "package seen_test\n\nimport \"m/seen\"\n\nfunc init() { seen.Hidden(); seen.Absent() }\n",

	"parse/parse.go": "package parse\n\nfunc\n",
	"needs/needs.go": "package needs\n\nimport (\n\t_ \"m/wide\"\n\t\"unsafe\"\n)\n\nvar word [4]byte = [unsafe.Sizeof(0)]byte{}\n",
	"newer/newer.go": "package newer\n\nfunc f() int {}\n",
}

var want = []string{
	`newer/newer\.go:3:15: missing return`,
	`own/own_windows\.go:5:33: undefined: syscall\.Getpgrp`,
	`parse/parse\.go:3:6: expected .*`,
	`seen/seen_test\.go:5:35: undefined: seen\.Absent`,
	`shift/shift\.go:7:9: x \(32 bits\) too small for shift of 32`,
	`tested/tested_windows_test\.go:3:19: cannot use Tested\(\) .*`,
	`wide/wide\.go:3:16: cannot use 1 << 40 .*overflows.*`,
}

// What does not compile on a system is told, each fault once, and nothing else.
func TestFaultsAreTold(t *testing.T) {
	rerun.Skip(t)
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for k, v := range map[string]string{"GOOS": "windows", "GOARCH": "386", "GOWORK": "off", "GOFLAGS": ""} {
		t.Setenv(k, v)
	}
	var got []string
	for _, fault := range typecheck(dir, []string{"./..."}) {
		got = append(got, strings.TrimPrefix(filepath.ToSlash(fault), filepath.ToSlash(dir)+"/"))
	}
	slices.Sort(got)
	for i, line := range got {
		if i >= len(want) || !regexp.MustCompile("^"+want[i]+"$").MatchString(line) {
			t.Errorf("%d: %s", i, line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d faults are told; there are %d", len(got), len(want))
	}
}

// What go list cannot find is an error, not an empty list.
func TestMissingPackagesAreTold(t *testing.T) {
	rerun.Skip(t)
	dir := t.TempDir()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	for name, text := range map[string]string{"go.mod": files["go.mod"], "a.go": "package a\n\nimport _ \"m/absent\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	faults := typecheck(dir, []string{"./..."})
	if len(faults) != 1 || !strings.Contains(faults[0], "m/absent") {
		t.Error(faults)
	}
}
