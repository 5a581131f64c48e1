package humanize_test

import (
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{1_774_277, "ns/run", "1.77 ms/run"},
		{999.4, "ns/op", "999 ns/op"},
		{0.0312, "ns", "0.0312 ns"},
		{0.25, "s", "250 ms"},
		{61, "s", "61.0 s"},
		{1500, "us/unit", "1.50 ms/unit"},
		{12_345, "requests/s", "12,345 requests/s"},
		{4096, "B/op", "4.00 KiB/op"},
		{3, "allocs/unit", "3.00 allocs/unit"},
		{0, "allocs/unit", "0 allocs/unit"},
		{-12.5, "%", "-12.5 %"},
		{-1234567, "", "-1,234,567"},
		{1.5e20, "ns", "150,000,000,000 s"},
		{1.5e20, "", "1.5e+20"},
		{0.5, "sheep", "0.500 sheep"},
	} {
		if got := humanize.Format(c.v, c.unit); got != c.want {
			t.Errorf("Format(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

// Values of a table stand in one unit: that of the least, unless others become
// long.
func TestUnitFor(t *testing.T) {
	for _, c := range []struct {
		values []float64
		name   string
		want   string // of the first value
	}{
		{[]float64{2e6, 0, 3e9}, "ms/run", "2.00"},
		{[]float64{1000, 2e6}, "µs/run", "1.00"},
		{[]float64{12, 3e9}, "µs/run", "0.0120"},
		{[]float64{0, 0}, "ns/run", "0"},
		{nil, "ns/run", ""},
	} {
		u := humanize.UnitFor("ns/run", c.values...)
		if u.Name != c.name {
			t.Errorf("%v: unit %s, want %s", c.values, u.Name, c.name)
		}
		if c.values != nil && u.Number(c.values[0]) != c.want {
			t.Errorf("%v: %s, want %s", c.values, u.Number(c.values[0]), c.want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", -1: "-1", -999: "-999", -1000: "-1,000", 123456789: "123,456,789",
		math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := humanize.Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for unit, want := range map[string]float64{"ns/run": 1e-9, "µs": 1e-6, "us": 1e-6, "ms/op": 1e-3, "s": 1, "requests/s": 0, "": 0} {
		if got, _ := humanize.Seconds(unit); got != want {
			t.Errorf("Seconds(%q) = %v, want %v", unit, got, want)
		}
	}
}
