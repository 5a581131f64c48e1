package sim

import "github.com/sweetspot-go/sweetspot/control"

// A ScaleRow is how a law did with one service: medians over the seeds. The
// columns are those of [ScaleResult].
type ScaleRow struct {
	Name                    string
	Arrived                 float64
	Waiting, Mean, P99      float64
	ReplicaSeconds          float64
	Peak, PeakNeed, Changes float64
	Overshoot               float64
	Excess, Shortage        float64
	First                   *ScaleResult // of the first seed, with its trace
}

// JudgeScaler runs every service with every seed, each with a fresh law, on
// all CPUs, and returns a row for each service. The outcome does not depend on
// how many CPUs there are. newScaler is called by several goroutines.
func JudgeScaler(services []Service, seeds []uint64, newScaler func(Service) control.Scaler) ([]ScaleRow, error) {
	return judgeAll(services, seeds, func(s Service, seed uint64) (*ScaleResult, error) {
		r, err := Autoscale(s, seed, newScaler(s))
		if err == nil && seed != seeds[0] {
			r.Trace = nil
		}
		return r, err
	}, func(s Service, rs runs[*ScaleResult]) ScaleRow {
		row := ScaleRow{Name: s.Name, First: rs[0]}
		rs.medians(&row)
		return row
	})
}
