package dissect_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

func TestFileName(t *testing.T) {
	if got := dissect.FileName("BenchmarkA/b c"); got != "BenchmarkA_b_c" {
		t.Errorf("a short name becomes %s", got)
	}
	long := "Benchmark/" + strings.Repeat("ü", 300)
	a, b := dissect.FileName(long+"1"), dissect.FileName(long+"2")
	if a == b || len(a) > 255 || !utf8.ValidString(a) {
		t.Errorf("long names become %s and %s", a, b)
	}
}
