package sim

import "github.com/sweetspot-go/sweetspot/control"

// An account is a Reading that counts units as they end. The rest of it is its owner's.
type account struct {
	control.Reading
	late  float64 // s; from then on the controller counts a unit as late; 0: it does not
	epoch int32   // how often the limit has changed
}

// watch counts what a controller wants to know.
func (a *account) watch(c control.Controller) {
	if reader, ok := c.(control.LatencyReader); ok && reader.LateAfter() > 0 {
		a.Latencies, a.late = new(control.Histogram), reader.LateAfter().Seconds()
	}
}

// resized says that the limit has changed.
func (a *account) resized() {
	a.epoch++
	a.TimedSince, a.ResidenceSince = 0, 0
}

// completed counts a unit that began in an epoch and took t seconds.
func (a *account) completed(t float64, epoch int32) {
	a.Completed++
	a.Residence += t
	a.Residence2 += t * t
	if epoch == a.epoch {
		a.TimedSince++
		a.ResidenceSince += t
	}
	if a.late > 0 && t > a.late {
		a.Late++
	}
	if a.Latencies != nil {
		a.Latencies.Add(t)
	}
}
