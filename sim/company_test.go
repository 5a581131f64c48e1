package sim_test

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// parsed parses text and returns its only company.
func parsed(t *testing.T, text string) sim.Company {
	t.Helper()
	cs, err := sim.ParseCompanies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return cs[0]
}

// numbered makes laws that keep the limits given, one for each Limiter in turn.
func numbered(limits ...int) func() control.Controller {
	i := 0
	return func() control.Controller {
		n := limits[i%len(limits)]
		i++
		return law(func(control.Reading) control.Decision { return control.Decision{Limit: n} })
	}
}

func runCompany(t *testing.T, c sim.Company, newLaw func() control.Controller) *sim.CompanyResult {
	t.Helper()
	r, err := sim.RunCompany(c, 1, newLaw)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The best fixed limits score 1 in every company that comes with the package,
// with its noise and a seed of its own.
func TestBestFixedScoresOne(t *testing.T) {
	rerun.Serial(t)
	for _, c := range sim.Companies() {
		if n := c.Processes[0].Limiters[0].Count; n > 2 {
			c.Seconds = 4 // a second of real time for each million units
		}
		best := sim.CompanyBest(c)
		r := runCompany(t, c, numbered(best...))
		// Chance, and what is in flight at the end.
		if !closeTo(r.Score, 1, 0.012) || !closeTo(r.Late, 1, 0.012) || r.Least < 0.95 || !closeTo(r.Ratio, 1, 1e-9) {
			t.Errorf("%s: score %.4f, late %.4f, least %.4f, ratio %.4f of %v", c.Name, r.Score, r.Late, r.Least, r.Ratio, best)
		}
		if r.Jain < 0.995 || r.JainLate < 0.995 {
			t.Errorf("%s: fairness %v, %v", c.Name, r.Jain, r.JainLate)
		}
	}
}

// A Limiter whose units end rarely does not hide what limit another one needs.
func TestBestFixedOfUnlikePaces(t *testing.T) {
	rerun.Serial(t)
	c := parsed(t, `
company uneven
	cpus 4
	seconds 12
	noise 0
	server fast
		places 64
		service exp(2ms)
	process
		limiters 1
			calls fast
		limiters 1
			callers 4
			wait const(3s)
`)
	best := sim.CompanyBest(c)
	if best[0] < 48 || best[0] > 96 || best[1] != 4 {
		t.Errorf("the best limits are %v, want about 64 and 4", best)
	}
	if r := runCompany(t, c, numbered(best...)); !closeTo(r.Loops[0].Score, 1, 0.012) || r.Loops[1].Score < 0.7 {
		t.Errorf("the best limits score %.4f and %.4f", r.Loops[0].Score, r.Loops[1].Score)
	}
}

// A loop that completes nothing at any limit has no score, and does not decide which limits
// are best.
func TestBestFixedBesideALoopThatCompletesNothing(t *testing.T) {
	c := parsed(t, `
company barren
	cpus 2
	seconds 10
	noise 0
	server api
		places 8
		service exp(5ms)
	process
		limiters 1
			callers 32
			calls api
		limiters 1
			start 9s
			callers 32
			wait const(2s)
`)
	best := sim.CompanyBest(c)
	if best[0] < 8 || best[1] != 1 {
		t.Errorf("the best limits are %v, want 8 or so, and the least", best)
	}
	r := runCompany(t, c, numbered(best...))
	if x := r.Loops[0]; r.Score != x.Score || r.Late != x.Late || r.Least != x.Score || r.LeastLate != x.Late || !closeTo(x.Score, 1, 0.012) {
		t.Errorf("score %v, late %v, least %v and %v; want those of the loop that completes something, %v and %v", r.Score, r.Late, r.Least, r.LeastLate, x.Score, x.Late)
	}
	if !math.IsNaN(r.Loops[1].Score) {
		t.Errorf("the other one scores %v", r.Loops[1].Score)
	}
}

// A kind that completes nothing in the second half, even with the best limits, has no part in
// what is said of that half.
func TestLateLeavesOutWhatCannotComplete(t *testing.T) {
	c := parsed(t, `
company dark
	cpus 2
	seconds 10
	server api
		places 8
		service exp(5ms)
		outage 5s 10s ignored
	process
		limiters 2
			callers 8
			calls api
		limiters 2
			callers 8
			wait exp(5ms)
`)
	for range 20 { // maps are read in any order
		r := runCompany(t, c, numbered(4, 4, 2, 6))
		a, b := r.Loops[2].Late, r.Loops[3].Late
		if want := (a + b) * (a + b) / (2 * (a*a + b*b)); !closeTo(r.JainLate, want, 1e-9) || r.LeastLate != a || !closeTo(r.Late, (a+b)/2, 1e-9) {
			t.Fatalf("late %v, least %v, fairness %v; want %v, %v, %v", r.Late, r.LeastLate, r.JainLate, (a+b)/2, a, want)
		}
	}
}

// Where a scenario can say the same, the throughput is that of the product form.
func TestCompanyIsTheProductForm(t *testing.T) {
	rerun.Skip(t)
	c := parsed(t, `
company one
	cpus 2
	seconds 10
	server db
		places 8
		service exp(4ms)
	process
		limiters 1
			wait exp(3ms)
			calls db
			cpu exp(900us)
`)
	s := sim.Scenario{Name: "one", P: 2, Seconds: 10, Phases: []sim.Phase{{
		Wait: sim.Dist{Kind: sim.Exponential, A: 0.003}, Service: sim.Dist{Kind: sim.Exponential, A: 0.004}, Servers: 8,
		CPU: sim.Dist{Kind: sim.Exponential, A: 0.0009},
	}}}
	for _, n := range []int{1, 4, 12, 40} {
		if got, want := sim.CompanyRates(c, n)[0][0], sim.Throughput(s, 0, n); !closeTo(got/want, 1, 0.015) {
			t.Errorf("%d in flight: %.1f a second, want %.1f", n, got, want)
		}
	}
}

// The units in flight are all somewhere, and each once.
func TestCompanyLosesNoUnit(t *testing.T) {
	for _, name := range []string{"limit24refuse1", "outage", "outage429", "mixedcompany", "processes2late", "shared10"} {
		c := company(t, name)
		for i := range c.Servers {
			if o := &c.Servers[i].Outage; o.To > 0 {
				o.From, o.To = 11, 12
			}
		}
		c.Seconds = 12
		counted, found := sim.CompanyPlaces(c, 3, sweep)
		if !slices.Equal(counted, found) || slices.Contains(counted, 0) {
			t.Errorf("%s: %d units are in flight, and %d found", name, counted, found)
		}
	}
}

// Little's law holds for what the sensors see.
func TestLittlesLawInACompany(t *testing.T) {
	newLaw, readings := recorded(10)
	runCompany(t, company(t, "mixedcompany"), newLaw)
	for i, r := range *readings {
		if !closeTo(r.Residence/r.Occupancy, 1, 0.003) || !closeTo(r.Occupancy/(10*r.At.Seconds()), 1, 0.002) {
			t.Errorf("loop %d: times in flight add up to %v s, the units in flight to %v", i, r.Residence, r.Occupancy)
		}
	}
}

// Units of two processes are served in the order in which they come: with equal
// service and one place, one of the first and three of the second in turn.
func TestSharedServerIsFirstComeFirstServed(t *testing.T) {
	c := parsed(t, `
company fifo
	cpus 1
	seconds 10
	noise 0
	server db
		places 1
		service const(10ms)
	process
		limiters 1
			calls db
	process
		limiters 1
			calls db
`)
	r := runCompany(t, c, numbered(1, 3))
	a, b := r.Loops[0].Completed, r.Loops[1].Completed
	if a+b < 999 || a+b > 1000 || b < 3*a-3 || b > 3*a+3 {
		t.Errorf("%d and %d units, want 250 and 750", a, b)
	}
}

func TestCPUsAreSharedFairly(t *testing.T) {
	for _, c := range []struct {
		about, plant string
		limits       []int
		want         []float64 // units per second
	}{
		{"goroutines of one process share equally", `
	process
		limiters 1
			cpu const(1ms)
		limiters 1
			cpu const(1ms)`, []int{1, 3}, []float64{500, 1500}},
		{"the background has its share", `
	process
		background 3
		limiters 1
			cpu const(1ms)`, []int{5}, []float64{1250}},
		{"a process has as many threads as CPUs", `
	process
		limiters 1
			cpu const(1ms)
	process
		background 1
		limiters 1
			cpu const(1ms)`, []int{10, 1}, []float64{1000, 500}},
		{"others have threads too", `
	others 2
	process
		limiters 1
			cpu const(1ms)`, []int{10}, []float64{1000}},
		{"one unit has one CPU", `
	process
		limiters 1
			cpu const(1ms)`, []int{1}, []float64{1000}},
		{"a curve slows its own Limiter", `
	process
		limiters 1
			cpu const(1ms)
			slow n
		limiters 1
			cpu const(1ms)`, []int{2, 2}, []float64{500, 1000}},
	} {
		plant := parsed(t, "company shares\ncpus 2\nseconds 4\nnoise 0"+c.plant)
		for i, l := range runCompany(t, plant, numbered(c.limits...)).Loops {
			late := l.Trace[len(l.Trace)/2:]
			sum := 0.0
			for _, p := range late {
				sum += p.Rate / float64(len(late))
			}
			if !closeTo(sum/c.want[i], 1, 0.02) {
				t.Errorf("%s: loop %d gets %v units a second, want %v", c.about, i, sum, c.want[i])
			}
		}
	}
}

// recorded keeps the newest reading of each Limiter.
func recorded(limit int) (func() control.Controller, *[]control.Reading) {
	var all []control.Reading
	return func() control.Controller {
		i := len(all)
		all = append(all, control.Reading{})
		return law(func(r control.Reading) control.Decision {
			all[i] = r
			return control.Decision{Limit: limit}
		})
	}, &all
}

// A loop's sensors cannot tell its own work from that of others in its process.
func TestOwnCPUIsTheProcesss(t *testing.T) {
	c := parsed(t, `
company two
	cpus 4
	seconds 10
	noise 0
	others 1
	process
		background 1
		limiters 1
			callers 8
			wait const(10ms)
		limiters 1
			callers 8
			cpu ln(1ms, 0.5)
	process
		limiters 1
			start 2s
			callers 8
			wait const(10ms)
`)
	newLaw, readings := recorded(1)
	runCompany(t, c, newLaw)
	for i, want := range []struct{ seconds, own, machine float64 }{{10, 20, 30}, {10, 20, 30}, {8, 0, 24}} {
		r := (*readings)[i]
		if !closeTo(r.At.Seconds(), want.seconds, 0.03) || !closeTo(r.OwnCPU, want.own, 0.1) || !closeTo(r.MachineCPU, want.machine, 0.1) || r.CPUs != 4 || r.Runnable > 0.02 {
			t.Errorf("loop %d reads %+v, want own %v, machine %v", i, r, want.own, want.machine)
		}
	}
	newLaw, readings = recorded(6)
	runCompany(t, c, newLaw)
	for i, want := range []float64{30, 30, 0} { // 6 units and the background on 4 threads
		if r := (*readings)[i]; !closeTo(r.Runnable, want, 0.3) {
			t.Errorf("loop %d: runnable %v, want %v", i, r.Runnable, want)
		}
	}
}

// A limit above the callers does not bind, and nobody waits.
func TestCallersBound(t *testing.T) {
	c := company(t, "computing")
	c.Seconds = 4
	for _, x := range []struct {
		limit, inFlight, waiting int
		bound                    bool
	}{{100, 100, 156, true}, {256, 256, 0, false}, {400, 256, 0, false}} {
		newLaw, readings := recorded(x.limit)
		runCompany(t, c, newLaw)
		r := (*readings)[0]
		if bound := r.Bound > 3.9; r.InFlight != x.inFlight || r.Waiting != x.waiting || bound != x.bound || !bound && r.Bound > 0.1 {
			t.Errorf("limit %d: %+v", x.limit, r)
		}
	}
}

func TestRefusalsAreCounted(t *testing.T) {
	for _, x := range []struct {
		name              string
		limit             int
		refused, refusing float64
	}{
		{"refuse5", 64, 0.05, 0}, {"refuse5", 8, 0.05, 0}, {"refuse20", 64, 0.2, 0},
		{"limit24", 24, 0, 0}, {"limit24", 25, 0.45, 1},
		// In 3 of 40 s 64 units fail each millisecond; 3,200 a second are served.
		{"outage429", 64, 192 / (192 + 118.4), 0.075}, {"outage", 64, 0, 0.075},
	} {
		newLaw, readings := recorded(x.limit)
		c := company(t, x.name)
		r, last := runCompany(t, c, newLaw), (*readings)[0]
		if !closeTo(r.Refused, x.refused, 0.02) || !closeTo(r.Refusing, x.refusing, 0.003) {
			t.Errorf("%s at %d: %.4f of the units refused, %.4f of the time; want %v, %v", x.name, x.limit, r.Refused, r.Refusing, x.refused, x.refusing)
		}
		l := r.Loops[0]
		if last.Completed > l.Completed || last.Completed < l.Completed*99/100 || last.Overloads > l.Overloads || last.Overloads < l.Overloads*99/100 || last.Timed != last.Completed {
			t.Errorf("%s: the last reading has %d completed and %d overloads of %d and %d", x.name, last.Completed, last.Overloads, l.Completed, l.Overloads)
		}
		outage := c.Servers[0].Outage
		for _, p := range l.Trace {
			if out := outage.To > 0 && p.At > 20.06 && p.At < 23.001; out != (p.Rate == 0) {
				t.Errorf("%s: %v units a second at %v s", x.name, p.Rate, p.At)
			}
		}
	}
}

// Loops tick out of step, and a law is asked as it wishes, but at once when
// units are refused.
func TestGovernorsOfACompany(t *testing.T) {
	c := company(t, "ten")
	c.Seconds = 2
	var asked [][]time.Duration
	runCompany(t, c, func() control.Controller {
		i := len(asked)
		asked = append(asked, nil)
		return law(func(r control.Reading) control.Decision {
			asked[i] = append(asked[i], r.At)
			return control.Decision{Limit: 4, Soon: i == 1, After: time.Duration(i/2) * 100 * time.Millisecond}
		})
	})
	for i, at := range asked {
		want := []int{200, 400, 18, 18, 9, 9, 6, 6, 4, 4}[i]
		if len(at) < want*9/10 || len(at) > want*11/10+1 {
			t.Errorf("loop %d was asked %d times, want %d", i, len(at), want)
		}
		if i > 0 && reflect.DeepEqual(at[0], asked[0][0]) {
			t.Errorf("loops 0 and %d tick in step", i)
		}
	}
	c = company(t, "refuse5")
	c.Seconds = 2
	n := 0
	r := runCompany(t, c, func() control.Controller {
		return law(func(r control.Reading) control.Decision {
			n++
			return control.Decision{Limit: 4, After: time.Hour}
		})
	})
	if n < 10 || int64(n) > r.Loops[0].Overloads+1 {
		t.Errorf("asked %d times with %d overloads", n, r.Loops[0].Overloads)
	}
}

// Every unit of this company is late, and its law gets to know that.
func TestCompanyCountsLateUnits(t *testing.T) {
	c := parsed(t, "company late\ncpus 2\nseconds 2\nprocess\nlimiters 1\nwait const(50ms)\n")
	var late, timed int64
	runCompany(t, c, func() control.Controller {
		return watched{
			control.NewOverload(control.NewObjective(control.NewFixed(4), 10*time.Millisecond)),
			func(r control.Reading) { late, timed = r.Late, r.Timed },
		}
	})
	if timed == 0 || late != timed {
		t.Errorf("%d of %d units are late, want all", late, timed)
	}
}

func TestRunCompanyIsDeterministic(t *testing.T) {
	for _, name := range []string{"mixedcompany", "shared10", "limit24refuse1", "processes2late"} {
		c := company(t, name)
		c.Seconds = 12
		run := func(seed uint64, cpus int) *sim.CompanyResult {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cpus))
			r, err := sim.RunCompany(c, seed, sweep)
			if err != nil {
				t.Fatal(err)
			}
			if math.IsNaN(r.Jain) {
				r.Jain, r.JainLate = -1, -1 // so that equal results are equal
			}
			return r
		}
		a, b, other := run(3, 1), run(3, 2), run(4, 2)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two runs with one seed differ", name)
		}
		if a.Score == other.Score {
			t.Errorf("%s: another seed gives the same", name)
		}
		if l := a.Loops[0]; len(l.Trace) != 120 || len(l.Changes) == 0 {
			t.Errorf("%s: %d points, %d changes", name, len(l.Trace), len(l.Changes))
		}
	}
}

