package record

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/pattern"
)

// benchSource is added to a package with benchmarks.
//
//go:embed support/bench.txt
var benchSource string

type bench struct {
	*suite
	name string // with those that it is within: "BenchmarkSum/workers=4"
}

// A suite is the test binary of a package.
type suite struct {
	pkg     *goPackage
	dirs    map[string]string // of the packages of the user's module in it
	overlay string
	binary  string
	counted string // the same, built to count; made when needed
}

func (p *goPackage) hasBenchmarks() (bool, error) {
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		text, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return false, err
		}
		if strings.Contains(string(text), "\nfunc Benchmark") {
			return true, nil
		}
	}
	return false, nil
}

func (r *recorder) suite(ctx context.Context, p *goPackage) (*suite, error) {
	s := &suite{pkg: p}
	dir, err := os.MkdirTemp(r.place, p.Name+"-")
	if err != nil {
		return nil, err
	}
	if s.dirs, err = r.userPackages(ctx, p, "-test", "--", p.ImportPath); err != nil {
		return nil, err
	}
	name := p.Name
	if len(p.TestGoFiles) == 0 {
		name += "_test"
	}
	added := filepath.Join(dir, "recorder.go")
	if err := os.WriteFile(added, []byte(strings.Replace(benchSource, "PACKAGE", name, 1)), 0o666); err != nil {
		return nil, err
	}
	s.overlay = filepath.Join(dir, "overlay.json")
	if err := writeOverlay(s.overlay, map[string]string{filepath.Join(p.Dir, "sweetspot_recorder_test.go"): added}); err != nil {
		return nil, err
	}
	s.binary = filepath.Join(dir, "bench.exe")
	r.step("build the benchmarks of %s", p.ImportPath)
	return s, r.compile(ctx, s, s.binary)
}

func (r *recorder) compile(ctx context.Context, s *suite, binary string, flags ...string) error {
	_, err := r.goCommand(ctx, "test", append(flags, "-c", "-overlay="+s.overlay, "-o="+binary, s.pkg.ImportPath)...)
	return err
}

func writeOverlay(name string, replace map[string]string) error {
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

var benchResult = pattern.Of(`(?m)(?:^|\s)(\d+)\t *(\S+ ns/op.*)$`)

// job is a process that runs only these benchmarks, each so many times after it was run once.
func (s *suite) job(binary string, procs int, only string, n int, flags ...string) job {
	return s.timedJob(binary, procs, only, strconv.Itoa(n)+"x", flags...)
}

func (s *suite) timedJob(binary string, procs int, only, benchtime string, flags ...string) job {
	return job{
		name: binary,
		args: append([]string{
			"-test.run=^$", "-test.bench=" + only, "-test.benchtime=" + benchtime, "-test.benchmem",
			"-test.cpu=" + strconv.Itoa(procs), "-test.count=1",
		}, flags...),
		dir: s.pkg.Dir,
		env: []string{"GOMAXPROCS=" + strconv.Itoa(procs)},
	}
}

// pattern matches this benchmark alone.
func (b bench) pattern() string {
	parts := strings.Split(b.name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// A result is what the testing package says of a benchmark.
type result struct {
	n       int
	metrics map[string]float64 // by unit
}

func (v result) seconds() float64 { return v.metrics["ns/op"] / 1e9 }

func parseResult(out []byte) (result, error) {
	all := benchResult().FindAllSubmatch(out, -1)
	if len(all) == 0 {
		return result{}, fmt.Errorf("it has no result with a time: it says\n%s", strings.TrimSpace(string(out[max(0, len(out)-keptErrors):])))
	}
	m := all[len(all)-1]
	v := result{metrics: map[string]float64{}}
	v.n, _ = strconv.Atoi(string(m[1]))
	for _, part := range strings.Split(string(m[2]), "\t") {
		number, unit, _ := strings.Cut(strings.TrimSpace(part), " ")
		if x, err := strconv.ParseFloat(number, 64); err == nil && unit != "" {
			v.metrics[unit] = x
		}
	}
	if v.n < 1 || v.seconds() <= 0 {
		return v, fmt.Errorf("its result is %q, want a time", m[0])
	}
	return v, nil
}

func (r *recorder) measure(ctx context.Context, j job) (result, process, error) {
	p, err := j.run(ctx)
	if err != nil {
		return result{}, p, err
	}
	v, err := parseResult(p.stdout)
	return v, p, err
}
