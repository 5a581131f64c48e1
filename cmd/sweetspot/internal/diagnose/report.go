package diagnose

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/findings"
	"github.com/sweetspot-go/sweetspot/internal/pattern"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// Version is that of the format of a [Report] as JSON.
const Version = 1

// A Report is what diagnose says: of each benchmark, or of the command, what it
// does, and the causes of lost time, ranked.
type Report struct {
	Version int             `json:"version"`
	Machine figures.Machine `json:"machine"`
	Run     Recorded        `json:"run"`
	Targets []*Target       `json:"targets"`
	// Compared is absent where there is no earlier report.
	Compared *Comparison `json:"compared,omitempty"`
	Notes    []string    `json:"notes,omitempty"`
}

// Recorded says how it was measured.
type Recorded struct {
	What    string    `json:"what"` // packages and benchmarks, or the command
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Rounds  int       `json:"rounds"` // without an instrument, at each GOMAXPROCS; 0 of a recording
	// Steady is how many times as much CPU time this machine takes for a loop in
	// registers with as many CPUs busy as the largest GOMAXPROCS as with the least.
	Steady float64 `json:"steady"`
}

// A Target is a benchmark, or a command.
type Target struct {
	Name     string       `json:"name"`
	Package  string       `json:"package"`
	Per      evidence.Per `json:"per"` // what figures are for one of
	Points   []Measured   `json:"points"`
	Scaling  []*Scaling   `json:"scaling"`
	Findings []Finding    `json:"findings"` // the most time that could be won first
	// Untold says why finding nothing does not mean that there is nothing to fix; empty if it does mean that.
	Untold string `json:"untold,omitempty"`

	// What was seen with the most CPUs: where CPU time goes, the lines that start
	// goroutines, those at which goroutines wait, and what they allocate.
	Groups []GroupShare           `json:"groups"`
	Spawns []dissect.Spawn        `json:"spawns"`
	Parks  []dissect.Park         `json:"parks"`
	Heap   []dissect.HeapVariable `json:"heap"`
	// Standing are lines at which goroutines stood when they were listed.
	Standing []Standing `json:"goroutines,omitempty"`
	Seconds  float64    `json:"recorded_seconds,omitempty"` // of a recording
	Notes    []string   `json:"notes,omitempty"`
}

// Measured is a target at one GOMAXPROCS, without an instrument.
type Measured struct {
	Procs   int             `json:"procs"`
	Seconds dissect.Spread  `json:"seconds"`
	CPU     *dissect.Spread `json:"cpu_seconds,omitempty"` // absent where it cannot be told
	// Samples are the seconds of each round.
	Samples []float64 `json:"samples"`
}

// A GroupShare is the part of the CPU time that is spent for something.
type GroupShare struct {
	Group dissect.Group `json:"group"`
	Share float64       `json:"share"`
}

// A Standing is how many goroutines stood at a line.
type Standing struct {
	Place dissect.Place `json:"place"`
	Count float64       `json:"count"`
}

// hardlyRan is the part of the time below which something is not told of.
const hardlyRan = 0.01

// linesTold is how many lines of each kind a report has: what is not among the
// first eight takes next to no time.
const linesTold = 8

func reportOn(all []*evidence.Observation, static []Static, run Recorded) *Report {
	r := &Report{Version: Version, Machine: figures.ThisMachine(), Run: run, Targets: []*Target{}}
	src := sources{}
	workers := scalingByWorkers(all)
	for i, o := range all {
		t := &Target{
			Name: o.Name, Package: o.Package, Per: o.Per, Notes: o.Notes, Seconds: o.Seconds,
			Points: []Measured{}, Scaling: []*Scaling{}, Groups: []GroupShare{},
			Spawns: []dissect.Spawn{}, Parks: []dissect.Park{}, Heap: []dissect.HeapVariable{},
			Findings: append([]Finding{}, examine(o, static, src, run.Steady)...),
		}
		r.Targets = append(r.Targets, t)
		var points []ScalePoint
		for _, p := range o.Points {
			m := Measured{Procs: p.Procs, Seconds: dissect.SpreadOf(p.Seconds), Samples: append([]float64{}, p.Seconds...)}
			if len(p.CPU) > 0 {
				m.CPU = new(dissect.SpreadOf(p.CPU))
			}
			t.Points = append(t.Points, m)
			points = append(points, ScalePoint{N: p.Procs, Samples: rates(p.Seconds)})
		}
		byCPUs := scalingOf("GOMAXPROCS", points, r.Machine.CPUs)
		if byCPUs != nil && len(byCPUs.Points) > 1 {
			t.Scaling = append(t.Scaling, byCPUs)
		}
		if len(t.Findings) == 0 {
			t.Untold = untold(o, byCPUs)
		}
		if s := workers[i]; s != nil {
			t.Scaling = append(t.Scaling, s)
		}
		t.observe(o)
	}
	return r
}

