package dissect

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/google/pprof/profile"
)

// Memory says what a run allocated.
type Memory struct {
	Bytes, Objects float64 // counted
	Cycles         float64 // of the garbage collector
	Sites          map[string]Site
}

// A Site is a line that allocates. Its figures are estimated from samples.
type Site struct{ Bytes, Objects float64 }

const (
	// A profile takes about samplesWanted samples of what a run allocates, which
	// tells a share of a tenth within a fiftieth of itself. Fewer bytes than that
	// are all looked at, more than once in rateMost, Go's default, are not left out.
	samplesWanted = 20_000
	rateMost      = 512 << 10
	// rateUnknown is for work that runs only once.
	rateUnknown = 4 << 10
)

// profileAllocs looks at one run. All else that was ever allocated is taken off.
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
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, err := profile.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	objects, bytes := -1, -1
	for i, t := range raw.SampleType {
		switch t.Type {
		case "alloc_objects":
			objects = i
		case "alloc_space":
			bytes = i
		}
	}
	if objects < 0 || bytes < 0 {
		return nil, fmt.Errorf("%s: it is not a profile of allocations", path)
	}
	runs := float64(f.Runs)
	m := &Memory{
		Bytes: float64(f.Bytes) / runs, Objects: float64(f.Objects) / runs, Cycles: float64(f.Cycles) / runs,
		Sites: map[string]Site{},
	}
	for _, s := range raw.Sample {
		name := siteOf(s)
		if name == "" {
			continue
		}
		site := m.Sites[name]
		site.Objects += float64(s.Value[objects]) / runs
		site.Bytes += float64(s.Value[bytes]) / runs
		m.Sites[name] = site
	}
	return m, nil
}

// siteOf returns the innermost line outside the runtime, as in "pkg.F file.go:12",
// or nothing for the instrument's own.
func siteOf(s *profile.Sample) string {
	site := ""
	for _, l := range s.Location {
		for _, line := range l.Line {
			name := line.Function.Name
			if strings.HasPrefix(name, "runtime/pprof.") {
				return ""
			}
			if site == "" && !ofRuntime(name) {
				file := line.Function.Filename
				site = fmt.Sprintf("%s %s:%d", name, file[strings.LastIndexByte(file, '/')+1:], line.Line)
			}
		}
	}
	if site == "" && len(s.Location) > 0 {
		return "the runtime itself"
	}
	return site
}