func TestRunCompanyErrors(t *testing.T) {
	if _, err := sim.RunCompany(sim.Company{}, 1, sweep); err == nil || !strings.Contains(err.Error(), "no name") {
		t.Error(err)
	}
	if _, err := sim.RunCompany(company(t, "ten"), 1, nil); err == nil || !strings.Contains(err.Error(), "want a function") {
		t.Error(err)
	}
	if _, err := sim.JudgeCompanies(nil, []uint64{1}, sweep); err == nil || !strings.Contains(err.Error(), "nothing to judge") {
		t.Error(err)
	}
}

func TestJudgeCompaniesTakesMedians(t *testing.T) {
	c := company(t, "limit24")
	c.Seconds = 4
	rows, err := sim.JudgeCompanies([]sim.Company{c}, []uint64{1, 2, 3}, sweep)
	if err != nil {
		t.Fatal(err)
	}
	var scores []float64
	for seed := range uint64(3) {
		r, err := sim.RunCompany(c, seed+1, sweep)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, r.Score)
	}
	row := rows[0]
	if row.Worst != min(scores[0], scores[1], scores[2]) || row.Score < row.Worst || !reflect.DeepEqual(row.Best, []int{24}) || row.Name != "limit24" {
		t.Errorf("%+v of %v", row, scores)
	}
}

