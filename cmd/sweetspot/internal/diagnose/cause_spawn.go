package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

const (
	// spawnsEnough is how many goroutines of a line have to have ended for their median
	// to say what it starts them for.
	spawnsEnough = 500
	// A goroutine costs about a microsecond to start, to schedule and to end; one that
	// runs for less than fineRun pays more than a tenth for it. Traces of code with
	// this fault have medians of 0.2 to 2 µs, those without it some milliseconds, so
	// nothing depends on where exactly between them the limit lies.
	fineRun = 10 * time.Microsecond
	// burstPeak is how many goroutines for each CPU are a burst: 100 that wait for a
	// CPU keep it busy however uneven they are, and more only take memory.
	burstPeak = 100
	// burstWait is how many times as long as it runs a goroutine of a burst waits for
	// a CPU: those started last could as well have been started when there is one.
	burstWait = 10
	// stackLeast is what the stack of a goroutine takes to begin with, in bytes.
	stackLeast = 2 << 10
)

// spawns looks for lines that start goroutines for too little work, or more of them
// than can run for a long time.
func (x *examination) spawns() []Finding {
	if x.p.Activity == nil {
		return nil
	}
	var all []Finding
	for fn, group := range byFunction(x.p.Activity.Spawns, func(s *dissect.Spawn) string { return x.function(s.Place) }) {
		var fine, burst []*dissect.Spawn
		for _, s := range group {
			switch {
			case governed(s.Entry) || !x.users(s.Place) || x.line(s.Place).library && !x.line(s.Place).spawns:
			case s.Ended >= spawnsEnough && s.MedianRun < fineRun.Seconds() && outside(s) < fineRun.Seconds()*s.Goroutines:
				fine = append(fine, s)
			case s.Goroutines > 0 && s.Peak > burstPeak*x.p.Procs && s.Runnable > burstWait*s.Running:
				burst = append(burst, s) // those that were there before are not of the work
			}
		}
		if len(fine) > 0 {
			if f, ok := x.fine(fn, fine); ok {
				all = append(all, f)
				continue
			}
			for _, s := range fine {
				if s.Peak > burstPeak*x.p.Procs && s.Runnable > burstWait*s.Running {
					burst = append(burst, s)
				}
			}
		}
		if len(burst) > 0 {
			all = append(all, x.burst(fn, burst))
		}
	}
	return all
}

// outside returns how long goroutines wait for what is not in this process. Those that
// do so for longer than a start takes are there to wait, not to compute.
func outside(s *dissect.Spawn) float64 {
	return s.Syscall + s.Waits["network"].Seconds + s.Waits["sleep"].Seconds
}

// sumOf adds up the lines of a function that start goroutines. MedianRun is the mean of their
// medians, weighted by the goroutines.
func sumOf(sites []*dissect.Spawn) (of dissect.Spawn, stacks [][]dissect.Place, places []dissect.Place) {
	for _, s := range sites {
		of.Goroutines += s.Goroutines
		of.MedianRun += s.Goroutines * s.MedianRun
		of.Runnable += s.Runnable
		of.Running += s.Running
		of.Peak = max(of.Peak, s.Peak)
		stacks, places = append(stacks, s.Stack), append(places, s.Place)
	}
	of.MedianRun /= of.Goroutines
	return of, stacks, places
}

// fine tells of goroutines that hardly run.
func (x *examination) fine(fn string, sites []*dissect.Spawn) (Finding, bool) {
	of, stacks, places := sumOf(sites)
	recursive := slices.ContainsFunc(places, func(p dissect.Place) bool { return x.line(p).recurses })
	// How such goroutines tell their results is part of it: without them nothing
	// would be handed over.
	waits, parks := x.parksIn(fn)
	cost := x.overhead(fn, 2*of.Goroutines+parks)

	f := x.finding(checkSpawn, Overhead, places[0], places...)
	if recursive {
		f.Check = checkRecursion
	}
	x.join(&f, stacks, "recspawn", "unboundedgo")
	ofCPU := f.won(x, cost)
	if f.Share < worthwhile {
		return f, false
	}
	x.claimed[fn] = true

	f.Title = fmt.Sprintf("%s starts a goroutine for %s of work", short(fn), seconds(of.MedianRun))
	f.Evidence = append(f.Evidence,
		fmt.Sprintf("%s goroutines %s start here; the median of them runs for %s.", humanize.Number(of.Goroutines), x.o.Per.Each(), seconds(of.MedianRun)),
		fmt.Sprintf("Together they run for %s, and wait %s for a CPU: %s each.", seconds(of.Running), seconds(of.Runnable), seconds(of.Runnable/of.Goroutines)),
	)
	if parks > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("They and the goroutines that wait for them park %s times %s: %s.", humanize.Number(parks), x.o.Per.Each(), reasonsOf(waits)))
	}
	if of.Peak > burstPeak*x.p.Procs {
		f.Evidence = append(f.Evidence, fmt.Sprintf("Up to %s of them exist at the same time.", humanize.Number(float64(of.Peak))))
	}
	if x.cpu() > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("Starting, switching and ending them, and handing over, is %s of the CPU time; the work itself is %s.",
			percent(ofCPU), percent(x.p.Profile.Groups[dissect.Own])))
	}
	f.Remedy = spawnRemedy(f.Check == checkRecursion && recursive, x.sendsBack(fn))
	return f, true
}

