package dissect

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Memory says what a run allocated.
type Memory struct {
	Bytes, Objects float64            // counted
	Cycles         float64            // of the garbage collector
	Sites          map[string]float64 // bytes by line that allocates, estimated from samples
}

const (
	// A profile takes about samplesWanted samples of what a run allocates, which
	// shows a share of a tenth to within a fiftieth of itself. Fewer bytes than that are
	// all sampled; at least one in rateMost, Go's default, is sampled.
	samplesWanted = 20_000
	rateMost      = 512 << 10
	// rateUnknown is for work that runs only once.
	rateUnknown = 4 << 10
)

// profileAllocs profiles one run. Everything else that was ever allocated is
// subtracted.
func profileAllocs(ctx context.Context, out io.Writer, w Work) (Facts, error) {
	rate := rateUnknown
	var before, after runtime.MemStats
	counted := func() error {
		runtime.ReadMemStats(&before)
		err := w.Run()
		runtime.ReadMemStats(&after)
		return err
	}
	if !w.Once {
		if _, err := w.single(ctx, counted); err != nil {
			return Facts{}, err
		}
		rate = int(min(max((after.TotalAlloc-before.TotalAlloc)/samplesWanted, 1), rateMost))
	}
	defer func(old int) { runtime.MemProfileRate = old }(runtime.MemProfileRate)
	runtime.MemProfileRate = rate
	var base, all *profile.Profile
	f, err := w.repeat(ctx, func() (err error) {
		if base, err = allocsNow(); err != nil {
			return err
		}
		if err := counted(); err != nil {
			return err
		}
		all, err = allocsNow()
		return err
	}, 0)
	if err != nil {
		return f, err
	}
	base.Scale(-1)
	diff, err := profile.Merge([]*profile.Profile{all, base})
	if err != nil {
		return f, err
	}
	f.Bytes, f.Objects = after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
	f.Cycles = after.NumGC - before.NumGC
	return f, diff.Write(out)
}

// allocsNow returns all allocations up to now. The profile is as old as the last
// collection.
func allocsNow() (*profile.Profile, error) {
	runtime.GC()
	var b bytes.Buffer
	if err := pprof.Lookup("allocs").WriteTo(&b, 0); err != nil {
		return nil, err
	}
	return profile.Parse(&b)
}

func openMemory(path string, f Facts) (*Memory, error) {
	raw, err := parseProfile(path)
	if err != nil {
		return nil, err
	}
	bytes := columnOf(raw, kinds[Allocs].amount)
	runs := float64(f.Runs)
	m := &Memory{
		Bytes: float64(f.Bytes) / runs, Objects: float64(f.Objects) / runs, Cycles: float64(f.Cycles) / runs,
		Sites: map[string]float64{},
	}
	for _, s := range raw.Sample {
		if name := siteOf(s); name != "" {
			m.Sites[name] += float64(s.Value[bytes]) / runs
		}
	}
	return m, nil
}

// siteOf returns the innermost line outside the runtime, as in "pkg.F file.go:12",
// or nothing for the instrument's own.
func siteOf(s *profile.Sample) string {
	stack := placesOf(s)
	if slices.ContainsFunc(stack, func(p Place) bool { return strings.HasPrefix(p.Func, "runtime/pprof.") }) {
		return ""
	}
	for _, p := range stack {
		if !ofRuntime(p.Func) {
			return fmt.Sprintf("%s %s:%d", p.Func, filepath.Base(p.File), p.Line)
		}
	}
	return "the runtime itself"
}
