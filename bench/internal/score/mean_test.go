package score_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/sweetspot-go/sweetspot/bench/internal/score"
)

func ExampleMean() {
	trace := []score.Point{{At: 1, Limit: 10}, {At: 2, Limit: 20}}
	fmt.Println(score.Mean(trace, 0, 2))
	// Output: 15
}

// Late points do not weigh less: samplers are late when the CPUs are busy.
func TestMeanWeighsByTime(t *testing.T) {
	for _, c := range []struct {
		name    string
		points  []score.Point
		seconds float64
		want    float64
	}{
		{"none", nil, 3, 0},
		{"one stays to the end", []score.Point{{0.5, 7}}, 3, 7},
		{"uneven", []score.Point{{2, 9}, {2.1, 1}, {3, 11}}, 3, 10},
		{"beyond the end", []score.Point{{2, 9}, {4, 5}}, 3, 5},
		{"ends early", []score.Point{{2, 9}, {2.5, 5}}, 3, 5},
	} {
		if got := score.Mean(c.points, c.seconds*2/3, c.seconds); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
