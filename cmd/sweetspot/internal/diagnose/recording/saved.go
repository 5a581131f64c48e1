package recording

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// Saved are recordings that are there already: profiles and execution traces of one
// program, under one load.
type Saved struct {
	Name    string   // of the program; "" is made of the names of the files
	Files   []string // of any kind and order
	Program string   // the binary that was recorded, which says what its module is; "" is none
	Source  string   // a directory in the module of its source; "" is the current one
	Procs   int      // its GOMAXPROCS, where no trace says it; 0 is not known
	Seconds float64  // how long profiles were recorded that do not say it; 0 is as long as the others
}

// Observe reads the recordings. All figures are for one second of them.
func (s Saved) Observe() (*evidence.Observation, error) {
	o := &evidence.Observation{Name: s.Name, Per: evidence.Second, Points: []evidence.Point{{Metrics: map[string][]float64{}}}, Heap: []dissect.HeapVariable{}}
	if o.Name == "" {
		var names []string
		for _, f := range s.Files {
			names = append(names, filepath.Base(f))
		}
		o.Name = strings.Join(names, " ")
	}
	kinds, err := s.identify(o)
	if err != nil {
		return nil, err
	}
	home := homeOf(s.Source, s.Program, kinds)
	o.Module, o.Scope = home.root, home.scope
	if err := s.read(o, kinds); err != nil {
		return nil, err
	}
	p := o.Largest()
	p.Seconds = []float64{1}
	if p.Profile != nil {
		p.CPU = []float64{p.Profile.All.Amount}
	}
	switch {
	case p.Activity != nil && p.Activity.Procs > 0:
		p.Procs = p.Activity.Procs
	case s.Procs > 0:
		p.Procs = s.Procs
	default:
		p.Procs = max(runtime.NumCPU(), int(p.Profiled()+0.99))
		o.Note("no trace says GOMAXPROCS; it is taken for %d (--procs says otherwise)", p.Procs)
	}
	if p.Activity == nil && p.Profile != nil {
		o.Note("without a trace the number of goroutines, and how long each ran, are unknown")
	}
	if home.root == "" {
		o.Note("the source is not here (--source DIR says where it is): the lines have no text, and sweetspot vet has not looked at them")
	}
	relocate(o, home.find)
	return o, nil
}

// An identified file is one whose kind is known.
type identified struct {
	dissect.Identity
	path string
}

// identify tells which file is what. Profiles without a sample are left out, but not those of
// leaks: they say that there are none.
func (s Saved) identify(o *evidence.Observation) ([]identified, error) {
	var all []identified
	var empty []string
	var failed error
	for _, path := range s.Files {
		i, err := dissect.Identify(path)
		switch {
		case err != nil:
			failed = errors.Join(failed, err)
		case i.Empty && i.Instrument != dissect.Leaks:
			empty = append(empty, filepath.Base(path))
		default:
			all = append(all, identified{i, path})
		}
	}
	if len(empty) > 0 {
		o.Note("without a sample: %s; profiles of locks and of blocking have some only if the program asks for it (runtime.SetMutexProfileFraction, SetBlockProfileRate)", strings.Join(empty, ", "))
	}
	if failed == nil && len(all) == 0 {
		failed = errors.New("there is no sample in any of the files")
	}
	return all, failed
}

