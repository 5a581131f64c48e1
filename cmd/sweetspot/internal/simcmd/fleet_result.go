package simcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/sim"
)

// Who decides how many jobs are in flight.
const (
	byWorker = "worker"
	byShared = "shared"
	byBest   = "best"
)

// fleetResults is what sim fleet found, for every output.
type fleetResults struct {
	law    entry
	limits []string
	fleets []sim.Fleet // of each name, with each number of workers
	jobs   int
	start  int
	seed   uint64
	rows   []fleetRow
}

// A fleetRow is one run of a fleet.
type fleetRow struct {
	fleet sim.Fleet
	by    string
	limit int // fixed, or the shared one at the end; 0: none
	*sim.FleetResult
	best   float64 // rate over that of the best fixed limit; NaN: not known
	growth float64 // overhead over that of the first number of workers; NaN: this is it
}

func (r *fleetResults) run() error {
	for _, f := range r.fleets {
		best := math.NaN()
		first := len(r.rows)
		for _, by := range r.limits {
			row := fleetRow{fleet: f, by: by, best: math.NaN(), growth: r.growth(f.Name, by)}
			laws := sim.FleetLaws{Worker: r.law.make}
			switch by {
			case byShared:
				laws.Shared, laws.Start = r.law.make, r.start
			case byBest:
				_, n, err := sim.BestFleet(f, r.seed, min(r.jobs, bestJobs))
				if err != nil {
					return err
				}
				row.limit, laws = n, sim.FixedFleet(n)
			}
			var err error
			if row.FleetResult, err = sim.RunFleet(f, r.seed, laws); err != nil {
				return err
			}
			switch by {
			case byShared:
				row.limit = row.Limit
			case byBest:
				best = row.Settled
			}
			row.growth = row.Overhead / row.growth
			r.rows = append(r.rows, row)
		}
		for i := range r.rows[first:] {
			r.rows[first+i].best = r.rows[first+i].Settled / best
		}
	}
	return nil
}

// growth returns the overhead of the first run of a fleet under that limit, NaN if
// there is none.
func (r *fleetResults) growth(name, by string) float64 {
	for _, row := range r.rows {
		if row.fleet.Name == name && row.by == by {
			return row.Overhead
		}
	}
	return math.NaN()
}

// String returns the table for people.
func (r *fleetResults) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d jobs by %s, seed %d; per second, and over the best fixed limit's; what a job costs besides itself, and over the first row's\n", r.jobs, r.law.name, r.seed)
	fmt.Fprintf(&b, "%-8s %7s %-7s %7s %9s %7s %10s %10s %10s %9s %9s %8s %8s\n", "fleet", "workers", "limit", "at end", "jobs/s", "best", "in flight", "mean s", "p99 s", "messages", "ticks", "µs", "growth")
	for _, row := range r.rows {
		n, limit := float64(row.Completed), "-"
		if row.limit > 0 {
			limit = fmt.Sprint(row.limit)
		}
		fmt.Fprintf(&b, "%-8s %7d %-7s %7s %9.4g %7s %10.4g %10.3g %10.3g %9.1f %9.2f %8.1f %8s\n", row.fleet.Name, row.fleet.Workers, row.by, limit,
			row.Settled, ratio(row.best), row.InFlight, row.Residence, row.P99, float64(row.Messages)/n, float64(row.Ticks)/n, 1e6*row.Overhead, ratio(row.growth))
	}
	return b.String()
}

// fleetsJSON is the whole JSON output of sim fleet.
type fleetsJSON struct {
	Version    int         `json:"version"`
	Seed       uint64      `json:"seed"`
	Jobs       int         `json:"jobs"`
	Controller string      `json:"controller"`
	Runs       []fleetJSON `json:"runs"`
}

type fleetJSON struct {
	Fleet     string   `json:"fleet"`
	Workers   int      `json:"workers"`
	By        string   `json:"by"`
	Limit     int      `json:"limit"`
	Seconds   float64  `json:"seconds"`
	Rate      float64  `json:"rate"`
	Settled   float64  `json:"settled"`
	Best      optional `json:"best"`
	InFlight  float64  `json:"in_flight"`
	Peak      int      `json:"peak"`
	Residence float64  `json:"residence"`
	P99       float64  `json:"p99"`
	Messages  int64    `json:"messages"`
	Stores    int64    `json:"stores"`
	Ticks     int64    `json:"ticks"`
	Busy      float64  `json:"busy"`
	Overhead  float64  `json:"overhead"`
	Growth    optional `json:"growth"`
	Events    int64    `json:"events"`
}

func (r *fleetResults) writeJSON(w io.Writer) error {
	d := fleetsJSON{Version: version, Seed: r.seed, Jobs: r.jobs, Controller: r.law.name}
	for _, x := range r.rows {
		d.Runs = append(d.Runs, fleetJSON{
			x.fleet.Name, x.fleet.Workers, x.by, x.limit, x.Seconds, x.Rate, x.Settled, optional(x.best), x.InFlight, x.Peak,
			x.Residence, x.P99, x.Messages, x.Stores, x.Ticks, x.Busy, x.Overhead, optional(x.growth), x.Events,
		})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}
