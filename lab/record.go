package lab

import (
	"context"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A recording says which instrument looks at a point, and where it leaves what it
// saw.
type recording struct {
	Dir        string             `json:"dir"`
	Instrument dissect.Instrument `json:"instrument"`
	Least      time.Duration      `json:"least"` // that runs last together
}

// record looks into the runs of a point.
func (p *point) record(o order) error {
	return p.prepared(o, func(t *task) error {
		if !t.cold {
			warm(warmUp)
		}
		return dissect.Record(context.Background(), o.Record.Dir, o.Record.Instrument, t.work(), o.Record.Least)
	})
}

// work is the task as what is looked into.
func (t *task) work() dissect.Work {
	return dissect.Work{Before: t.before, Run: t.run, Check: t.check, Once: t.once}
}
