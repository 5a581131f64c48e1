package dissect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// An Instrument is what looks at a process.
type Instrument string

// The instruments, and what they leave in the directory, beside a file of facts
// named like the instrument.
const (
	CPU    Instrument = "cpu"    // cpu.pprof
	Allocs Instrument = "allocs" // allocs.pprof
	Trace  Instrument = "trace"  // trace.out
)

// Those that look at other processes alone; see [Weigh].
const (
	Mutex Instrument = "mutex" // waiting for locks, at the line that held them
	Block Instrument = "block" // waiting for channels and locks, at the line that waited

	Goroutines Instrument = "goroutine"     // where each stands
	Leaks      Instrument = "goroutineleak" // those that wait for what nobody can reach any more
)

// Instruments returns those that [Record] knows.
func Instruments() []Instrument { return []Instrument{CPU, Allocs, Trace} }

// Work is what is recorded. Before and Check may be nil; they are called before
// and after each run, and what they do is not counted.
type Work struct {
	Before, Run, Check func() error
	// Once is set if Run cannot be repeated in a process. Otherwise an unrecorded run
	// comes first, to hide what only a first run does.
	Once bool
}

// Facts are what a recording says beside its profile.
type Facts struct {
	Runs  int     `json:"runs"`
	Wall  float64 `json:"wall_seconds"` // of these runs, under the instrument
	Procs int     `json:"procs"`        // GOMAXPROCS

	// Counted exactly, not sampled; by Allocs alone.
	Bytes   uint64 `json:"bytes,omitempty"`
	Objects uint64 `json:"objects,omitempty"`
	Cycles  uint32 `json:"gc_cycles,omitempty"`

	// Cut is set by Trace if the trace became too long and was ended early.
	Cut bool `json:"cut,omitempty"`
}

// Record runs w under i and writes what i saw into dir. CPU and Trace repeat the
// run until runs have lasted least together; Allocs looks at one. It returns the
// first error of w.
func Record(ctx context.Context, dir string, i Instrument, w Work, least time.Duration) error {
	if !w.Once {
		if _, err := w.single(ctx, w.Run); err != nil {
			return err
		}
	}
	var f Facts
	var err error
	switch i {
	case CPU:
		f, err = create(dir, "cpu.pprof", func(file *os.File) (Facts, error) { return profileCPU(ctx, file, w, least) })
	case Allocs:
		f, err = create(dir, "allocs.pprof", func(file *os.File) (Facts, error) { return profileAllocs(ctx, file, w) })
	case Trace:
		f, err = create(dir, "trace.out", func(file *os.File) (Facts, error) { return traceRuns(ctx, file, w, least, traceMost) })
	default:
		return fmt.Errorf("there is no instrument %q: cpu, allocs or trace", i)
	}
	if err != nil {
		return err
	}
	f.Procs = runtime.GOMAXPROCS(0)
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(factsPath(dir, i), append(text, '\n'), 0o666)
}

// Directory returns the directory for recordings, and a function that removes it once they are
// no longer needed. A directory with the given name stays; it is made if it does not exist, and
// must be empty. Without a name it is a new one. The path is absolute, because processes may have
// another directory.
func Directory(keep string) (dir string, remove func(), err error) {
	if keep == "" {
		if keep, err = os.MkdirTemp("", "sweetspot-diagnose-"); err != nil {
			return "", nil, err
		}
		dir, err = filepath.Abs(keep)
		return dir, func() { os.RemoveAll(dir) }, err
	}
	if err := os.MkdirAll(keep, 0o777); err != nil {
		return "", nil, err
	}
	there, err := os.ReadDir(keep)
	if err != nil {
		return "", nil, err
	}
	if len(there) > 0 {
		return "", nil, fmt.Errorf("%s is not empty, and recordings of another time would be mixed with these", keep)
	}
	dir, err = filepath.Abs(keep)
	return dir, func() {}, err
}

// longestName is how long the name of a directory may be: most systems take 255 bytes.
const longestName = 100

// FileName returns the name of a directory for the recordings of something with a name. If that
// does not fit as it is, a hash tells it from others.
func FileName(name string) string {
	short := strings.Map(func(c rune) rune {
		if strings.ContainsRune(`/\:*?"<>| ,`, c) {
			return '_'
		}
		return c
	}, name)
	if short == name && len(name) <= longestName {
		return name
	}
	hash := fnv.New64a()
	io.WriteString(hash, name)
	return fmt.Sprintf("%s-%x", strings.ToValidUTF8(short[:min(len(short), longestName)], ""), hash.Sum64())
}

func create(dir, name string, fill func(*os.File) (Facts, error)) (Facts, error) {
	file, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return Facts{}, err
	}
	f, err := fill(file)
	return f, errors.Join(err, file.Close())
}

func factsPath(dir string, i Instrument) string { return filepath.Join(dir, string(i)+".json") }

func readFacts(dir string, i Instrument) (Facts, error) {
	var f Facts
	text, err := os.ReadFile(factsPath(dir, i))
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("%s: %w", factsPath(dir, i), err)
	}
	return f, nil
}

// repeat runs until runs have lasted least together.
func (w Work) repeat(ctx context.Context, run func() error, least time.Duration) (Facts, error) {
	var f Facts
	for f.Runs == 0 || !w.Once && f.Wall < least.Seconds() {
		took, err := w.single(ctx, run)
		if err != nil {
			return f, err
		}
		f.Runs++
		f.Wall += took.Seconds()
	}
	return f, nil
}

// single runs once, with what belongs before and after.
func (w Work) single(ctx context.Context, run func() error) (time.Duration, error) {
	if err := aside(ctx, w.Before); err != nil {
		return 0, err
	}
	began := time.Now()
	err := run()
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	return took, aside(ctx, w.Check)
}
