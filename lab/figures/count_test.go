package figures_test

import (
	"reflect"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func TestCount(t *testing.T) {
	ours := func(low, high float64) *figures.Ours {
		return &figures.Ours{Ratio: (low + high) / 2, Low: low, High: high}
	}
	f := figures.File{Experiments: []figures.Experiment{
		{ID: "A1", Effect: figures.Shows, Ours: ours(1.1, 1.2)},
		{ID: "A2", Effect: figures.Absent, Ours: ours(1, 1.2)},
		{ID: "A3", Effect: figures.Shows, Ours: ours(0.8, 1)},
		{ID: "A4", Effect: figures.Untold, Ours: ours(0.8, 0.99)},
		{ID: "A5", Effect: figures.Baseline},
		{ID: "A6", Error: "broken", Ours: ours(2, 3)},
		{ID: "A7", Effect: figures.Shows, Ours: &figures.Ours{Ratio: 8, Low: 7, High: 9, Avoids: "the work"}},
	}}
	want := figures.Count{Shown: 3, Absent: 1, Untold: 1, Baselines: 1, Ahead: 1, Level: 2, Behind: 1, Other: 1, Failed: []string{"A6"}}
	if got := f.Count(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
