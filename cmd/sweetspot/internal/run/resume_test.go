package run_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestUsesSlot(t *testing.T) {
	for word, want := range map[string]bool{"{}": false, "x{#}": false, "x{%}": true, "{%}": true, "{1}": false, "%": false} {
		if got, err := run.UsesSlot("echo", word); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", word, got, err, want)
		}
	}
}
