package dissect

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/sweetspot-go/sweetspot/internal/pattern"
)

// An Identity is what a file of a recording turned out to be.
type Identity struct {
	Instrument Instrument
	// Seconds is how long it was recorded. It is 0 if the file does not say: a trace, and
	// a profile of all that has happened since the process began.
	Seconds float64
	Empty   bool // a profile without a sample, which may be of locks or of blocking

	functions []*profile.Function // of a profile
	trace     []byte
}

// Of reports whether a module has functions in the recording, by its import path or the
// directory of its source.
func (i Identity) Of(module, root string) bool {
	root = filepath.ToSlash(root)
	if i.Instrument != Trace {
		return slices.ContainsFunc(i.functions, func(f *profile.Function) bool {
			return within(f.Name, module) || root != "" && strings.HasPrefix(f.Filename, root+"/")
		})
	}
	return root != "" && bytes.Contains(i.trace, []byte(root+"/")) ||
		slices.ContainsFunc(regexp.MustCompile(regexp.QuoteMeta(module)+`[/.]`).FindAllIndex(i.trace, -1), func(at []int) bool { return beginsPath(i.trace, at[0]) })
}

// beginsPath reports whether the bytes of a trace from there on begin a path. If they also begin a
// string, the byte before may be a letter by chance: it is the length of the string, which comes
// after a 5 and a number in varint form.
func beginsPath(trace []byte, at int) bool {
	if !inPath().Match(trace[at-1 : at]) {
		return true
	}
	first := at - 2 // byte of the number
	for trace[first-1] >= 0x80 {
		first--
	}
	return trace[first-1] == 5
}

var (
	inPath      = pattern.Of(`[\w./%-]`)
	traceHeader = pattern.Of(`^go 1\.(\d+) trace\x00`)
	forPeople   = pattern.Of(`^(\w+ profile: |--- \w+:|goroutine \d+ \[)`)
)

// oldestTrace is the minor version of Go with the oldest traces that can be read.
const oldestTrace = 22

// Identify says what a file of a recording is: a trace, or a profile of one of the
// instruments. Its error says what else it is, and what is wanted.
func Identify(path string) (Identity, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Identity{}, err
	}
	i, err := identify(text)
	if err != nil {
		return i, fmt.Errorf("%s: %w", path, err)
	}
	return i, nil
}

func identify(text []byte) (Identity, error) {
	if m := traceHeader().FindSubmatch(text); m != nil {
		var minor int
		if fmt.Sscan(string(m[1]), &minor); minor < oldestTrace {
			return Identity{}, fmt.Errorf("it is an execution trace of Go 1.%d; those before 1.%d have another format, which is not read", minor, oldestTrace)
		}
		return Identity{Instrument: Trace, trace: text}, nil
	}
	switch begin := bytes.ToLower(bytes.TrimSpace(text[:min(len(text), 64)])); {
	case len(text) == 0:
		return Identity{}, errors.New("it is empty: the program that wrote it has not stopped the profile, or was killed")
	case forPeople().Match(begin):
		return Identity{}, errors.New("it is a profile as text, for people: record it without debug=1 or debug=2")
	case bytes.HasPrefix(begin, []byte("<")):
		return Identity{}, errors.New("it is a web page: want a profile itself, as from /debug/pprof/profile?seconds=10")
	}
	if unzipped, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		if text, err = io.ReadAll(unzipped); err != nil {
			return Identity{}, fmt.Errorf("it is cut short: %w", err)
		}
	}
	raw, err := profile.ParseUncompressed(text)
	if err == nil {
		err = raw.CheckValid()
	}
	if err != nil || len(raw.SampleType) == 0 {
		return Identity{}, errors.New("it is neither a profile nor an execution trace: want what go test -cpuprofile or -trace, runtime/pprof, runtime/trace or /debug/pprof writes")
	}
	i := Identity{Seconds: float64(raw.DurationNanos) / 1e9, Empty: len(raw.Sample) == 0, functions: raw.Function}
	if i.Instrument, err = instrumentOf(raw); err != nil {
		return i, err
	}
	if !i.Empty && len(raw.Function) == 0 {
		return i, errors.New("it has addresses, and no symbols: go tool pprof -proto PROGRAM FILE adds them")
	}
	return i, nil
}

// instrumentOf says which instrument recorded a profile, by what it measures. Profiles
// of locks and of blocking measure the same: the former are taken where a lock is given
// back.
func instrumentOf(raw *profile.Profile) (Instrument, error) {
	for _, i := range []Instrument{CPU, Allocs, Block, Goroutines, Leaks} {
		if columnOf(raw, kinds[i].count) < 0 || columnOf(raw, kinds[i].amount) < 0 {
			continue
		}
		if i == Block && givesBack(raw) {
			return Mutex, nil
		}
		return i, nil
	}
	var types []string
	for _, t := range raw.SampleType {
		types = append(types, t.Type)
	}
	return "", fmt.Errorf("it is a profile of %s: want one of the CPU, allocations (heap), mutexes, blocking, goroutines or goroutine leaks", strings.Join(types, " and "))
}

func givesBack(raw *profile.Profile) bool {
	back, all := 0, 0
	for _, s := range raw.Sample {
		if stack := placesOf(s); len(stack) > 0 {
			all++
			if slices.ContainsFunc(stack[:min(len(stack), 3)], func(p Place) bool {
				return strings.HasSuffix(strings.ToLower(p.Func), "unlock") || p.Func == "runtime._LostContendedRuntimeLock"
			}) {
				back++
			}
		}
	}
	return 2*back > all
}
