package figures

import (
	"fmt"
	"slices"
	"time"
)

// Later says when an experiment was measured that is not of the run itself.
type Later struct {
	Began   time.Time `json:"began"`
	Version string    `json:"version,omitempty"`
	Commit  string    `json:"commit,omitempty"`
}

// Put puts the experiments of a later run into f, in place of its own, or else behind them; those
// that failed are left out. It returns an error, and leaves f as it was, if the two do not compare:
// if they are of another machine, size of the work, confidence, or behaviour of the law.
func (f *File) Put(later *File) error {
	if err := f.compares(later); err != nil {
		return err
	}
	m := later.Machine
	for _, e := range later.Experiments {
		if e.Error != "" {
			continue
		}
		e.Later = &Later{Began: later.Run.Began, Version: m.Version, Commit: m.Commit}
		if e.Rounds == 0 && later.Run.Rounds != f.Run.Rounds {
			e.Rounds = later.Run.Rounds
		}
		if i := slices.IndexFunc(f.Experiments, func(x Experiment) bool { return x.ID == e.ID }); i >= 0 {
			f.Experiments[i] = e
		} else {
			f.Experiments = append(f.Experiments, e)
		}
	}
	return nil
}

// compares says why figures of g do not belong beside those of f.
func (f *File) compares(g *File) error {
	a, b := f.Machine, g.Machine
	for _, x := range []struct{ what, here, there string }{
		{"the CPU", a.Model, b.Model},
		{"the number of CPUs", fmt.Sprint(a.CPUs), fmt.Sprint(b.CPUs)},
		{"the system", a.OS + "/" + a.Arch, b.OS + "/" + b.Arch},
		{"Go", a.Go, b.Go},
		{"the size of the work", f.Run.Scale, g.Run.Scale},
		{"the confidence", fmt.Sprint(f.Run.Confidence), fmt.Sprint(g.Run.Confidence)},
		{"the behaviour of the law and the calls", f.Run.Behaviour, g.Run.Behaviour},
	} {
		if x.here != x.there {
			return fmt.Errorf("%s is %s, and in the figures there %s: they do not compare, run all", x.what, x.there, x.here)
		}
	}
	return nil
}
