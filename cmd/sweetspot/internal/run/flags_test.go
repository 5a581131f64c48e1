package run_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestEachFlagHasASummaryOfALine(t *testing.T) {
	for name, summary := range run.FlagSummaries() {
		if n := utf8.RuneCountInString(summary); n == 0 || n > 74 || strings.HasSuffix(summary, ".") {
			t.Errorf("--%s: %q has %d characters, want 1 to 74 without a full stop", name, summary, n)
		}
	}
}

func TestCountFlagRefuses(t *testing.T) {
	for _, text := range []string{"", "0", "-1", "1.5", "x", "99999999999", "1e3", " 1"} {
		c := run.Command()
		err := c.ParseFlags([]string{"--max", text})
		if err == nil || !strings.Contains(err.Error(), "1 or more") {
			t.Errorf("--max %q: error %v, want one that says what is right", text, err)
		}
	}
}
