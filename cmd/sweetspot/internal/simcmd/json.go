package simcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/sweetspot-go/sweetspot/sim"
)

// version is that of all machine-readable output of this command. Keys may be
// added under one version; none is renamed.
const version = 2

// document is the whole JSON output. The first controller is at the top level.
type document struct {
	Version int      `json:"version"`
	Seeds   []uint64 `json:"seeds"`
	judged
	Controllers []judged `json:"controllers"` // the others
}

type judged struct {
	Controller string         `json:"controller"`
	Scenarios  []scenarioJSON `json:"scenarios"`
	Mean       float64        `json:"mean"`
	MeanWorst  float64        `json:"mean_worst"`
	Min        float64        `json:"min"`
}

type scenarioJSON struct {
	Name           string   `json:"name"`
	NStar          int      `json:"nstar"`
	Score          float64  `json:"score"`
	Worst          float64  `json:"worst"`
	Last           float64  `json:"last"`
	Settled        optional `json:"settled"`
	Ratio          float64  `json:"ratio"`
	T95            optional `json:"t95"`
	Recover        optional `json:"recover"`
	Act            float64  `json:"act"`
	NeverT95       int      `json:"never_t95"`
	NeverRecovered int      `json:"never_recovered"`
}

// optional is a number that JSON writes as null when it is not finite.
type optional float64

func (x optional) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// number is a finite number that is written with six digits: more would be
// noise, and traces are long.
type number float64

func (x number) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%.6g", float64(x)), nil }

func (r *result) writeJSON(w io.Writer) error {
	d := document{Version: version, Seeds: r.Seeds, Controllers: []judged{}}
	for i, v := range r.Verdicts {
		j := judgedOf(r.Names[i], v)
		if i == 0 {
			d.judged = j
		} else {
			d.Controllers = append(d.Controllers, j)
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

func judgedOf(name string, v *sim.Verdict) judged {
	j := judged{Controller: name, Mean: v.Mean, MeanWorst: v.MeanWorst, Min: v.Min}
	for _, r := range v.Rows {
		j.Scenarios = append(j.Scenarios, scenarioJSON{
			Name: r.Name, NStar: r.NStar, Score: r.Score, Worst: r.Worst,
			Last: r.Last, Settled: optional(r.Settled), Ratio: r.Ratio,
			T95: optional(r.T95), Recover: optional(r.Recover), Act: r.Act,
			NeverT95: r.NeverT95, NeverRecovered: r.NeverRecovered,
		})
	}
	return j
}