// observe copies what was seen with the most CPUs.
func (t *Target) observe(o *evidence.Observation) {
	if len(o.Points) == 0 {
		return
	}
	p := o.Largest()
	if p.Profile != nil {
		for _, g := range dissect.Groups() {
			t.Groups = append(t.Groups, GroupShare{g, p.Profile.Groups[g]})
		}
	}
	if a := p.Activity; a != nil {
		for _, s := range a.Spawns {
			// What was there before, and hardly ran, is not of the work.
			if len(t.Spawns) < linesTold && (s.Goroutines > 0 || s.Running >= hardlyRan*evidence.Median(p.Seconds)) {
				t.Spawns = append(t.Spawns, s)
			}
		}
		t.Parks = append(t.Parks, a.Parks[:min(linesTold, len(a.Parks))]...)
	}
	if p.Goroutines != nil {
		for _, w := range p.Goroutines.Lines {
			if len(t.Standing) < linesTold && w.Own.Count > 0 {
				t.Standing = append(t.Standing, Standing{w.Place, w.Own.Count})
			}
		}
	}
	t.Heap = append(t.Heap, o.Heap[:min(linesTold, len(o.Heap))]...)
}

func rates(seconds []float64) []float64 {
	var all []float64
	for _, s := range seconds {
		if s > 0 {
			all = append(all, 1/s)
		}
	}
	return all
}

// workersPart is the part of the name of a sub-benchmark that says how many
// workers it has, as in "workers=4".
var workersPart = pattern.Of(`(?i)/(workers|goroutines|concurrency|parallelism|par|jobs|n?procs|threads|conns|clients)[=:_-]?(\d+)(/|$)`)

// scalingByWorkers finds benchmarks that differ by nothing but their number of
// workers. The scaling is with the first of them.
func scalingByWorkers(all []*evidence.Observation) map[int]*Scaling {
	type family struct {
		first  int
		most   int
		points []ScalePoint
	}
	families := map[string]*family{}
	for i, o := range all {
		m := workersPart().FindStringSubmatchIndex(o.Name)
		if m == nil || len(o.Points) == 0 {
			continue
		}
		n, err := strconv.Atoi(o.Name[m[4]:m[5]])
		if err != nil || n < 1 {
			continue
		}
		key := o.Package + " " + o.Name[:m[4]] + "*" + o.Name[m[5]:]
		f := families[key]
		if f == nil {
			f = &family{first: i, most: o.Largest().Procs}
			families[key] = f
		}
		// Workers that leave the CPUs idle most of the time are not bound by their
		// number.
		if o.Idle() > fewIdle {
			f.most = math.MaxInt
		}
		f.points = append(f.points, ScalePoint{N: n, Samples: rates(o.Largest().Seconds)})
	}
	found := map[int]*Scaling{}
	for _, f := range families {
		if len(f.points) > 1 {
			if s := scalingOf("workers", f.points, f.most); s != nil {
				found[f.first] = s
			}
		}
	}
	return found
}

// Lost reports whether there is anything to fix.
func (r *Report) Lost() bool {
	return slices.ContainsFunc(r.Targets, func(t *Target) bool { return len(t.Findings) > 0 })
}

// WriteJSON writes the report as schema.json describes it.
func (r *Report) WriteJSON(w io.Writer) error {
	if err := findings.WriteJSON(w, r); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