// spawnRemedy is what replaces goroutines that hardly run: a recursion, a visit of nodes
// that gives back what it finds, or a list.
func spawnRemedy(recursion, visit bool) string {
	switch {
	case recursion:
		return "Fork only where a CPU is idle: sweetspot.JoinSerial takes the recursion and its serial twin, and needs no cutoff. By hand: call the serial function below some size."
	case visit:
		return "Visit nodes with sweetspot.Walk, which starts as many goroutines as pay and keeps the set of visited nodes. By hand: a worker for each CPU with a stack of its own."
	}
	return "Hand the items to sweetspot.ForEach, Map or Reduce, which give each goroutine as many of them as pay. By hand: runtime.GOMAXPROCS(0) goroutines with a part of the items each."
}

// burst tells of goroutines of which far more are there than can run.
func (x *examination) burst(fn string, sites []*dissect.Spawn) Finding {
	of, stacks, places := sumOf(sites)
	x.claimed[fn] = true
	f := x.finding(checkSpawn, Overhead, places[0], places...)
	x.join(&f, stacks, "unboundedgo", "recspawn")
	f.won(x, x.overhead(fn, 2*of.Goroutines))
	f.Title = fmt.Sprintf("%s starts all goroutines at once: up to %s of them for %s", short(fn), humanize.Number(float64(of.Peak)), humanize.Count(x.p.Procs, "CPUs"))
	f.Evidence = []string{
		fmt.Sprintf("%s goroutines %s start here. Each runs for %s, and waits %s for a CPU.", humanize.Number(of.Goroutines), x.o.Per.Each(), seconds(of.Running/of.Goroutines), seconds(of.Runnable/of.Goroutines)),
		fmt.Sprintf("What is lost is memory, at least %s for their stacks, and latency: what began first ends late. The time lost is %s.",
			size(float64(of.Peak)*stackLeast), percent(f.Share)),
	}
	f.Remedy = "Bound them: sweetspot.ForEach or Map over the items, or a sweetspot.Group, which find the number. By hand: SetLimit on an errgroup.Group."
	return f
}

// parksIn returns the lines of a function, and of what it starts, at which
// goroutines wait for each other, and how often they do.
func (x *examination) parksIn(fn string) (all []*dissect.Park, times float64) {
	if x.p.Activity == nil {
		return nil, 0
	}
	for i := range x.p.Activity.Parks {
		k := &x.p.Activity.Parks[i]
		if x.function(k.Place) == fn && !strings.HasPrefix(k.Reason, "GC ") { // the collector stops anybody anywhere
			all, times = append(all, k), times+k.Times
		}
	}
	return all, times
}

// sendsBack reports whether goroutines wait in a function both to send and to
// receive, as where what one finds is given back to who starts them.
func (x *examination) sendsBack(fn string) bool {
	sends, ranges := false, false
	parks, _ := x.parksIn(fn)
	for _, k := range parks {
		sends = sends || k.Reason == chanSend && strings.Contains(k.Place.Func, ".func")
		ranges = ranges || k.Reason == chanReceive && strings.HasPrefix(x.line(k.Place).text, "for ")
	}
	return sends && ranges
}

func reasonsOf(parks []*dissect.Park) string {
	var names []string
	times := map[string]float64{}
	for _, k := range parks {
		if times[k.Reason] == 0 {
			names = append(names, k.Reason)
		}
		times[k.Reason] += k.Times
	}
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %s", humanize.Number(times[n]), n)
	}
	return strings.Join(names, ", ")
}

// short is a function without the directories of its package.
func short(fn string) string { return fn[strings.LastIndexByte(fn, '/')+1:] }
