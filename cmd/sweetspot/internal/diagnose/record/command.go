package record

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

func (r *recorder) command(ctx context.Context) ([]*evidence.Observation, error) {
	p, err := r.program(ctx)
	if err != nil {
		return nil, err
	}
	r.BuildFlags = slices.Concat(r.BuildFlags, p.flags)
	if err := r.takeInput(ctx); err != nil {
		return nil, err
	}
	r.all = 2 + len(r.Procs)*r.Rounds + 2*len(r.ends()) + 4
	r.step("build %s", p.pkg.ImportPath)
	if err := r.build(ctx, p); err != nil {
		return nil, err
	}
	o, err := r.observeCommand(ctx, p)
	if err != nil {
		return nil, err
	}
	return []*evidence.Observation{o}, nil
}

func (r *recorder) observeCommand(ctx context.Context, p *program) (*evidence.Observation, error) {
	o := r.observation(strings.Join(r.Command, " "), p.pkg, evidence.Run)
	out := r.Output
	stopped := false
	for round := range r.Rounds {
		for i := range o.Points {
			at := &o.Points[(round+i)%len(o.Points)]
			r.step("GOMAXPROCS %d: round %d", at.Procs, round+1)
			j := r.commandJob(p, p.binary, at.Procs)
			j.out = out
			done, err := j.run(ctx)
			if err != nil {
				return nil, err
			}
			out = nil // the first alone
			at.Seconds = append(at.Seconds, done.wall.Seconds())
			at.CPU = append(at.CPU, done.cpu.Seconds())
			stopped = stopped || done.stopped
		}
		r.control(o)
	}
	if stopped {
		o.Note("the command was interrupted after %v: a run is so long, whatever GOMAXPROCS", r.Most)
	}
	for i := range o.Points {
		if at := &o.Points[i]; slices.Contains(r.ends(), at.Procs) {
			if err := r.lookAtCommand(ctx, p, at, o); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

func (r *recorder) commandJob(p *program, binary string, procs int, env ...string) job {
	return job{
		name: binary, args: p.args, shown: strings.Join(r.Command, " "), dir: r.Dir, most: r.Most, in: r.input, mute: true,
		env: append([]string{"GOMAXPROCS=" + strconv.Itoa(procs)}, env...),
	}
}

const (
	// commandRate is the mean number of bytes from one allocation that is seen to the
	// next.
	commandRate = 4 << 10
	// profiledRuns is how often a command is run under a CPU profile at most: one that
	// is over at once is not worth more.
	profiledRuns = 10
)

// recordCommand runs the program under one instrument, and returns the files that it left.
func (r *recorder) recordCommand(ctx context.Context, p *program, procs int, i dissect.Instrument, sub ...string) (dir string, files []string, done process, err error) {
	r.step("GOMAXPROCS %d: %s", procs, i)
	dir = filepath.Join(append([]string{p.dir, strconv.Itoa(procs), string(i)}, sub...)...)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", nil, done, err
	}
	done, err = r.commandJob(p, p.binary, procs, "SWEETSPOT_DIAGNOSE="+string(i), "SWEETSPOT_DIAGNOSE_DIR="+dir,
		"SWEETSPOT_DIAGNOSE_MOST="+strconv.FormatInt(r.traceMost, 10), "SWEETSPOT_DIAGNOSE_RATE="+strconv.Itoa(commandRate)).run(ctx)
	if err != nil {
		return "", nil, done, err
	}
	if text, err := os.ReadFile(filepath.Join(dir, "error")); err == nil {
		return "", nil, done, fmt.Errorf("the command cannot be recorded by the instrument %s: %s", i, text)
	}
	names, err := filesIn(dir, "*.*")
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 && filepath.Ext(name) != ".new" {
			files = append(files, name)
		}
	}
	return dir, files, done, err
}

// filesIn returns the files of a directory that match a pattern. The name of the directory is
// the user's, and no pattern.
func filesIn(dir, pattern string) ([]string, error) {
	names, err := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names, err
}

func (r *recorder) lookAtCommand(ctx context.Context, p *program, at *evidence.Point, o *evidence.Observation) error {
	note := func(format string, args ...any) {
		o.Note("with GOMAXPROCS %d %s", at.Procs, fmt.Sprintf(format, args...))
	}
	user := p.pkg.scope()
	dir, files, done, err := r.recordCommand(ctx, p, at.Procs, dissect.Trace)
	if err != nil {
		return err
	}
	_, err = os.Stat(filepath.Join(dir, "cut"))
	cut := err == nil
	a, err := dissect.Tracing{Files: files, Procs: at.Procs, Partial: true, Cut: cut}.Activity(user)
	switch why := done.untraced(len(files)); {
	case err != nil && why != "":
		note("no trace was recorded, because the command was %s", why)
	case err != nil:
		return err
	default:
		if cut {
			note("the trace was ended after %d MB, and what it says of a run is an estimate from its beginning", r.traceMost>>20)
			a.Divide(min(a.Wall/done.wall.Seconds(), 1))
		}
		at.Activity = a
	}

	if at.Profile, err = r.profileCommand(ctx, p, at.Procs); err != nil {
		return err
	}
	if at.Profile == nil {
		note("the CPU profile has no sample")
	}
	if at.Procs != r.largest() {
		return nil
	}
	for _, look := range []struct {
		by dissect.Instrument
		to **dissect.Weighing
	}{{dissect.Allocs, &at.Allocs}, {dissect.Mutex, &at.Mutex}, {dissect.Block, &at.Block}} {
		_, files, _, err := r.recordCommand(ctx, p, at.Procs, look.by)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			note("there is no profile by the instrument %s: the command was killed within half a second", look.by)
			continue
		}
		if *look.to, err = dissect.Weigh(look.by, dissect.Sampling{Files: files, Ops: 1}, user); err != nil {
			return err
		}
	}
	if err := r.countCommand(ctx, p, o, done.stopped); err != nil {
		return err
	}
	if at.Allocs == nil {
		return nil
	}
	o.Heap, err = r.heap(ctx, at.Allocs, p.dirs, append([]string{"--"}, p.what...)...)
	return err
}

