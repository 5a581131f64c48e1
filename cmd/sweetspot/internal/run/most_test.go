package run_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/control"
)

func TestMostAlwaysAsksForMore(t *testing.T) {
	law := run.NewMost()
	for i, limit := range []int{2, 100, 7} {
		d := law.Next(control.Reading{Limit: limit})
		if d.Limit != run.MostJobs || d.After != 0 {
			t.Errorf("at %d: %+v, want %d at once", limit, d, run.MostJobs)
		}
		if first := d.Reason.Kind == control.Start; first != (i == 0) {
			t.Errorf("decision %d: reason %q", i, d.Reason)
		}
	}
}
