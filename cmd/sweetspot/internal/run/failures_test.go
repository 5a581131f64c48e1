package run_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// However many jobs fail, what is said of them is short.
func TestFailuresAreShort(t *testing.T) {
	lines := run.Failures(1_000_000)
	if len(lines) != 6 || lines[0] != "job 1 failed with exit status 1: false" || !strings.HasPrefix(lines[5], "999,995 more failed") || !strings.HasSuffix(lines[5], "exit status 1: 6-1005; …") {
		t.Errorf("%q", lines)
	}
}
