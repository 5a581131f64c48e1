package sense_test

import (
	"math"
	"math/big"
	"regexp"
	"testing"

	"github.com/sweetspot-go/sweetspot/sense"
)

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		in   string
		v    uint64
		rest string
		ok   bool
	}{
		{"0\n", 0, "\n", true},
		{"  \t42 7", 42, " 7", true},
		{"18446744073709551615", math.MaxUint64, "", true},
		{"18446744073709551616x", math.MaxUint64, "x", true},
		{"99999999999999999999999", math.MaxUint64, "", true},
		{"max\n", 0, "max\n", false},
		{"-1\n", 0, "-1\n", false},
		{"", 0, "", false},
		{"\n5", 0, "\n5", false},
	} {
		v, rest, ok := sense.Number([]byte(c.in))
		if v != c.v || string(rest) != c.rest || ok != c.ok {
			t.Errorf("%q: %d, %q, %v; want %d, %q, %v", c.in, v, rest, ok, c.v, c.rest, c.ok)
		}
	}
}

func TestValue(t *testing.T) {
	text := []byte("MemTotalHuge: 3\nMemTotal:       24684084 kB\nfile 9\ninactive_file 12\n bad 1\nempty\n")
	for key, want := range map[string]uint64{"MemTotal:": 24684084, "inactive_file ": 12, "file ": 9} {
		if v, ok := sense.Value(text, key); v != want || !ok {
			t.Errorf("%q: %d, %v; want %d", key, v, ok, want)
		}
	}
	for _, key := range []string{"bad ", "empty", "MemFree:"} {
		if v, ok := sense.Value(text, key); ok {
			t.Errorf("%q: %d, want nothing", key, v)
		}
	}
}

var leading = regexp.MustCompile(`^[ \t]*([0-9]+)`)

func FuzzNumber(f *testing.F) {
	f.Add([]byte("123 4"))
	f.Add([]byte("18446744073709551616"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, rest, ok := sense.Number(b)
		m := leading.FindSubmatch(b)
		if ok != (m != nil) {
			t.Fatalf("%q: ok %v", b, ok)
		}
		if !ok {
			return
		}
		want, _ := new(big.Int).SetString(string(m[1]), 10)
		if !want.IsUint64() {
			want.SetUint64(math.MaxUint64)
		}
		if v != want.Uint64() || len(rest) != len(b)-len(m[0]) {
			t.Fatalf("%q: %d and %q, want %v", b, v, rest, want)
		}
	})
}
