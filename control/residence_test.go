package control_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
)

func TestTimesInWords(t *testing.T) {
	for s, want := range map[float64]string{0.001: "1 ms", 0.0404: "40.4 ms", 0.9994: "999 ms", 0.9996: "1 s", 1.5: "1.5 s", 999.4: "999 s", 1234: "1234 s"} {
		if got := control.Shortly(s); got != want {
			t.Errorf("%v s is %q, want %q", s, got, want)
		}
	}
}
