package run_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestMemorySizes(t *testing.T) {
	for text, want := range map[string]float64{
		"1": 1, "1500": 1500, "1K": 1024, "1k": 1000, "1.5M": 1.5 * (1 << 20), "2m": 2e6,
		"3G": 3 << 30, "3g": 3e9, "1T": 1 << 40, "1t": 1e12, "1P": 1 << 50, "1p": 1e15,
	} {
		if got, err := run.Memory(text); err != nil || got != want {
			t.Errorf("%s: %g, %v, want %g", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0K", "0.5", "-1", "-1G", "K", "1KB", "1KiB", "1 G", "x", "NaN", "inf", "1e400", "0x10", "1_000"} {
		if got, err := run.Memory(text); err == nil || !strings.Contains(err.Error(), "is not a size: want") {
			t.Errorf("%q: %g, %v", text, got, err)
		}
	}
	for n, want := range map[float64]string{0: "0 bytes", 999: "999 bytes", 1024: "1 KiB", 1536: "1.50 KiB", 1 << 30: "1 GiB", 100 << 40: "100 TiB", 1 << 62: "4,096 PiB"} {
		if got := run.BytesText(n); strings.ReplaceAll(got, "4096", "4,096") != want {
			t.Errorf("%g: %s, want %s", n, got, want)
		}
	}
}

func TestLoadFlag(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "100%": 4, "50%": 2, "+2": 6, "-1": 3, "-9": 1} {
		if got, err := run.LoadFlag(text, 4); err != nil || got != want {
			t.Errorf("--load %s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "auto", "x", "0%", "1.5"} {
		if _, err := run.LoadFlag(text, 4); err == nil || !strings.Contains(err.Error(), "is not a load: want N") {
			t.Errorf("--load %q: %v", text, err)
		}
	}
}

func TestLimitFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--min 3 --max 2":             "--min 3 is above --max 2",
		"--min 0":                     "want 1 or more",
		"--nice 20":                   "want a number from -20",
		"--nice x":                    "want a number from -20",
		"--delay soon":                "not a length of time",
		"--delay -1":                  "not a length of time",
		"--controller newton":         "unknown law",
		"--controller vegas -j 2":     "--law vegas finds the number of jobs",
		"--min 2 --max 2":             "",
		"--nice -20":                  "",
		"--delay 0.5":                 "",
		"--controller vegas":          "",
		"--law vegas --min 2 -j auto": "",
	} {
		err := run.LimitFlags(strings.Fields(args))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// Where the system hides what bounds the number, that is said unless there is a number.
func TestUnbounded(t *testing.T) {
	for args, want := range map[string]bool{"": true, "-j 0": true, "-j 3": false, "--max 9": false} {
		note, err := run.Unbounded("free memory", strings.Fields(args))
		if err != nil || (note != "") != want || want && !strings.Contains(note, "does not show free memory, so they") {
			t.Errorf("run %s: %q, %v", args, note, err)
		}
	}
	if note, err := run.Unbounded("", nil); err != nil || note != "" {
		t.Errorf("where nothing is hidden: %q, %v", note, err)
	}
}
