package run

import "github.com/sweetspot-go/sweetspot/control"

// mostJobs is the most that -j 0 runs at a time: more than xargs -P 0 or
// parallel -j 0 reach in practice, and no danger to the kernel's tables.
const mostJobs = 10_000

// most is the law of -j 0: as many jobs as the machine allows. It always asks
// for more; what memory, processes and files allow is looked at while the number
// grows, and is known better the more jobs have run, so it is not a number that
// could be told at the start.
type most struct{ started bool }

// Next asks for mostJobs. It implements [control.Controller].
func (m *most) Next(r control.Reading) control.Decision {
	d := control.Decision{Limit: mostJobs}
	if !m.started {
		m.started = true
		d.Reason = control.Reason{Kind: control.Start, From: r.Limit, To: r.Limit, Note: "as many as the machine allows"}
	}
	return d
}
