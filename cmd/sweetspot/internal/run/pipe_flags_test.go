package run_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "500": 500, "64k": 64_000, "64K": 64 << 10, "10M": 10 << 20, "1G": 1 << 30, "1.5K": 1536,
	} {
		if got, err := run.BlockSize(text); got != want || err != nil {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "k", "-1", "x", "1kk", "2G", "1T", "0.5", "NaN", "+Inf", "0x10", "1 k", "B", "9999999999999999999", "1e300"} {
		if got, err := run.BlockSize(text); err == nil || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%q: %d, %v, want an error that says what is right", text, got, err)
		}
	}
}
