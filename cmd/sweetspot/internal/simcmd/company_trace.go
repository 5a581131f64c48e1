package simcmd

import (
	"bufio"
	"encoding/json"
	"io"

	"github.com/sweetspot-go/sweetspot/sim"
)

// The lines of a trace of a company that those of a trace of a scenario have not.
type (
	loopChangeLine struct {
		changeLine
		Loop int `json:"loop"`
	}
	loopPointLine struct {
		Type     string `json:"type"` // "point"
		At       number `json:"at"`
		Loop     int    `json:"loop"`
		Limit    int    `json:"limit"`
		InFlight int    `json:"in_flight"`
		Rate     number `json:"rate"`
	}
	loopResultLine struct {
		Type      string   `json:"type"` // "loop", one for each at the end
		Loop      int      `json:"loop"`
		Process   int      `json:"process"`
		Best      int      `json:"best"`
		Score     optional `json:"score"`
		Late      optional `json:"late"`
		Completed int64    `json:"completed"`
		Overloads int64    `json:"overloads"`
		Failed    int64    `json:"failed"`
	}
	companyResultLine struct {
		Type     string   `json:"type"` // "result", the last line
		Score    optional `json:"score"`
		Late     optional `json:"late"`
		Least    optional `json:"least"`
		Jain     optional `json:"jain"`
		Ratio    optional `json:"ratio"`
		Refused  optional `json:"refused"`
		Refusing optional `json:"refusing"`
	}
)

// writeCompanyTrace runs c once and prints what happened, in order of time.
func writeCompanyTrace(out io.Writer, c sim.Company, e entry, seed uint64) error {
	r, err := sim.RunCompany(c, seed, e.make)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(runLine{"run", version, c.Name, e.name, seed, c.CPUs, c.Seconds}); err != nil {
		return err
	}
	next := make([]int, len(r.Loops)) // change of each loop
	for i := range r.Loops[0].Trace {
		for j, l := range r.Loops {
			p := l.Trace[i]
			for ; next[j] < len(l.Changes) && l.Changes[next[j]].At < p.At; next[j]++ {
				c := l.Changes[next[j]]
				if err := lines.Encode(loopChangeLine{changeLine{"change", number(c.At), c.From, c.To, c.Reason.Kind.String(), c.Reason.String()}, j}); err != nil {
					return err
				}
			}
			if err := lines.Encode(loopPointLine{"point", number(p.At), j, p.Limit, p.InFlight, number(p.Rate)}); err != nil {
				return err
			}
		}
	}
	for j, l := range r.Loops {
		if err := lines.Encode(loopResultLine{"loop", j, l.Process, l.Best, optional(l.Score), optional(l.Late), l.Completed, l.Overloads, l.Failed}); err != nil {
			return err
		}
	}
	if err := lines.Encode(companyResultLine{
		"result", optional(r.Score), optional(r.Late), optional(r.Least), optional(r.Jain), optional(r.Ratio), optional(r.Refused), optional(r.Refusing),
	}); err != nil {
		return err
	}
	return w.Flush()
}
