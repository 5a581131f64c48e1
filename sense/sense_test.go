package sense_test

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/sense"
)

// A licensed sensor knows how many licences there are for what the units run.
type licensed struct {
	sense.Sensor
	licences int
}

func (l licensed) Sense(inFlight int) sense.Sample {
	s := l.Sensor.Sense(inFlight)
	if s.Ceiling == 0 || s.Ceiling > l.licences {
		s.Ceiling, s.Why = l.licences, "the licences"
	}
	return s
}

// A Sensor of your own adds what only you know to what another one reads.
func ExampleSensor() {
	var sensor sense.Sensor = licensed{sense.NewProcess(), 4}
	s := sensor.Sense(1000)
	fmt.Println(s.Ceiling <= 4, s.CPUs > 0)
	// Output: true true
}
