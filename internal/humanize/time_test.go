package humanize_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func TestParseTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"5": 5 * time.Second, "0": 0, "0.5": 500 * time.Millisecond, "2m": 2 * time.Minute, "10ms": 10 * time.Millisecond,
		"1h30m": 90 * time.Minute, "1d": 24 * time.Hour, "1.5d": 36 * time.Hour, "1d12h": 36 * time.Hour,
		"1.001": 1001 * time.Millisecond, "4.35s": 4350 * time.Millisecond, "0.000000003": 3,
	} {
		var flag humanize.Time
		if err := flag.Set(text); err != nil || time.Duration(flag) != want {
			t.Errorf("%s: %v, %v, want %v", text, time.Duration(flag), err, want)
		}
	}
	for _, text := range []string{"", "-1", "-1s", "x", "d", "1dx", "1d1d", "NaN", "NaNd", "inf", "+Inf", "1e300", "5 s"} {
		if got, err := humanize.ParseTime(text); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%q: %v, %v, want an error that says what would be right", text, got, err)
		}
	}
}

// Help shows the default of a flag, and nothing where the default is 0.
func TestTimeString(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0", 5 * time.Second: "5s"} {
		if got := (*humanize.Time)(&d).String(); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
