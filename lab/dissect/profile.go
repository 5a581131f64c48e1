package dissect

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"time"

	"github.com/google/pprof/profile"
)

// A Profile says where the CPU time of the runs went.
type Profile struct {
	Samples   int
	Wall      float64 // s a run
	Seconds   float64 // of CPU time a run
	Groups    map[Group]float64
	Functions map[string]Function // by name: those that were running, not their callers
}

// A Function has a share of the CPU time. Its group is that in which most of it
// was spent.
type Function struct {
	Group Group
	Share float64
}

// asideLabel marks what is not of the runs.
const asideLabel = "aside"

// aside calls f so that a CPU profile can leave it out.
func aside(ctx context.Context, f func() error) (err error) {
	if f == nil {
		return nil
	}
	pprof.Do(ctx, pprof.Labels(asideLabel, "yes"), func(context.Context) { err = f() })
	return err
}

// ProfileOf runs w under a CPU profile and returns it. It is for a process that
// wants to know of itself.
func ProfileOf(ctx context.Context, w Work, least time.Duration) (*Profile, error) {
	var b bytes.Buffer
	f, err := profileCPU(ctx, &b, w, least)
	if err != nil {
		return nil, err
	}
	raw, err := profile.Parse(&b)
	if err != nil {
		return nil, err
	}
	return profileFrom(raw, f)
}

func profileCPU(ctx context.Context, out io.Writer, w Work, least time.Duration) (Facts, error) {
	if err := pprof.StartCPUProfile(out); err != nil {
		return Facts{}, err
	}
	defer pprof.StopCPUProfile()
	return w.repeat(ctx, w.Run, least)
}

func openProfile(path string, f Facts) (*Profile, error) {
	raw, err := parseProfile(path)
	if err != nil {
		return nil, err
	}
	p, err := profileFrom(raw, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func profileFrom(raw *profile.Profile, f Facts) (*Profile, error) {
	p := &Profile{Wall: f.Wall / float64(f.Runs), Groups: map[Group]float64{}, Functions: map[string]Function{}}
	byFunction := map[string]map[Group]float64{}
	var total float64
	for _, s := range raw.Sample {
		stack := functionsOf(placesOf(s))
		if len(s.Label[asideLabel]) > 0 || len(stack) == 0 {
			continue
		}
		g, spent := groupOf(stack), float64(s.Value[1])
		p.Samples += int(s.Value[0])
		total += spent
		p.Groups[g] += spent
		if byFunction[stack[0]] == nil {
			byFunction[stack[0]] = map[Group]float64{}
		}
		byFunction[stack[0]][g] += spent
	}
	if total == 0 {
		return nil, fmt.Errorf("a CPU profile has no sample in %.3g s of runs, too little to say anything", f.Wall)
	}
	p.Seconds = total / 1e9 / float64(f.Runs)
	for g := range p.Groups {
		p.Groups[g] /= total
	}
	for name, groups := range byFunction {
		var fn Function
		var most float64
		for _, g := range Groups() {
			fn.Share += groups[g] / total
			if groups[g] > most {
				fn.Group, most = g, groups[g]
			}
		}
		p.Functions[name] = fn
	}
	return p, nil
}

// Runtime returns the share of CPU time in the runtime: everything but the work.
func (p *Profile) Runtime() float64 { return 1 - p.Groups[Own] }
