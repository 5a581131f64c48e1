package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// What our packages make before main delays each start, whatever is asked for. Regular
// expressions and tables are made when they are first used.
func TestLittleIsMadeBeforeMain(t *testing.T) {
	if rerun.Raced {
		t.Skip("the race detector makes more: make test runs it without")
	}
	const most = 38 << 10 // bytes; all packages make 37,680, and a regular expression such as ^v[0-9]+$ 2,504
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	packages, total := 0, 0
	var ours strings.Builder
	for line := range strings.Lines(string(trace)) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, "init "), " ")
		if !strings.HasPrefix(name, "github.com/sweetspot-go/sweetspot") || strings.HasSuffix(name, "_test") {
			continue
		}
		var at, took float64
		var bytes int
		if _, err := fmt.Sscanf(rest, "@%f ms, %f ms clock, %d bytes", &at, &took, &bytes); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		packages++
		total += bytes
		ours.WriteString(line)
	}
	if packages == 0 || total > most {
		t.Errorf("%d packages make %d bytes before main, want at most %d:\n%s", packages, total, most, &ours)
	}
}
