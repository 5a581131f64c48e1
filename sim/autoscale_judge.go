package sim

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot/control"
)

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
	if len(services) == 0 || len(seeds) == 0 {
		return nil, fmt.Errorf("sim: nothing to judge: want at least one service and one seed")
	}
	results := make([]*ScaleResult, len(services)*len(seeds))
	if err := each(len(results), func(i int) error {
		s := services[i/len(seeds)]
		r, err := Autoscale(s, seeds[i%len(seeds)], newScaler(s))
		if err == nil && i%len(seeds) != 0 {
			r.Trace = nil
		}
		results[i] = r
		return err
	}); err != nil {
		return nil, err
	}
	var rows []ScaleRow
	for i, s := range services {
		rows = append(rows, newScaleRow(s.Name, results[i*len(seeds):(i+1)*len(seeds)]))
	}
	return rows, nil
}

func newScaleRow(name string, results []*ScaleResult) ScaleRow {
	middle := func(f func(*ScaleResult) float64) float64 {
		var xs []float64
		for _, r := range results {
			xs = append(xs, f(r))
		}
		slices.Sort(xs)
		return median(xs)
	}
	return ScaleRow{
		Name:           name,
		Arrived:        middle(func(r *ScaleResult) float64 { return float64(r.Arrived) }),
		Waiting:        middle(func(r *ScaleResult) float64 { return r.Waiting }),
		Mean:           middle(func(r *ScaleResult) float64 { return r.Mean }),
		P99:            middle(func(r *ScaleResult) float64 { return r.P99 }),
		ReplicaSeconds: middle(func(r *ScaleResult) float64 { return r.ReplicaSeconds }),
		Peak:           middle(func(r *ScaleResult) float64 { return float64(r.Peak) }),
		PeakNeed:       middle(func(r *ScaleResult) float64 { return float64(r.PeakNeed) }),
		Changes:        middle(func(r *ScaleResult) float64 { return float64(r.Changes) }),
		Overshoot:      middle(func(r *ScaleResult) float64 { return r.Overshoot }),
		Excess:         middle(func(r *ScaleResult) float64 { return r.Excess }),
		Shortage:       middle(func(r *ScaleResult) float64 { return r.Shortage }),
		First:          results[0],
	}
}