// untraced returns why a command that left so many trace files left none that can be read; "" if it
// had time to leave one.
func (p process) untraced(files int) string {
	switch {
	case p.wall < time.Second:
		return "over too soon, or was killed within half a second"
	case p.stopped && files < 2: // the first file is of half a second
		return "interrupted too early, before half a second was recorded"
	}
	return ""
}

// profileCommand takes CPU profiles of so many runs that they last long enough, and
// returns what they say of one.
func (r *recorder) profileCommand(ctx context.Context, p *program, procs int) (*dissect.Weighing, error) {
	var all []string
	var covered float64 // seconds
	var wall time.Duration
	runs := 0
	for ; runs == 0 || runs < profiledRuns && wall < r.profiled; runs++ {
		_, files, done, err := r.recordCommand(ctx, p, procs, dissect.CPU, strconv.Itoa(runs))
		if err != nil {
			return nil, err
		}
		seen, files, err := profiledTime(files)
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
		covered += seen
		wall += done.wall
	}
	if covered == 0 {
		return nil, nil
	}
	// Between one file and the next nobody looks.
	looked := min(covered/wall.Seconds(), 1)
	w, err := dissect.Weigh(dissect.CPU, dissect.Sampling{Files: all, Ops: float64(runs) * looked}, p.pkg.scope())
	if err != nil || w.Samples == 0 {
		return nil, err
	}
	return w, nil
}

// profiledTime returns how many seconds CPU profiles lasted together, without those that
// nobody has ended.
func profiledTime(files []string) (all float64, whole []string, err error) {
	for i, name := range files {
		of, err := dissect.Identify(name)
		switch {
		case err != nil && i == len(files)-1:
			continue // the process was killed while it wrote
		case err != nil:
			return 0, nil, err
		}
		all += of.Seconds
		whole = append(whole, name)
	}
	return all, whole, nil
}

// countCommand counts how often lines are executed, which is known of a process that
// ends by itself.
func (r *recorder) countCommand(ctx context.Context, p *program, o *evidence.Observation, stopped bool) error {
	if len(p.dirs) == 0 || stopped {
		return nil
	}
	r.step("build it to count")
	binary := filepath.Join(p.dir, "counted.exe")
	args := append(covering(p.dirs), "-o="+binary, "--")
	if _, err := r.goCommand(ctx, "build", append(args, p.what...)...); err != nil { // without an overlay, which -cover does not know
		return err
	}
	dir := filepath.Join(p.dir, "counts")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	r.step("count")
	_, err := r.commandJob(p, binary, r.largest(), "GOCOVERDIR="+dir).run(ctx)
	if err != nil {
		return err
	}
	if counters, err := filesIn(dir, "covcounters.*"); err != nil || len(counters) == 0 {
		o.Note("nothing was counted: the command did not end by itself")
		return err
	}
	text := filepath.Join(dir, "count.txt")
	if _, err := (job{name: "go", args: []string{"tool", "covdata", "textfmt", "-i=" + dir, "-o=" + text}, dir: r.Dir}).run(ctx); err != nil {
		return err
	}
	c, err := dissect.ReadCounts(text, p.dirs)
	if err != nil {
		return err
	}
	o.Count(c)
	return nil
}
