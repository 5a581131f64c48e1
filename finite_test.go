package sweetspot_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/sense"
)

// idleMachine senses two CPUs that nobody uses.
type idleMachine struct{}

func (idleMachine) Sense(int) sense.Sample { return sense.Sample{CPUs: 2, Tick: 0.004} }

// A list of 200 waits is over in a few times as long as one takes, from a cold start at two.
func TestColdList(t *testing.T) {
	for _, c := range []struct{ each, most time.Duration }{
		{50 * time.Millisecond, 600 * time.Millisecond},
		{300 * time.Millisecond, time.Second},
		{2 * time.Second, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			_, err := sweetspot.Map(t.Context(), make([]int, 200), func(context.Context, int) (int, error) {
				time.Sleep(c.each)
				return 0, nil
			}, sweetspot.New(sweetspot.Sensor(idleMachine{}), sweetspot.Start(2)))
			if took := time.Since(began); err != nil || took > c.most {
				t.Errorf("200 waits of %v took %v, want %v at most; %v", c.each, took, c.most, err)
			}
		})
	}
}
