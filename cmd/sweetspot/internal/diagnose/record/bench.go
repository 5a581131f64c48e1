package record

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

const (
	// profiled is how long a benchmark runs under a CPU profile: a hundred samples a
	// second on each CPU tell a share of a tenth to a third of itself.
	profiled = time.Second
	// looked is how long it runs under the other instruments, which see every event.
	looked = 200 * time.Millisecond
	// traceMost is the number of bytes at which a trace is ended: a million events or
	// two, which are read within seconds.
	traceMost = 24 << 20
	// baseOps is how many operations are run for what else a process does: to start, to
	// prepare, to run once for the benchmark to be known. The testing package does the
	// same for two as for many; not so for one.
	baseOps = 2
	// preparing is how many times as long as it measures a process takes, which starts, has
	// the benchmark prepare itself and finds out how often to run it: some are compiled anew.
	preparing = 2
	// fewOps is up to how many operations that is not worth a process.
	fewOps = 8
)

// benchmarks records those that are asked for, and returns those that failed.
func (r *recorder) benchmarks(ctx context.Context) (all []*evidence.Observation, failed []Failure, err error) {
	pkgs, err := r.list(ctx, append([]string{"--"}, r.Packages...)...)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: want packages with benchmarks, or files that are recordings: %w", strings.Join(r.Packages, " "), err)
	}
	var found []bench
	for _, p := range pkgs {
		has, err := p.hasBenchmarks()
		if err != nil {
			return nil, nil, err
		}
		if !has {
			continue
		}
		s, err := r.suite(ctx, p)
		var names []string
		if err == nil {
			var some []Failure
			names, some, err = r.discover(ctx, s)
			failed = append(failed, some...)
		}
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return nil, nil, cause
			}
			failed = append(failed, Failure{p.ImportPath, err})
		}
		for _, name := range names {
			found = append(found, bench{s, name})
		}
	}
	if len(found) == 0 && len(failed) == 0 {
		return nil, nil, fmt.Errorf("no benchmark of %s matches %s", strings.Join(r.Packages, " "), r.Bench)
	}
	r.done = 0
	r.all = len(found) * (len(r.Procs)*(2+r.Rounds) + 3*len(r.ends()) + 7)
	if r.Planned != nil && len(found) > 0 {
		each := time.Duration(len(r.Procs)*(2+r.Rounds))*r.BenchTime + time.Duration(len(r.ends()))*(r.profiled+looked) + 3*looked
		r.Planned(len(found), time.Duration(len(found))*each*preparing)
	}
	for _, b := range found {
		o, err := r.observe(ctx, b)
		switch cause := context.Cause(ctx); {
		case cause != nil:
			return all, failed, cause
		case err != nil:
			failed = append(failed, Failure{b.name, err})
		default:
			all = append(all, o)
		}
	}
	return all, failed, nil
}

// A measuring is a benchmark at one GOMAXPROCS.
type measuring struct {
	*evidence.Point
	n       int     // operations of each measurement
	seconds float64 // that one takes
	base    time.Duration
	cpu     []time.Duration
	loops   bool
}

// times returns how many operations take about that long, and at least one.
func (m *measuring) times(long time.Duration) int {
	return int(min(max(math.Ceil(long.Seconds()/m.seconds), 1), 1e9))
}

// profiledTimes returns how many operations use so much time of a CPU. Where others
// use the CPUs too, that takes longer than it seems, but no more than four times.
func (m *measuring) profiledTimes(long time.Duration) int {
	n := m.times(long)
	if cpu := evidence.Median(m.CPU); cpu > 0 {
		n = min(max(n, int(math.Ceil(long.Seconds()/cpu))), 4*n)
	}
	return n
}

// allOps returns how many operations a process does that is asked for n.
func (m *measuring) allOps(n int) float64 {
	if m.loops || n == 1 {
		return float64(n)
	}
	return float64(n + 1) // one to see that it works
}

// ops returns how many these are without those of base, where there is one.
func (m *measuring) ops(n int) float64 {
	if n > fewOps {
		return float64(n - baseOps)
	}
	return m.allOps(n)
}

