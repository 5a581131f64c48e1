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
		{ID: "A1", Holds: true, Ours: ours(1.1, 1.2)},
		{ID: "A2", Ours: ours(1, 1.2)},
		{ID: "A3", Holds: true, Ours: ours(0.8, 1)},
		{ID: "A4", Ours: ours(0.8, 0.99)},
		{ID: "A5", Holds: true},
		{ID: "A6", Error: "broken", Ours: ours(2, 3)},
	}}
	want := figures.Count{Shown: 3, Hidden: 2, Ahead: 1, Level: 2, Behind: 1, Failed: []string{"A6"}}
	if got := f.Count(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