// Each kind of Limiter has one best limit in a row, wherever its Limiters are.
func TestCompanyRowNamesTheBestOfEachKind(t *testing.T) {
	const process = `
	process
		limiters 2
			callers 2
			wait exp(5ms)
		limiters 1
			callers 8
			wait exp(5ms)`
	for _, x := range []struct {
		about, plant string
		want         []int
	}{
		{"two processes alike", process + process, []int{2, 8}},
		{"two kinds with the same best", `
	process
		limiters 1
			callers 2
			wait exp(5ms)
		limiters 1
			callers 2
			wait exp(6ms)`, []int{2, 2}},
	} {
		c := parsed(t, "company kinds\ncpus 2\nseconds 1\nnoise 0"+x.plant)
		rows, err := sim.JudgeCompanies([]sim.Company{c}, []uint64{1}, numbered(1))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(rows[0].Best, x.want) {
			t.Errorf("%s: the best are %v, want %v", x.about, rows[0].Best, x.want)
		}
	}
}

func company(t *testing.T, name string) sim.Company {
	t.Helper()
	for _, c := range sim.Companies() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no company %s", name)
	panic("unreachable")
}

// Loops whose units queue see the others of their process, and of those that share a name.
func TestWhoKnowsWhom(t *testing.T) {
	all := []control.Reading{}
	c := parsed(t, `
company names
	cpus 4
	seconds 10
	noise 0
	server db
		places 8
		service const(10ms)
	process
		limiters 2
			calls db
	process
		share a
		limiters 2
			calls db
	process
		share a
		limiters 1
			calls db
	process
		share b
		limiters 1
			calls db
`)
	runCompany(t, c, func() control.Controller {
		i := len(all)
		all = append(all, control.Reading{})
		return law(func(r control.Reading) control.Decision {
			all[i] = r
			return control.Decision{Limit: 1 + int(r.At/time.Second)} // at 1 none queues
		})
	})
	for i, want := range []float64{1, 1, 2, 2, 2, 0} {
		// All queue from the second second on.
		if got := all[i].Others.Work / (all[i].At.Seconds() - 2); math.Abs(got-want) > 0.25*want {
			t.Errorf("loop %d sees %.2f others at work, want %v", i, got, want)
		}
	}
}
