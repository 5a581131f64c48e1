package usage_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
)

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"gzip", "gizp", 1}, {"gzip", "gzpi", 1}, {"gzip", "zip", 1}, {"grep", "egrep", 1}, {"kitten", "sitting", 3}, {"abc", "cab", 2}} {
		if got := usage.Slips(c.a, c.b, 5); got != c.want {
			t.Errorf("Slips(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := usage.Slips(c.b, c.a, 5); got != c.want {
			t.Errorf("Slips(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
