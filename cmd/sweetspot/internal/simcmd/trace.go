package simcmd

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"

	"github.com/sweetspot-go/sweetspot/sim"
)

// The lines of a trace, told apart by their type.
type (
	runLine struct {
		Type       string  `json:"type"` // "run", the first line
		Version    int     `json:"version"`
		Scenario   string  `json:"scenario"`
		Controller string  `json:"controller"`
		Seed       uint64  `json:"seed"`
		CPUs       int     `json:"cpus"`
		Seconds    float64 `json:"seconds"`
	}
	changeLine struct {
		Type   string `json:"type"` // "change"
		At     number `json:"at"`
		From   int    `json:"from"`
		To     int    `json:"to"`
		Kind   string `json:"kind"`
		Reason string `json:"reason"`
	}
	pointLine struct {
		Type     string `json:"type"` // "point"
		At       number `json:"at"`
		Limit    int    `json:"limit"`
		InFlight int    `json:"in_flight"`
		NStar    int    `json:"nstar"`
		X        number `json:"x"`
		XBest    number `json:"x_best"`
		Rate     number `json:"rate"`
		CPU      number `json:"cpu"`
	}
	resultLine struct {
		Type      string   `json:"type"` // "result", the last line
		Score     float64  `json:"score"`
		Last      float64  `json:"last"`
		Settled   optional `json:"settled"`
		Ratio     float64  `json:"ratio"`
		T95       optional `json:"t95"`
		Recover   optional `json:"recover"`
		Act       float64  `json:"act"`
		NStar     int      `json:"nstar"`
		Completed int64    `json:"completed"`
	}
)

// writeTrace runs s once and prints what happened, in order of time, a line of JSON each.
func writeTrace(out io.Writer, s sim.Scenario, e entry, seed uint64) error {
	r, err := sim.Run(s, seed, e.make())
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	print := func(line any) { err = cmp.Or(err, lines.Encode(line)) }
	print(runLine{"run", version, s.Name, e.name, seed, s.P, s.Seconds})
	changes := r.Changes
	changesBefore := func(at float64) {
		for ; len(changes) > 0 && changes[0].At < at; changes = changes[1:] {
			c := changes[0]
			print(changeLine{"change", number(c.At), c.From, c.To, c.Reason.Kind.String(), c.Reason.String()})
		}
	}
	for _, p := range r.Trace {
		changesBefore(p.At)
		print(pointLine{"point", number(p.At), p.Limit, p.InFlight, p.NStar, number(p.X), number(p.XBest), number(p.Rate), number(p.Usage)})
	}
	changesBefore(s.Seconds) // a run may end between two points
	print(resultLine{"result", r.Score, r.Last, optional(r.Settled), r.Ratio, optional(r.T95), optional(r.Recover), r.Act, r.NStar, r.Completed})
	return cmp.Or(err, w.Flush())
}
