package lab

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A diagnosis records two points of an experiment.
type diagnosis struct {
	runner
	e     *experiment
	pair  [2]*subject
	dir   string
	clean func() // ends the life of the recordings
}

// compare records both points in turn, with each instrument, round after round.
func (d *diagnosis) compare(ctx context.Context) (*dissect.Comparison, error) {
	var names [2]string
	var subjects []*subject
	for i, s := range d.pair {
		names[i] = nameAt(d.e, s.p.label, s.p.x)
		for _, instrument := range dissect.Instruments() {
			subjects = append(subjects, &subject{e: d.e, p: s.p, n: s.n, record: &recording{Instrument: instrument, Least: d.least(instrument)}})
		}
	}
	if d.pair[0].p.label == d.pair[1].p.label {
		for i, s := range d.pair {
			names[i] = fmt.Sprintf("%g %s", s.p.x, d.e.axis.Name)
			if s.p.x == 1 {
				names[i] = humanize.Count(1, d.e.axis.Name)
			}
		}
	}
	defer d.progress.clear()
	var recorded [2][]*dissect.Recording
	for round := range d.rounds {
		for i := range subjects {
			// Every other round begins with the other point.
			start := round * len(subjects) / 2
			s := subjects[(start+i)%len(subjects)]
			s.record.Dir = d.placeOf(&s.p, round)
			if err := os.MkdirAll(s.record.Dir, 0o777); err != nil {
				return nil, err
			}
			d.progress.show(round, d.rounds, i, start, subjects)
			if err := d.sample(ctx, s); err != nil {
				if cause := context.Cause(ctx); cause != nil {
					return nil, fmt.Errorf("stopped in round %d of %d: %w", round+1, d.rounds, cause)
				}
				return nil, fmt.Errorf("%s, %s: %w", s.p.name(), s.record.Instrument, err)
			}
		}
		for i := range d.pair {
			r, err := dissect.Open(d.placeOf(&d.pair[i].p, round))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", names[i], err)
			}
			recorded[i] = append(recorded[i], r)
		}
	}
	return dissect.Compare(names[0], recorded[0], names[1], recorded[1])
}

const (
	profiledFull = 2 * time.Second
	// traced is enough for the scheduler to do what it does.
	traced = 50 * time.Millisecond
)

// A profile takes a hundred samples a second on each CPU, so in this time shares are known to
// some per cent. It is a variable because tests look at no share.
var profiledQuick = time.Second

func (d *diagnosis) least(i dissect.Instrument) time.Duration {
	if i == dissect.Trace {
		return traced
	}
	return by(d.scale, profiledQuick, profiledFull, profiledFull)
}

// placeOf returns the directory of a point's recordings of a round.
func (d *diagnosis) placeOf(p *point, round int) string {
	return filepath.Join(d.dir, dissect.FileName(fmt.Sprintf("%s-%g", p.label, p.x)), strconv.Itoa(round+1))
}

// hashingSource is the work of A1 to A8, for the compiler to analyse: a file that needs
// no other file of this package.
//
//go:embed hashing.go
var hashingSource []byte

// sources returns the files with the work of an experiment, as far as they compile
// by themselves.
func (e *experiment) sources() []dissect.Source {
	if e.id[0] != 'A' || e.id == "A9" {
		return nil
	}
	return []dissect.Source{{Name: "hashing.go", Text: hashingSource}}
}

// A recording says which instrument records a point, and where it leaves the
// result.
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

// work is the task in the form that is recorded.
func (t *task) work() dissect.Work {
	return dissect.Work{Before: t.before, Run: t.run, Check: t.check, Once: t.once}
}
