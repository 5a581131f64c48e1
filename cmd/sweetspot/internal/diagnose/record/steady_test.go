package record_test

import (
	"runtime"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/record"
)

func TestSteadiness(t *testing.T) {
	all := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		procs       []int
		least, most int
	}{
		{nil, 1, all},
		{[]int{1}, 1, 1},
		{[]int{2}, 2, 2},
		{[]int{3, 2}, 2, 3},
		{[]int{2, 1}, 1, 2},
	} {
		least, most, got := record.Steadiness(c.procs...)
		if least != c.least || most != c.most {
			t.Errorf("of %v %d is compared with %d, want %d with %d", c.procs, most, least, c.most, c.least)
		}
		if got < 1 || got > 10 || least == most && got != 1 {
			t.Errorf("%d CPUs take %g times as much each as %d", most, got, least)
		}
	}
	if now := runtime.GOMAXPROCS(0); now != all {
		t.Errorf("GOMAXPROCS was %d, and is %d", all, now)
	}
}
