package run

import (
	"encoding/json"
	"io"
	"math"

	"github.com/sweetspot-go/sweetspot"
)

// summaryVersion is that of the JSON schema. Keys may be added under the same
// version; none is renamed, removed or given another meaning.
const summaryVersion = 1

// A summary is what --json writes; the README of the command describes it.
type summary struct {
	Version     int          `json:"version"`
	Jobs        int64        `json:"jobs"`
	Failed      int64        `json:"failed"`
	Seconds     float64      `json:"seconds"`
	Rate        float64      `json:"rate"`
	Suspensions int64        `json:"suspensions"`
	Limit       limitSummary `json:"limit"`
	Trace       []point      `json:"trace"`
	Changes     []change     `json:"changes"`
}

type limitSummary struct {
	Last int     `json:"last"`
	Mean float64 `json:"mean"`
	Max  int     `json:"max"`
}

type change struct {
	At     float64 `json:"at"`
	From   int     `json:"from"`
	To     int     `json:"to"`
	Reason string  `json:"reason"`
}

// summarize sums up a run that took so many seconds.
func summarize(jobs, failed int64, seconds float64, last int, t *trace, decisions []sweetspot.Decision) *summary {
	s := &summary{
		Version: summaryVersion,
		Jobs:    jobs, Failed: failed,
		Seconds: round(seconds), Rate: round(float64(jobs) / max(seconds, 1e-9)),
		Limit:   limitSummary{last, round(t.mean()), max(t.max, last)},
		Trace:   make([]point, 0, len(t.points)),
		Changes: make([]change, 0, len(decisions)),
	}
	for _, p := range t.points {
		p.At, p.Rate, p.CPU = round(p.At), round(p.Rate), round(p.CPU)
		s.Trace = append(s.Trace, p)
	}
	for _, c := range decisions {
		s.Limit.Max = max(s.Limit.Max, c.From, c.To)
		s.Changes = append(s.Changes, change{round(c.At.Seconds()), c.From, c.To, c.Reason.String()})
	}
	return s
}

func (s *summary) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// round keeps a thousandth: a millisecond, a thousandth of a job or of a CPU.
func round(x float64) float64 { return math.Round(1000*x) / 1000 }
