package run_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestOverloadStatus(t *testing.T) {
	for _, c := range []struct {
		end  run.Ending
		cut  bool
		want sweetspot.Outcome
	}{
		{run.Ending{}, false, sweetspot.Done},
		{run.Ending{Status: 1}, false, sweetspot.Ignored},
		{run.Ending{Status: 75}, false, sweetspot.Overloaded},
		{run.Ending{Status: 69}, false, sweetspot.Overloaded},
		{run.Ending{Status: 75}, true, sweetspot.Ignored}, // the run ended it
		{run.Ending{Status: -1, Signal: 15}, false, sweetspot.Ignored},
	} {
		if got, err := run.OutcomeOf("69, 75", c.end, c.cut); got != c.want || err != nil {
			t.Errorf("%+v, cut %v: outcome %v, %v; want %v", c.end, c.cut, got, err, c.want)
		}
	}
	for _, list := range []string{"", "0", "256", "-1", "75,", "x"} {
		if _, err := run.OutcomeOf(list, run.Ending{}, false); err == nil {
			t.Errorf("%q is accepted", list)
		}
	}
}
