package simcmd

import (
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
	return writeLines(out, func(print func(line any)) {
		print(runLine{"run", version, c.Name, e.name, seed, c.CPUs, c.Seconds})
		most := 0
		for _, l := range r.Loops {
			most = max(most, len(l.Trace))
		}
		for i := range most {
			for j := range r.Loops {
				l := &r.Loops[j]
				k := i - (most - len(l.Trace)) // all end at the same time
				if k < 0 {
					continue
				}
				p := l.Trace[k]
				for len(l.Changes) > 0 && l.Changes[0].At < p.At {
					print(loopChangeLine{newChangeLine(l.Changes[0]), j})
					l.Changes = l.Changes[1:]
				}
				print(loopPointLine{"point", number(p.At), j, p.Limit, p.InFlight, number(p.Rate)})
			}
		}
		for j, l := range r.Loops {
			print(loopResultLine{"loop", j, l.Process, l.Best, optional(l.Score), optional(l.Late), l.Completed, l.Overloads, l.Failed})
		}
		print(companyResultLine{
			"result", optional(r.Score), optional(r.Late), optional(r.Least), optional(r.Jain), optional(r.Ratio), optional(r.Refused), optional(r.Refusing),
		})
	})
}
