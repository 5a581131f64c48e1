package dissect_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

func TestFileName(t *testing.T) {
	if got := dissect.FileName("BenchmarkA_b"); got != "BenchmarkA_b" {
		t.Errorf("a name that fits becomes %s", got)
	}
	seen := map[string]string{}
	long := "Benchmark/" + strings.Repeat("ü", 300)
	for _, name := range []string{"A_b", "A/b", "A b", long + "1", long + "2"} {
		got := dissect.FileName(name)
		if seen[got] != "" || len(got) > 255 || !utf8.ValidString(got) || strings.ContainsAny(got, "/ ") {
			t.Errorf("%s becomes %s, as does %q", name, got, seen[got])
		}
		seen[got] = name
	}
}
