package humanize_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.00001234: "1.23e-05", 0.01234: "0.0123", 0.5: "0.500", -0.97: "-0.970", 0.9996: "1.00", 0.09996: "0.100", -0.0009998: "-0.00100", 0.09994: "0.0999", 1.234: "1.23",
		-1.234: "-1.23", 9.996: "10.0", 99.94: "99.9", 99.96: "100", 999.4: "999", 999.6: "1,000", 1234.5: "1,235", 1e16: "1e+16",
	} {
		if got := humanize.Number(v); got != want {
			t.Errorf("Number(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestMissing(t *testing.T) {
	for want, v := range map[string]float64{"-": math.NaN(), "never": math.Inf(1), "1.50": 1.5} {
		if got := humanize.Missing(v); got != want {
			t.Errorf("Missing(%v) = %s, want %s", v, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		of   string
		want string
	}{
		{0, "runs", "0 runs"},
		{1, "runs", "1 run"},
		{2, "runs", "2 runs"},
		{1, "real units", "1 real unit"},
		{1, "units of 10,000 hashes", "1 unit of 10,000 hashes"},
		{1, "processes", "1 process"},
		{1, "waiting units", "1 waiting unit"},
		{1, "million numbers", "1 million numbers"},
		{1, "µs of CPU", "1 µs of CPU"},
		{1_000_000, "ints", "1,000,000 ints"},
	} {
		if got := humanize.Count(c.n, c.of); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.n, c.of, got, c.want)
		}
	}
}