func (r *recorder) observe(ctx context.Context, b bench) (*evidence.Observation, error) {
	o := r.observation(b.name, b.pkg, evidence.Op)
	all := make([]*measuring, len(o.Points))
	for i := range all {
		m := &measuring{Point: &o.Points[i]}
		r.step("%s, GOMAXPROCS %d: see how long it takes", b.name, m.Procs)
		v, _, err := r.measure(ctx, b.timedJob(b.binary, m.Procs, b.pattern(), r.BenchTime.String()))
		if err != nil {
			return nil, err
		}
		m.n, m.seconds = v.n, v.seconds()
		r.step("%s, GOMAXPROCS %d: see what else it does", b.name, m.Procs)
		if m.n > fewOps {
			_, p, err := r.measure(ctx, b.job(b.binary, m.Procs, b.pattern(), baseOps))
			if err != nil {
				return nil, err
			}
			m.base = p.cpu
		}
		all[i] = m
	}
	for round := range r.Rounds {
		for i := range all {
			m := all[(round+i)%len(all)] // each is first as often
			r.step("%s, GOMAXPROCS %d: round %d", b.name, m.Procs, round+1)
			v, p, err := r.measure(ctx, b.job(b.binary, m.Procs, b.pattern(), m.n))
			if err != nil {
				return nil, err
			}
			m.Seconds = append(m.Seconds, v.seconds())
			m.cpu = append(m.cpu, p.cpu-m.base)
			for unit, x := range v.metrics {
				if unit != "ns/op" {
					m.Metrics[unit] = append(m.Metrics[unit], x)
				}
			}
		}
		r.control(o)
	}
	for _, m := range all {
		m.seconds = evidence.Median(m.Seconds)
		if slices.Contains(r.ends(), m.Procs) {
			if err := r.traceBench(ctx, b, m, o); err != nil {
				return nil, err
			}
		}
	}
	for _, m := range all {
		m.loops = all[0].loops
		for _, cpu := range m.cpu {
			m.CPU = append(m.CPU, max(cpu.Seconds(), 0)/m.ops(m.n))
		}
	}
	return o, r.look(ctx, b, all, o)
}

func (r *recorder) traceBench(ctx context.Context, b bench, m *measuring, o *evidence.Observation) error {
	r.step("%s, GOMAXPROCS %d: trace", b.name, m.Procs)
	path, err := r.file(b, m.Procs, "trace.out")
	if err != nil {
		return err
	}
	n := min(m.times(looked/2), m.n)
	j := b.job(b.binary, m.Procs, b.pattern(), n, "-test.trace="+path)
	j.env = append(j.env, "SWEETSPOT_DIAGNOSE_TRACE="+path, "SWEETSPOT_DIAGNOSE_MOST="+strconv.FormatInt(r.traceMost, 10))
	v, _, err := r.measure(ctx, j)
	if err != nil {
		return err
	}
	_, err = os.Stat(path + ".cut")
	cut := err == nil
	a, err := dissect.Tracing{Files: []string{path}, Window: dissect.Timed, Procs: m.Procs, Cut: cut}.Activity(b.pkg.scope())
	if err != nil {
		return err
	}
	ops := float64(n)
	if cut {
		// What came after the end of the trace was as fast as without one.
		left := (v.seconds()*ops - a.Wall) / m.seconds
		ops = max(ops-left, ops/1000)
		o.Note("with GOMAXPROCS %d the trace was ended after %d MB, and counts of its goroutines for an operation are estimates", m.Procs, r.traceMost>>20)
	}
	a.Divide(ops)
	m.Activity, m.loops = a, a.Loops
	return nil
}

