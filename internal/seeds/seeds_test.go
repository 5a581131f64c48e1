package seeds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/seeds"
)

func TestParse(t *testing.T) {
	for text, want := range map[string][]uint64{
		"1-3": {1, 2, 3}, "7": {7}, "0": {0}, "5,1, 8-9": {5, 1, 8, 9}, "9223372036854775807": {1<<63 - 1},
	} {
		if got, err := seeds.Parse(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	if got, err := seeds.Parse("1-10000"); err != nil || len(got) != 10_000 {
		t.Errorf("10000 seeds: %d, %v", len(got), err)
	}
	for text, want := range map[string]string{
		"": "want numbers", "x": "want numbers", "3-1": "want numbers", "-1": "want numbers", "1,,2": "want numbers", "1-2-3": "want numbers",
		"18446744073709551615": "want numbers", "1-10001": "at most 10000", "0-9223372036854775807": "at most 10000",
		"1-9000,10001-19000": "at most 10000", "1-3,2": "seed 2 is there twice",
	} {
		if got, err := seeds.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want an error with %q", text, got, err, want)
		}
	}
}
