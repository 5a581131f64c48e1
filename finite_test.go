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

func (idleMachine) Sense(int) sense.Sample { return sense.Sample{CPUs: 2, Tick: 0.004, Asleep: 1} }

// fullMachine senses two CPUs that others fill.
type fullMachine struct{ began time.Time }

func (m fullMachine) Sense(int) sense.Sample {
	return sense.Sample{CPUs: 2, Tick: 0.004, Asleep: 1, MachineCPU: 2 * time.Since(m.began).Seconds()}
}

// A list of 200 waits is over in a few times as long as one takes, from a cold start at two,
// also where others fill the CPUs.
func TestColdList(t *testing.T) {
	for _, c := range []struct{ each, most time.Duration }{
		{20 * time.Millisecond, 400 * time.Millisecond},
		{50 * time.Millisecond, 600 * time.Millisecond},
		{300 * time.Millisecond, time.Second},
		{2 * time.Second, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, machine := range []sense.Sensor{idleMachine{}, fullMachine{time.Now()}} {
				began := time.Now()
				_, err := sweetspot.Map(t.Context(), make([]int, 200), func(context.Context, int) (int, error) {
					time.Sleep(c.each)
					return 0, nil
				}, sweetspot.New(sweetspot.Sensor(machine), sweetspot.Start(2)))
				took := time.Since(began)
				t.Logf("200 waits of %v took %v with %T", c.each, took, machine)
				if err != nil || took > c.most {
					t.Errorf("200 waits of %v took %v with %T, want %v at most; %v", c.each, took, machine, c.most, err)
				}
			}
		})
	}
}