func (r *recorder) look(ctx context.Context, b bench, all []*measuring, o *evidence.Observation) error {
	for _, m := range all {
		if !slices.Contains(r.ends(), m.Procs) {
			continue
		}
		var err error
		if m.Profile, err = r.weigh(ctx, b, m, dissect.CPU, m.profiledTimes(r.profiled), "-test.cpuprofile"); err != nil {
			return err
		}
		if m.Profile.Samples == 0 {
			m.Profile = nil
			o.Note("with GOMAXPROCS %d the CPU profile has no sample", m.Procs)
		}
		if m.Procs != r.largest() {
			continue
		}
		n := m.times(looked)
		// Some twenty thousand samples, or each allocation if there are fewer bytes.
		rate := max(1, min(512<<10, int(evidence.Median(m.Metrics["B/op"])*float64(n)/20_000)))
		if m.Allocs, err = r.weigh(ctx, b, m, dissect.Allocs, n, "-test.memprofile", "-test.memprofilerate="+strconv.Itoa(rate)); err != nil {
			return err
		}
		if m.Mutex, err = r.weigh(ctx, b, m, dissect.Mutex, n, "-test.mutexprofile", "-test.mutexprofilefraction=1"); err != nil {
			return err
		}
		if m.Block, err = r.weigh(ctx, b, m, dissect.Block, n, "-test.blockprofile", "-test.blockprofilerate=1"); err != nil {
			return err
		}
		if err := r.count(ctx, b, m, o); err != nil {
			return err
		}
		o.Heap, err = r.heap(ctx, m.Allocs, b.dirs, "-test", "-overlay="+b.overlay, "--", b.pkg.ImportPath)
		if err != nil {
			return err
		}
	}
	return nil
}

// weigh records by one instrument, whose flag names the file. What the process does
// beside the operations is taken off, but not of waiting: that is chance, and two
// operations may wait as long as a hundred.
func (r *recorder) weigh(ctx context.Context, b bench, m *measuring, i dissect.Instrument, n int, flag string, more ...string) (*dissect.Weighing, error) {
	record := func(n int, name string) (string, error) {
		r.step("%s, GOMAXPROCS %d: %s", b.name, m.Procs, i)
		path, err := r.file(b, m.Procs, name)
		if err != nil {
			return "", err
		}
		_, _, err = r.measure(ctx, b.job(b.binary, m.Procs, b.pattern(), n, append(more, flag+"="+path)...))
		return path, err
	}
	path, err := record(n, string(i)+".pprof")
	if err != nil {
		return nil, err
	}
	of := dissect.Sampling{Files: []string{path}, Ops: m.allOps(n)}
	if n > fewOps && (i == dissect.CPU || i == dissect.Allocs) {
		base, err := record(baseOps, string(i)+"-base.pprof")
		if err != nil {
			return nil, err
		}
		of.Base, of.Ops = []string{base}, m.ops(n)
	}
	return dissect.Weigh(i, of, b.pkg.scope())
}

// count counts how often the lines are executed at which goroutines are started, or
// wait.
func (r *recorder) count(ctx context.Context, b bench, m *measuring, o *evidence.Observation) error {
	if len(b.dirs) == 0 {
		return nil
	}
	if b.counted == "" {
		r.step("%s: build it to count", b.name)
		binary := filepath.Join(filepath.Dir(b.binary), "counted.exe")
		if err := r.compile(ctx, b.suite, binary, covering(b.dirs)...); err != nil {
			return err
		}
		b.counted = binary
	}
	counted := func(n int, name string) (*dissect.Counts, error) {
		r.step("%s: count", b.name)
		path, err := r.file(b, m.Procs, name)
		if err != nil {
			return nil, err
		}
		if _, _, err := r.measure(ctx, b.job(b.counted, m.Procs, b.pattern(), n, "-test.coverprofile="+path)); err != nil {
			return nil, err
		}
		return dissect.ReadCounts(path, b.dirs)
	}
	// Counting makes some loops ten times slower, so what takes long is run once.
	var base *dissect.Counts
	n := 1
	if m.seconds <= 0.1 {
		var err error
		if base, err = counted(baseOps, "count-base.txt"); err != nil {
			return err
		}
		n = baseOps + 1
	}
	c, err := counted(n, "count.txt")
	if err != nil {
		return err
	}
	c.Less(base, 1)
	o.Count(c)
	return nil
}

func (r *recorder) file(b bench, procs int, name string) (string, error) {
	dir := filepath.Join(filepath.Dir(b.binary), dissect.FileName(b.name), strconv.Itoa(procs))
	return filepath.Join(dir, name), os.MkdirAll(dir, 0o777)
}