// read has each instrument's files read.
func (s Saved) read(o *evidence.Observation, all []identified) error {
	p := o.Largest()
	of := map[dissect.Instrument][]identified{}
	long := map[dissect.Instrument]float64{}
	for _, f := range all {
		of[f.Instrument] = append(of[f.Instrument], f)
		long[f.Instrument] += f.Seconds
	}
	if files := of[dissect.Trace]; len(files) > 0 {
		t := dissect.Tracing{Files: paths(files), Partial: true}
		a, err := t.Activity(o.Scope)
		if err == nil && a.Procs == 0 && s.Procs > 0 {
			t.Procs = s.Procs
			a, err = t.Activity(o.Scope)
		}
		if err != nil {
			return err
		}
		long[dissect.Trace] = a.Wall
		a.Divide(a.Wall)
		p.Activity = a
	}
	for _, seconds := range long {
		o.Seconds = max(o.Seconds, seconds)
	}
	o.Seconds = max(o.Seconds, s.Seconds)
	for _, look := range []struct {
		by dissect.Instrument
		to **dissect.Weighing
	}{
		{dissect.CPU, &p.Profile}, {dissect.Allocs, &p.Allocs}, {dissect.Mutex, &p.Mutex}, {dissect.Block, &p.Block},
		{dissect.Goroutines, &p.Goroutines}, {dissect.Leaks, &p.Leaks},
	} {
		files := of[look.by]
		if len(files) == 0 {
			continue
		}
		ops := float64(len(files)) // goroutines are counted, each time at one moment, and have no time
		if look.by != dissect.Goroutines && look.by != dissect.Leaks {
			if long[look.by] > 0 {
				files, ops = s.timed(o, files)
			} else if ops = cmp.Or(s.Seconds, o.Seconds); ops == 0 {
				return fmt.Errorf("%s does not say how long it was recorded, as it is of all since the program began: add a CPU profile or a trace of that time, record it with ?seconds=10, or say --seconds", files[0].path)
			} else if s.Seconds == 0 {
				o.Note("%s does not say how long it was recorded: it is taken for the %s of the others", filepath.Base(files[0].path), humanize.Format(ops*1e9, "ns"))
			}
		}
		w, err := dissect.Weigh(look.by, dissect.Sampling{Files: paths(files), Ops: ops}, o.Scope)
		if err != nil {
			return err
		}
		*look.to = w
	}
	return nil
}

// timed returns which of the profiles of one kind can be added up, and how long they were recorded
// in all. One that does not say so is of another time than the others.
func (s Saved) timed(o *evidence.Observation, files []identified) (timed []identified, long float64) {
	for _, f := range files {
		f.Seconds = cmp.Or(f.Seconds, s.Seconds)
		if f.Seconds == 0 {
			o.Note("%s is left out: it does not say how long it was recorded, as others of its kind do (--seconds says it)", filepath.Base(f.path))
			continue
		}
		timed = append(timed, f)
		long += f.Seconds
	}
	return timed, long
}

func paths(files []identified) []string {
	all := make([]string, len(files))
	for i, f := range files {
		all[i] = f.path
	}
	return all
}

// relocate has all places of an observation where their source is.
func relocate(o *evidence.Observation, find func(dissect.Place) dissect.Place) {
	move := func(p *dissect.Place) { *p = find(*p) }
	for i := range o.Points {
		p := &o.Points[i]
		for _, w := range []*dissect.Weighing{p.Profile, p.Allocs, p.Mutex, p.Block, p.Goroutines, p.Leaks} {
			if w != nil {
				for k := range w.Lines {
					move(&w.Lines[k].Place)
				}
			}
		}
		if p.Activity == nil {
			continue
		}
		moved := map[*dissect.Place]bool{} // a stack may be that of several lines
		stack := func(s []dissect.Place) {
			for k := range s {
				if !moved[&s[k]] {
					moved[&s[k]] = true
					move(&s[k])
				}
			}
		}
		for k := range p.Activity.Spawns {
			move(&p.Activity.Spawns[k].Place)
			stack(p.Activity.Spawns[k].Stack)
		}
		for k := range p.Activity.Parks {
			park := &p.Activity.Parks[k]
			move(&park.Place)
			stack(park.Stack)
			for n := range park.Of {
				move(&park.Of[n].Place)
			}
		}
	}
}

// Named takes the words of the command line for files, if they are some: the first
// may be the program, as go tool pprof takes it.
func Named(args []string) (program string, files []string, err error) {
	var others []string
	for _, a := range args {
		if info, err := os.Stat(a); err == nil && info.Mode().IsRegular() && filepath.Ext(a) != ".go" {
			files = append(files, a)
		} else {
			others = append(others, a)
		}
	}
	if len(files) > 0 && len(others) > 0 {
		return "", nil, fmt.Errorf("%s is a file, and %s is none: want either recordings, or packages whose benchmarks to run", files[0], strings.Join(others, " "))
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		if isProgram(f) {
			program = f
			return true
		}
		return false
	})
	if program != "" && len(files) == 0 {
		return "", nil, fmt.Errorf("%s is a program: want recordings of it, as from go test -cpuprofile or /debug/pprof; or name its main package after --, to have it run", program)
	}
	return program, files, nil
}
