package diagnose_test

import (
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// at is a line of the work in testdata, which none of the functions here runs.
func at(t *testing.T, fn string, line int) dissect.Place {
	t.Helper()
	file, err := filepath.Abs("testdata/work.go")
	if err != nil {
		t.Fatal(err)
	}
	return dissect.Place{Func: "example.com/work." + fn, File: file, Line: line}
}

// flat is a figure that is the same in each of six rounds.
func flat(v float64) []float64 { return []float64{v, v, v, v, v, v} }

// made is an observation with one CPU and with two, of an operation that takes a
// millisecond, half of it with two if all is well.
func made(groups map[dissect.Group]float64) *evidence.Observation {
	weigh := func() *dissect.Weighing {
		return &dissect.Weighing{Samples: 500, All: dissect.Cost{Count: 500, Amount: 1e-3}, Groups: groups}
	}
	point := func(procs int) evidence.Point {
		return evidence.Point{
			Procs: procs, Seconds: flat(1e-3 / float64(procs)), CPU: flat(1e-3),
			Activity: &dissect.Activity{Schedule: &dissect.Schedule{}}, Profile: weigh(),
			Allocs: &dissect.Weighing{}, Mutex: &dissect.Weighing{}, Block: &dissect.Weighing{},
		}
	}
	return &evidence.Observation{
		Name: "BenchmarkWork", Package: "example.com/work", Module: "/work", Per: evidence.Op,
		Points: []evidence.Point{point(1), point(2)},
	}
}

// weight is what a line costs, which is divided into groups by shares.
func weight(p dissect.Place, amount float64, shares map[dissect.Group]float64) dissect.Weight {
	c := dissect.Cost{Count: 100, Amount: amount}
	groups := map[dissect.Group]float64{}
	for g, share := range shares {
		groups[g] = share * amount
	}
	return dissect.Weight{Place: p, Self: c, Own: c, Through: c, Spawned: c, Groups: groups}
}

// busy is the profile of work that hands over more than it works.
var busy = map[dissect.Group]float64{dissect.Own: 0.1, dissect.Channels: 0.3, dissect.Scheduling: 0.5, dissect.Allocation: 0.1}

// quiet is that of work which does not.
var quiet = map[dissect.Group]float64{dissect.Own: 0.98, dissect.Scheduling: 0.02}

// recursive is a recursion that starts a goroutine for each call.
func recursive(t *testing.T) *evidence.Observation {
	o := made(busy)
	p := o.Largest()
	spawn, wait := at(t, "fib", 20), at(t, "fib", 22)
	p.Activity.Spawns = []dissect.Spawn{{
		Place: spawn, Entry: "example.com/work.fib.func1", Stack: []dissect.Place{spawn, at(t, "fib.func1", 20)},
		Goroutines: 900, Peak: 40, MedianRun: 5e-7, Ended: 18000, Running: 6e-4, Runnable: 3e-3, Starts: 1800,
		Waits: map[string]dissect.Wait{"chan send": {Times: 400, Seconds: 1e-3}},
	}}
	p.Activity.Parks = []dissect.Park{{Place: wait, Stack: []dissect.Place{wait}, Reason: "chan receive", Wait: dissect.Wait{Times: 900, Seconds: 2e-3}, MedianRun: 4e-7, Goroutines: 900, Executed: 900}}
	p.Profile.Lines = []dissect.Weight{
		weight(spawn, 3e-4, map[dissect.Group]float64{dissect.Scheduling: 0.8, dissect.Own: 0.2}),
		weight(wait, 3e-4, map[dissect.Group]float64{dissect.Channels: 1}),
	}
	return o
}

// handed is a channel that carries one int at a time.
func handed(t *testing.T) *evidence.Observation {
	o := made(busy)
	p := o.Largest()
	spawn, send, receive := at(t, "hand", 27), at(t, "hand.func1", 29), at(t, "hand", 33)
	p.Activity.Spawns = []dissect.Spawn{{Place: spawn, Entry: "example.com/work.hand.func1", Goroutines: 1, Peak: 1, MedianRun: 4e-4, Ended: 20, Running: 4e-4}}
	for _, k := range []dissect.Park{{Place: send, Reason: "chan send"}, {Place: receive, Reason: "chan receive"}} {
		k.Times, k.Seconds, k.MedianRun, k.Goroutines, k.Executed = 990, 5e-4, 3e-7, 20, 1000
		p.Activity.Parks = append(p.Activity.Parks, k)
		p.Profile.Lines = append(p.Profile.Lines, weight(k.Place, 3e-4, map[dissect.Group]float64{dissect.Channels: 0.7, dissect.Scheduling: 0.2, dissect.Own: 0.1}))
	}
	return o
}

// shared is a line that takes thrice the CPU time with two CPUs.
func shared(t *testing.T) *evidence.Observation {
	line := at(t, "add.func1", 44)
	return inflated(3, func(times float64) []dissect.Weight {
		return []dissect.Weight{weight(line, times*0.95e-3, map[dissect.Group]float64{dissect.Own: 1})}
	})
}

// inflated takes so many times the CPU time with two CPUs, in lines that take their part of that.
func inflated(times float64, lines func(times float64) []dissect.Weight) *evidence.Observation {
	o := made(quiet)
	for i, times := range []float64{1, times} {
		p := &o.Points[i]
		p.CPU = flat(times * 1e-3)
		p.Seconds = flat(times * 1e-3 / float64(p.Procs))
		p.Profile.All.Amount = times * 1e-3
		p.Profile.Lines = lines(times)
	}
	return o
}

// flooded starts a goroutine for each of many units that are worth one.
func flooded(t *testing.T) *evidence.Observation {
	o := made(quiet)
	spawn := at(t, "each", 67)
	o.Largest().Activity.Spawns = []dissect.Spawn{{
		Place: spawn, Entry: "golang.org/x/sync/errgroup.(*Group).Go.func1", Stack: []dissect.Place{spawn},
		Goroutines: 1000, Peak: 1000, MedianRun: 4e-4, Ended: 3000, Running: 0.4, Runnable: 180,
	}}
	return o
}

// locked waits for a lock, and leaves the CPUs idle meanwhile.
func locked(t *testing.T) *evidence.Observation {
	o := made(quiet)
	p := o.Largest()
	p.Activity.Idle = 0.5
	w := weight(at(t, "(*counter).count", 60), 0.8e-3, nil)
	p.Mutex = &dissect.Weighing{All: dissect.Cost{Count: 500, Amount: 0.8e-3}, Lines: []dissect.Weight{w}}
	return o
}

// barged has a lock that its holder releases and takes again at once. The goroutine that the release
// has woken comes too late. The profile of locks shows short waits; most of the time is waking.
func barged(t *testing.T) *evidence.Observation {
	o := locked(t)
	p := o.Largest()
	p.Mutex.All, p.Mutex.Lines[0].Own = dissect.Cost{Count: 100, Amount: 1e-5}, dissect.Cost{Count: 100, Amount: 1e-5}
	p.Activity.Parks = []dissect.Park{
		{Stack: []dissect.Place{{Func: "internal/sync.(*Mutex).lockSlow"}, at(t, "(*counter).count", 58)}, Wait: dissect.Wait{Times: 200}, Waking: 1.4e-3},
		{Stack: []dissect.Place{{Func: "sync.(*WaitGroup).Wait"}}, Wait: dissect.Wait{Times: 800}, Waking: 1},
	}
	return o
}

// read takes a lock, for which nobody waits, and which takes five times the CPU time with
// two CPUs.
func read(t *testing.T) *evidence.Observation {
	return inflated(5, func(times float64) []dissect.Weight {
		return []dissect.Weight{weight(at(t, "(*counter).count", 58), times*0.8e-3, map[dissect.Group]float64{dissect.Channels: 1})}
	})
}

// starved has as many workers as CPUs, and they wait for the network.
func starved(t *testing.T) *evidence.Observation {
	o := made(quiet)
	for i := range o.Points {
		p := &o.Points[i]
		p.Activity.Idle = 0.98
		p.Activity.Spawns = []dissect.Spawn{{
			Place: at(t, "hash", 77), Entry: "example.com/work.hash", Goroutines: float64(p.Procs), Peak: p.Procs, MedianRun: 1e-5, Ended: 2, Running: 1e-5,
			Waiting: 0.9e-3, Waits: map[string]dissect.Wait{"network": {Times: 10, Seconds: 0.88e-3}},
		}}
	}
	return o
}

func TestAsManyWorkersAsNumCPU(t *testing.T) {
	for _, c := range []struct {
		fn   string
		line int
		want int
	}{{"pool", 7, 1}, {"two", 17, 0}} {
		o := starved(t)
		for i := range o.Points {
			s := &o.Points[i].Activity.Spawns[0]
			s.Place = at(t, c.fn, c.line)
			s.Place.File = filepath.Join(filepath.Dir(s.Place.File), "pool.go")
			s.Goroutines, s.Peak = 2, 2 // whatever GOMAXPROCS is
		}
		if all := diagnose.Examine(o, nil, 1); len(all) != c.want || c.want == 1 && all[0].Check != "toofew" {
			t.Errorf("%s: found %+v, want %d causes", c.fn, all, c.want)
		}
	}
}

// littering allocates a buffer for each item.
func littering(t *testing.T) *evidence.Observation {
	o := made(map[dissect.Group]float64{dissect.Own: 0.5, dissect.Allocation: 0.2, dissect.Collection: 0.3})
	line := at(t, "hash", 78)
	p := o.Largest()
	p.Profile.Lines = []dissect.Weight{weight(line, 2e-4, map[dissect.Group]float64{dissect.Allocation: 1})}
	p.Allocs = &dissect.Weighing{All: dissect.Cost{Count: 100, Amount: 51200}, Lines: []dissect.Weight{weight(line, 51200, nil)}}
	own := dissect.Cost{Count: 100, Amount: 51200}
	o.Heap = []dissect.HeapVariable{{Place: line, What: "make([]byte, 512) escapes to heap", Why: []string{"from use(buffer) (call parameter) at work.go:79"}, Own: own, Spawned: own}}
	return o
}

func TestCausesAreFound(t *testing.T) {
	for _, c := range []struct {
		name    string
		o       *evidence.Observation
		check   string
		line    int
		least   float64 // of what could be won
		most    float64
		remedy  string
		evident string
	}{
		{"recursion", recursive(t), "recspawn", 20, 0.75, 0.85, "JoinSerial", "900 goroutines an operation start here; the median of them runs for 500 ns"},
		{"item", handed(t), "chanitem", 29, 0.75, 0.85, "MapSeq", "1,000 items an operation go over the channel"},
		{"sharing", shared(t), "falseshare", 44, 0.6, 0.65, "ReduceRange", "3.00 times as much for the same work"},
		{"burst", flooded(t), "unboundedgo", 67, 0, 0.05, "ForEach", "memory, at least 1.95 MiB for their stacks"},
		{"lock", locked(t), "contention", 60, 0.45, 0.55, "Reduce", "50 % of the CPUs are idle"},
		{"lock taken again", barged(t), "contention", 60, 0.45, 0.55, "Reduce", "710 µs an operation"},
		{"readers", read(t), "contention", 58, 0.6, 0.7, "atomic.Pointer", "5.00 times as much for the same work"},
		{"too few", starved(t), "toofew", 77, 0.9, 1, "Limiter", "waiting for the network"},
		{"garbage", littering(t), "garbage", 78, 0.45, 0.55, "Workers", "100 allocations an operation"},
	} {
		all := diagnose.Examine(c.o, nil, 1)
		if len(all) != 1 {
			t.Errorf("%s: found %+v, want one cause", c.name, all)
			continue
		}
		f := all[0]
		if f.Check != c.check || f.Place.Line != c.line || f.Share < c.least || f.Share > c.most {
			t.Errorf("%s: found %s in line %d with %.3f to win, want %s in line %d with %.2f to %.2f", c.name, f.Check, f.Place.Line, f.Share, c.check, c.line, c.least, c.most)
		}
		if !strings.Contains(f.Remedy, c.remedy) || !strings.Contains(strings.Join(f.Evidence, "\n"), c.evident) {
			t.Errorf("%s: remedy %q, evidence %q; want %q and %q", c.name, f.Remedy, f.Evidence, c.remedy, c.evident)
		}
		if got, want := f.Seconds, f.Share*1e-3/2; c.o.Largest().Profile.All.Amount == 1e-3 && (got < 0.99*want || got > 1.01*want) {
			t.Errorf("%s: %g s could be won, want %g", c.name, got, want)
		}
		if f.Text == "" || !strings.HasPrefix(f.URL, "https://github.com/sweetspot-go/sweetspot/blob/main/docs/") {
			t.Errorf("%s: text %q, URL %q", c.name, f.Text, f.URL)
		}
	}
}

// Each observation is changed in the one respect that makes it harmless.
func TestHarmlessIsNotTold(t *testing.T) {
	for name, o := range map[string]*evidence.Observation{
		"nothing": made(quiet),
		"goroutines that work": edited(recursive(t), func(p *evidence.Point) {
			p.Activity.Spawns[0].MedianRun = 1e-3
			p.Activity.Parks, p.Profile.Lines = nil, nil
		}),
		"goroutines that wait for others": edited(recursive(t), func(p *evidence.Point) {
			s := &p.Activity.Spawns[0]
			s.Waits = map[string]dissect.Wait{"network": {Times: s.Goroutines, Seconds: 5e-3 * s.Goroutines}}
			p.Activity.Parks, p.Profile.Lines = nil, nil
		}),
		"items that wait for others": edited(handed(t), func(p *evidence.Point) {
			p.Activity.Spawns = append(p.Activity.Spawns, dissect.Spawn{
				Place: p.Activity.Parks[0].Place, Goroutines: 100, Waits: map[string]dissect.Wait{"sleep": {Times: 1e5, Seconds: 500}},
			})
		}),
		"few goroutines": edited(recursive(t), func(p *evidence.Point) {
			p.Activity.Spawns[0].Ended = 10
			p.Activity.Parks, p.Profile.Lines = nil, nil
		}),
		"goroutines of this library": edited(recursive(t), func(p *evidence.Point) {
			p.Activity.Spawns[0].Entry = "github.com/sweetspot-go/sweetspot.(*crew).work"
			p.Activity.Parks, p.Profile.Lines = nil, nil
		}),
		"goroutines that cost next to nothing": edited(recursive(t), func(p *evidence.Point) {
			p.Profile.Groups = quiet
			p.Profile.Lines = nil
		}),
		"items that are work": edited(handed(t), func(p *evidence.Point) {
			for i := range p.Activity.Parks {
				p.Activity.Parks[i].MedianRun = 1e-3
			}
		}),
		"looks at a context": edited(made(busy), func(p *evidence.Point) {
			look := at(t, "acquire", 88)
			p.Profile.Lines = []dissect.Weight{weight(look, 8e-4, map[dissect.Group]float64{dissect.Channels: 1})}
			p.Activity.Parks = []dissect.Park{{Place: look, Reason: "select", Wait: dissect.Wait{Times: 900, Seconds: 1e-4}, MedianRun: 4e-7}}
		}),
		"a channel that nobody waits for": edited(handed(t), func(p *evidence.Point) {
			for i := range p.Activity.Parks {
				p.Activity.Parks[i].Times = 0
			}
		}),
		"a hand-over that costs next to nothing": edited(handed(t), func(p *evidence.Point) {
			p.Profile.Groups = quiet
			for i := range p.Profile.Lines {
				p.Profile.Lines[i] = weight(p.Profile.Lines[i].Place, 1e-6, busy)
			}
		}),
		"a line as fast with two": edited(shared(t), func(p *evidence.Point) {
			p.CPU, p.Seconds = flat(1.1e-3), flat(0.55e-3)
			p.Profile.All.Amount = 1.1e-3
			p.Profile.Lines[0] = weight(p.Profile.Lines[0].Place, 1.05e-3, nil)
		}),
		"a line that stores nothing": edited(shared(t), func(p *evidence.Point) {
			p.Profile.Lines[0].Place.Line = 48
		}),
		"another cause of CPU time": edited(shared(t), func(p *evidence.Point) {
			p.Profile.Lines[0] = weight(p.Profile.Lines[0].Place, 1.4e-3, nil)
		}),
		"goroutines that were there before": edited(flooded(t), func(p *evidence.Point) {
			p.Activity.Spawns[0].Goroutines, p.Activity.Spawns[0].Ended = 0, 0
		}),
		"goroutines of the standard library": edited(flooded(t), func(p *evidence.Point) {
			p.Activity.Spawns[0].Place = dissect.Place{Func: "net/http.(*Server).Serve", File: "/go/src/net/http/server.go", Line: 3493}
		}),
		"units that have a CPU at once": edited(flooded(t), func(p *evidence.Point) { p.Activity.Spawns[0].Runnable = 0.3 }),
		"a lock while CPUs are busy":    edited(locked(t), func(p *evidence.Point) { p.Activity.Idle = 0.01 }),
		"a lock as cheap with two": edited(read(t), func(p *evidence.Point) {
			p.CPU, p.Seconds = flat(1e-3), flat(0.5e-3)
			p.Profile.All.Amount = 1e-3
		}),
		"a lock whose waiters soon run": edited(barged(t), func(p *evidence.Point) { p.Activity.Parks[0].Waking = 1e-5 }),
		"waits of the runtime":          edited(barged(t), func(p *evidence.Point) { p.Mutex.All.Count = 1e5 }),
		"a lock for a moment":           edited(locked(t), func(p *evidence.Point) { p.Mutex.All.Amount = 1e-5 }),
		"workers that compute":          edited(starved(t), func(p *evidence.Point) { p.Activity.Idle = 0.1 }),
		"more workers than CPUs":        edited(starved(t), func(p *evidence.Point) { p.Activity.Spawns[0].Peak = 100 }),
	} {
		if all := diagnose.Examine(o, nil, 1); len(all) != 0 {
			t.Errorf("%s: found %+v", name, all)
		}
	}
	o := littering(t)
	o.Heap[0].Why = []string{"from buffer (return) at work.go:79"}
	if all := diagnose.Examine(o, nil, 1); len(all) != 0 {
		t.Errorf("garbage that is a result: found %+v", all)
	}
	// What the compiler does not speak of is a slice that need not be on the heap.
	o = littering(t)
	o.Heap = nil
	if all := diagnose.Examine(o, nil, 1); len(all) != 1 || all[0].Check != "garbage" || all[0].Place.Line != 78 {
		t.Errorf("a slice of a size that is not known: found %+v", all)
	}
	// What a finding costs is what its evidence says.
	if all := diagnose.Examine(barged(t), nil, 1); len(all) != 1 || math.Abs(all[0].Waiting-710e-6) > 1e-6 {
		t.Errorf("a lock that is taken again: found %+v, want 710 µs of waiting", all)
	}
	// With one bad round the fault is still there, but not what it costs.
	o = edited(shared(t), func(p *evidence.Point) { p.CPU[3] = 1e-3 })
	if all := diagnose.Examine(o, nil, 1); len(all) != 1 || all[0].Basis != diagnose.Unknown || all[0].Share != 0 {
		t.Errorf("one bad round: found %+v, want the line, and no time", all)
	}
	// Nor is it told where a loop in registers once took as much more.
	o = shared(t)
	o.Control = []float64{1.02, 0.98, 1.1, 3.1, 1, 1}
	if all := diagnose.Examine(o, nil, 1); len(all) != 1 || all[0].Basis != diagnose.Unknown {
		t.Errorf("the machine does it to a loop, too: found %+v, want the line, and no time", all)
	}
	o.Control = []float64{1.02, 0.98, 1.1, 1.4, 1, 1}
	if all := diagnose.Examine(o, nil, 1); len(all) != 1 || all[0].Basis != diagnose.Inflation {
		t.Errorf("the machine does less to a loop: found %+v, want what it costs", all)
	}
	// Nor is it told with three rounds.
	o = shared(t)
	for i := range o.Points {
		o.Points[i].CPU, o.Points[i].Seconds = o.Points[i].CPU[:3], o.Points[i].Seconds[:3]
	}
	if all := diagnose.Examine(o, nil, 1); len(all) != 1 || all[0].Basis != diagnose.Unknown {
		t.Errorf("three rounds: found %+v, want the line, and no time", all)
	}
	// Nor can it be excluded where others have the CPUs.
	o = edited(shared(t), func(p *evidence.Point) { p.CPU, p.Seconds = flat(1e-3), flat(2e-3) })
	if all := diagnose.Examine(o, nil, 1); len(all) != 1 || all[0].Basis != diagnose.Unknown {
		t.Errorf("a busy machine: found %+v, want the line, and no time", all)
	}
	o = edited(shared(t), func(p *evidence.Point) { p.CPU, p.Seconds = flat(0.9e-3), flat(2e-3) })
	if all := diagnose.Examine(o, nil, 1); len(all) != 0 {
		t.Errorf("less CPU time on a busy machine: found %+v", all)
	}
	// The machine does the same to a loop in registers.
	if all := diagnose.Examine(shared(t), nil, 2.9); len(all) != 0 {
		t.Errorf("CPU time that the machine adds: found %+v", all)
	}
}

// The evidence names the numbers of CPUs that were compared.
func TestTheFewestCPUsAreNotAlwaysOne(t *testing.T) {
	suspect := edited(shared(t), func(p *evidence.Point) { p.CPU[3] = 1e-3 })
	for want, o := range map[string]*evidence.Observation{" with 2, 3.00 times as much for the same work": shared(t), "with 4 CPUs as with 2 (": suspect} {
		o.Points[0].Procs, o.Points[1].Procs = 2, 4
		if all := diagnose.Examine(o, nil, 1); len(all) != 1 || !strings.Contains(strings.Join(all[0].Evidence, " "), want) {
			t.Errorf("found %+v, want %q in the evidence", all, want)
		}
	}
}

// Two functions that write to the same memory have what it costs between them: neither has half.
func TestMemoryThatTwoFunctionsWriteTo(t *testing.T) {
	o := inflated(3, func(times float64) []dissect.Weight {
		return []dissect.Weight{
			weight(at(t, "(*turnstile).enter", 115), times*0.45e-3, map[dissect.Group]float64{dissect.Own: 1}),
			weight(at(t, "(*turnstile).leave", 119), times*0.4e-3, map[dissect.Group]float64{dissect.Own: 1}),
		}
	})
	all := diagnose.Examine(o, nil, 1)
	if len(all) != 2 || all[0].Check != "falseshare" || all[0].Place.Line != 115 || all[0].Basis != diagnose.Inflation || all[1].Place.Line != 119 {
		t.Errorf("found %+v, want both functions, as memory that CPUs fight over", all)
	}
	// A sample of what was inlined may be one of the line that it is in: here one of two lines
	// that store nothing.
	for i := range o.Points {
		lines := o.Points[i].Profile.Lines
		lines[1] = weight(at(t, "pass", 34), lines[1].Own.Amount, nil)
		lines[1].Inlined = []string{lines[0].Place.Func}
	}
	if all := diagnose.Examine(o, nil, 1); len(all) != 2 || all[1].Place.Line != 34 {
		t.Errorf("found %+v, want the line into which the other is inlined, too", all)
	}
	// What was added may be elsewhere.
	for i, w := range o.Points[1].Profile.Lines {
		o.Points[1].Profile.Lines[i] = weight(w.Place, 0.7e-3, nil)
	}
	if all := diagnose.Examine(o, nil, 1); len(all) != 0 {
		t.Errorf("where most is added elsewhere: found %+v", all)
	}
}

// Where the starter sleeps, or all workers wait, what they cost beside is won of the
// rest of the time alone.
func TestSleepIsNotWon(t *testing.T) {
	sleep := dissect.Park{Reason: "sleep", Wait: dissect.Wait{Times: 1, Seconds: 0.4e-3}}
	worker := dissect.Spawn{Place: at(t, "pool", 7), Peak: 4, Goroutines: 4, Waits: map[string]dissect.Wait{"network": {Times: 40, Seconds: 1.6e-3}}}
	for name, o := range map[string]*evidence.Observation{
		"the starter": edited(recursive(t), func(p *evidence.Point) { p.Activity.Parks = append(p.Activity.Parks, sleep) }),
		"workers":     edited(recursive(t), func(p *evidence.Point) { p.Activity.Spawns = append(p.Activity.Spawns, worker) }),
		"both": edited(recursive(t), func(p *evidence.Point) {
			k := sleep
			k.Times, k.Of = 4, []dissect.Origin{{Place: worker.Place, Times: 3}}
			p.Activity.Parks = append(p.Activity.Parks, k)
			p.Activity.Spawns = append(p.Activity.Spawns, worker)
		}),
	} {
		all := diagnose.Examine(o, nil, 1)
		if len(all) != 1 {
			t.Errorf("%s: found %+v, want the recursion", name, all)
			continue
		}
		// Of half a millisecond 0.1 ms are left.
		if f := all[0]; f.Share < 0.15 || f.Share > 0.17 || f.Seconds < 0.07e-3 || f.Seconds > 0.09e-3 || !strings.Contains(strings.Join(f.Evidence, " "), "is 80 % of the CPU time") {
			t.Errorf("%s: %.3f to win, which are %g s; evidence %q", name, f.Share, f.Seconds, f.Evidence)
		}
	}
	o := edited(recursive(t), func(p *evidence.Point) {
		k := sleep
		k.Seconds = 0.5e-3
		p.Activity.Parks = append(p.Activity.Parks, k)
	})
	if all := diagnose.Examine(o, nil, 1); len(all) != 0 {
		t.Errorf("all the time is sleep: found %+v", all)
	}
}

// edited changes what was seen with the most CPUs.
func edited(o *evidence.Observation, change func(*evidence.Point)) *evidence.Observation {
	change(o.Largest())
	return o
}

func TestCausesAreRankedByWhatCouldBeWon(t *testing.T) {
	o, add := recursive(t), shared(t).Largest()
	p := o.Largest()
	p.Profile.Groups = map[dissect.Group]float64{dissect.Own: 0.6, dissect.Scheduling: 0.4}
	p.Profile.Lines = append(p.Profile.Lines[:1], weight(add.Profile.Lines[0].Place, 0.3e-3, nil))
	static := []diagnose.Static{{Check: "falseshare", Grade: "quiet", File: add.Profile.Lines[0].Place.File, Line: 44, EndLine: 44, Message: "goroutines write side by side", URL: "https://example.com/falseshare"}}
	all := diagnose.Examine(o, static, 1)
	if len(all) != 2 || all[0].Check != "recspawn" || all[1].Check != "falseshare" || all[1].Basis != diagnose.Unknown || all[1].Share != 0 {
		t.Errorf("found %+v, want the recursion, and then the line of which no time can be told", all)
	}
}

func TestStaticFindingsAreJoined(t *testing.T) {
	o := recursive(t)
	file := o.Largest().Activity.Spawns[0].Place.File
	finding := func(check, grade string, line, end int) diagnose.Static {
		return diagnose.Static{Check: check, Grade: grade, File: file, Line: line, EndLine: end, Message: "m", URL: "https://example.com/" + check}
	}
	static := []diagnose.Static{
		finding("unboundedgo", "hot", 20, 20), finding("recspawn", "quiet", 20, 20), finding("recspawn", "quiet", 67, 67),
		finding("chanitem", "hot", 20, 20), finding("recspawn", "info", 10, 30),
	}
	all := diagnose.Examine(o, static, 1)
	if len(all) != 1 {
		t.Fatalf("found %+v, want one cause", all)
	}
	// Not the one of another line, of another kind, nor the one whose end alone is near.
	if f := all[0]; len(f.Static) != 2 || !reflect.DeepEqual(f.Static, static[:2]) || !strings.HasSuffix(f.URL, "/docs/checks/unboundedgo.md") {
		t.Errorf("joined %+v of %s", f.Static, f.URL)
	}
	// What no measurement speaks of is told where it is hot, unless only a profile
	// would make it worth it.
	o = made(quiet)
	o.Largest().Profile.Lines = []dissect.Weight{weight(at(t, "mend", 73), 5e-4, nil)}
	for grade, want := range map[string]int{"quiet": 1, "info": 1, "hot": 0} {
		all := diagnose.Examine(o, []diagnose.Static{finding("maxprocs", grade, 73, 73)}, 1)
		if len(all) != want || want == 1 && (all[0].Check != "maxprocs" || all[0].Basis != diagnose.Unknown) {
			t.Errorf("grade %s: found %+v, want %d", grade, all, want)
		}
	}
	if all := diagnose.Examine(o, []diagnose.Static{finding("ignore", "quiet", 73, 73)}, 1); len(all) != 0 {
		t.Errorf("a comment in a hot line: found %+v", all)
	}
}

// A table of locks, or a channel, costs something where it is used.
func TestWhatIsDeclaredElsewhere(t *testing.T) {
	lock, unlock := at(t, "(*counter).count", 59), at(t, "(*counter).count", 61)
	static := func(check string) []diagnose.Static {
		return []diagnose.Static{{Check: check, Grade: "quiet", File: lock.File, Line: 52, EndLine: 52, Message: "m", URL: "https://example.com/" + check,
			Uses: []vetcmd.Line{{File: lock.File, Line: lock.Line}, {File: lock.File, Line: unlock.Line}}}}
	}
	locks := func(more float64) *evidence.Observation {
		o := made(quiet)
		for i, times := range []float64{1, more} {
			o.Points[i].Profile.Lines = []dissect.Weight{
				weight(lock, times*1e-4, map[dissect.Group]float64{dissect.Channels: 1}),
				weight(unlock, times*1e-4, map[dissect.Group]float64{dissect.Channels: 1}),
			}
		}
		return o
	}
	for _, c := range []struct {
		check string
		more  float64
		basis diagnose.Basis
		share float64
	}{
		{"chanarray", 1, diagnose.Overhead, 0.2},
		{"shardpad", 3, diagnose.Inflation, 0.4},
		{"shardpad", 1, diagnose.Unknown, 0},
	} {
		all := diagnose.Examine(locks(c.more), static(c.check), 1)
		if len(all) != 1 {
			t.Errorf("%s: found %+v, want one cause", c.check, all)
			continue
		}
		f := all[0]
		if f.Check != c.check || f.Place.Line != 52 || len(f.Other) != 2 || f.Basis != c.basis || f.Share < c.share-0.01 || f.Share > c.share+0.01 || !strings.HasSuffix(f.URL, "/docs/checks/"+c.check+".md") {
			t.Errorf("%s: found %+v, want it in line 52 with %g to win by %s", c.check, f, c.share, c.basis)
		}
	}
	few := locks(3)
	few.Points[0].Procs, few.Points[1].Procs = 2, 4
	if all := diagnose.Examine(few, static("shardpad"), 1); len(all) != 1 || !strings.Contains(strings.Join(all[0].Evidence, " "), "with 4 CPUs as with 2.") {
		t.Errorf("two CPUs are the fewest: found %+v", all)
	}
	for name, all := range map[string][]diagnose.Finding{
		"hardly used":      diagnose.Examine(locks(0.01), static("chanarray"), 1),
		"hardly locked":    diagnose.Examine(locks(0.01), static("shardpad"), 1),
		"of another check": diagnose.Examine(locks(3), static("chanitem"), 1),
	} {
		if len(all) != 0 {
			t.Errorf("%s: found %+v", name, all)
		}
	}
}

func TestObservationsWithoutInstruments(t *testing.T) {
	o := made(quiet)
	for i := range o.Points {
		p := &o.Points[i]
		p.Activity, p.Profile, p.Allocs, p.Mutex, p.Block, p.CPU = nil, nil, nil, nil, nil, nil
	}
	if all := diagnose.Examine(o, nil, 1); len(all) != 0 {
		t.Errorf("found %+v in times alone", all)
	}
	// Profiles without a sample.
	for _, o := range []*evidence.Observation{recursive(t), handed(t), shared(t), littering(t)} {
		for i := range o.Points {
			o.Points[i].Profile = &dissect.Weighing{Lines: o.Points[i].Profile.Lines}
		}
		if err := schema(t).Validate(generic(t, diagnose.ReportOn([]*evidence.Observation{o}, nil))); err != nil {
			t.Error(err)
		}
	}
	for _, o := range []*evidence.Observation{{Name: "none"}, {Name: "no round", Points: []evidence.Point{{Procs: 2}}}} {
		if all := diagnose.Examine(o, nil, 1); len(all) != 0 {
			t.Errorf("%s: found %+v", o.Name, all)
		}
		diagnose.ReportOn([]*evidence.Observation{o}, nil)
	}
}

func TestOuter(t *testing.T) {
	for fn, want := range map[string]string{
		"main.main":                        "main.main",
		"main.main.func1":                  "main.main",
		"example.com/a.b/c.F.func2.1":      "example.com/a.b/c.F",
		"example.com/a/b.(*T).F":           "example.com/a/b.(*T).F",
		"example.com/a/b.(*T).F.func1":     "example.com/a/b.(*T).F",
		"example.com/a/b.T.F.gowrap1":      "example.com/a/b.T.F",
		"example.com/a/b.F.deferwrap1":     "example.com/a/b.F",
		"example.com/a/b.pool[...].func1":  "example.com/a/b.pool",
		"example.com/a/b.F-range1":         "example.com/a/b.F",
		"example.com/a/b.F.func1-range2":   "example.com/a/b.F",
		"example.com/a/b.init.0.func1":     "example.com/a/b.init",
		"example.com/a/b.(*T[...]).F.func": "example.com/a/b.(*T).F.func",
	} {
		if got := diagnose.Outer(fn); got != want {
			t.Errorf("%s is in %s, want %s", fn, got, want)
		}
	}
}

// A literal of an inlined function belongs to that function, as its lines do.
func TestFunction(t *testing.T) {
	const work = "testdata/work.go"
	for p, want := range map[dissect.Place]string{
		{Func: "m/work.add", File: work, Line: 42}:                          "m/work.add",
		{Func: "m/work.add.func1", File: work, Line: 44}:                    "m/work.add",
		{Func: "m/work.sums.add.func1", File: work, Line: 44}:               "m/work.add",
		{Func: "m/work.sums[...].func1.add.2", File: work, Line: 44}:        "m/work.add",
		{Func: "m/work.sums.add-range1", File: work, Line: 44}:              "m/work.add",
		{Func: "m/work.all.(*counter).count.func1", File: work, Line: 59}:   "m/work.(*counter).count",
		{Func: "m/work.(*counter).count", File: work, Line: 59}:             "m/work.(*counter).count",
		{Func: "m/work.other.func1", File: work, Line: 44}:                  "m/work.other", // the source is another one by now
		{Func: "m/work.sums.add.func1", File: "testdata/none.go", Line: 44}: "m/work.sums.add",
		{Func: "m/work.counter.add.deferwrap1", File: "testdata/none.go"}:   "m/work.counter.add",
	} {
		if got := diagnose.FunctionOf(p); got != want {
			t.Errorf("%s:%d of %s is in %s, want %s", p.File, p.Line, p.Func, got, want)
		}
	}
}

func TestGoverned(t *testing.T) {
	const us = "github.com/sweetspot-go/sweetspot"
	for entry, want := range map[string]bool{
		us + ".(*crew).work": true, us + ".Map[...].func1": true, us + ".(*Group).Go.func1": false,
		us + "/errgroup.(*Group).Go.func1": false, us + "/lab.parallel1.func1": false,
		us + "x.F": false, "main.main.func1": false, "": false,
	} {
		if got := diagnose.Governed(entry); got != want {
			t.Errorf("%q is governed: %v, want %v", entry, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	for n, want := range map[int]diagnose.Line{
		19: {MakeChan: true}, 20: {Spawns: true, Recurses: true, Channel: true}, 21: {}, 22: {Channel: true}, 29: {Channel: true}, 33: {Channel: true},
		87: {}, 88: {}, 92: {Channel: true}, 93: {}, 94: {Channel: true}, 97: {Channel: true}, 98: {Channel: true}, 101: {}, 102: {}, 105: {},
		34: {}, 42: {Spawns: true}, 44: {Stores: true, Adds: true}, 58: {Locks: true}, 59: {Stores: true}, 60: {Locks: true}, 61: {Stores: true}, 67: {Spawns: true}, 73: {Library: true},
	} {
		got, ok := diagnose.LineAt("testdata/work.go", n)
		if !ok || got != want {
			t.Errorf("line %d is %+v, %v; want %+v", n, got, ok, want)
		}
	}
	if _, ok := diagnose.LineAt("testdata/none.go", 1); ok {
		t.Error("a file that is not there has lines")
	}
}
