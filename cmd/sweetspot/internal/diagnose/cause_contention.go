package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/pattern"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

const (
	// lockWait is the part of all CPUs' time that goroutines may wait for locks before
	// they are looked at.
	lockWait = 0.05
	// fewWait is the part of their life that workers spend waiting for the network, a
	// timer or a system call where more of them would get more done.
	fewWait = 0.7
	// fewIdle is the part of the CPUs that has to be idle meanwhile.
	fewIdle = 0.5
)

// contention looks for locks that goroutines wait for. Waiting costs time where a
// CPU has nothing else to do, and switching does where it has.
func (x *examination) contention() []Finding {
	m := x.p.Mutex
	if m == nil {
		return nil
	}
	waking := x.waking(m)
	if m.All.Amount+waking*m.All.Count < lockWait*x.wall*float64(x.p.Procs) {
		return nil
	}
	then := ""
	if waking > 0 {
		then = " and then for a CPU to wake up"
	}
	long := func(w *dissect.Weight) float64 { return w.Own.Amount + waking*w.Own.Count }
	return x.settle(m, func(fn string, group []*dissect.Weight) (f Finding, ok bool) {
		var waited, waits float64
		var places []dissect.Place
		slices.SortStableFunc(group, func(a, b *dissect.Weight) int { return cmp.Compare(long(b), long(a)) })
		for _, w := range group {
			if x.line(w.Place).library {
				continue
			}
			waited += long(w)
			waits += w.Own.Count
			places = append(places, w.Place)
		}
		if waited < lockWait*x.wall*float64(x.p.Procs) {
			return f, false
		}
		_, parked := x.parksIn(fn)
		f = x.finding(checkContention, Idle, places[0], places...)
		stalled := min(waited/(x.wall*float64(x.p.Procs)), x.o.Idle())
		f.won(x, x.overhead(fn, parked))
		if x.o.Per != evidence.Second { // else it is of all CPUs' time already
			f.Share *= 1 - x.o.Idle()
		}
		f.Share = max(f.Share, stalled)
		f.Seconds, f.Waiting = f.Share*x.wall, waited
		f.Title = fmt.Sprintf("goroutines wait for the lock that %s holds", short(fn))
		f.Evidence = []string{
			fmt.Sprintf("They wait for it%s %s %s, %s times: %s of the time of all CPUs.", then, seconds(waited), x.o.Per.Each(), humanize.Number(waits), percent(waited/(x.wall*float64(x.p.Procs)))),
			fmt.Sprintf("Meanwhile %s of the CPUs are idle.", percent(x.o.Idle())),
		}
		f.Remedy = "Keep what is counted or collected in a variable of each worker and merge at the end (sweetspot.Reduce, Workers); else hold the lock for less, or split it by key."
		x.join(&f, nil, "shardpad")
		return f, f.Share >= worthwhile
	})
}

// waking returns the mean time from the end of a wait for a lock until a CPU has woken up and runs
// the goroutine. It comes from the trace, because the profile of locks leaves it out. Waking a CPU
// takes longer than most locks are held. So if the holder takes the lock again meanwhile, nearly all
// of the wait is waking.
//
// The profile also counts waits inside the runtime, after which no goroutine is woken. The mean is
// therefore over all waits of the profile if it has more of them than the trace.
func (x *examination) waking(m *dissect.Weighing) float64 {
	if x.p.Activity == nil {
		return 0
	}
	var took, times float64
	for _, k := range x.p.Activity.Parks {
		if slices.ContainsFunc(k.Stack, func(p dissect.Place) bool { return lockers().MatchString(p.Func) }) {
			took, times = took+k.Waking, times+k.Times
		}
	}
	if took == 0 {
		return 0
	}
	return took / max(times, m.All.Count)
}

// lockers are the functions in which goroutines wait for a lock.
var lockers = pattern.Of(`^(internal/)?sync\.\(\*(RW)?Mutex\)\.`)

// tooFew looks for workers as many as CPUs that mostly wait for something else than
// a CPU.
func (x *examination) tooFew() []Finding {
	if x.p.Activity == nil || x.o.Idle() < fewIdle {
		return nil
	}
	var all []Finding
	for _, s := range x.p.Activity.Spawns {
		if s.Peak != x.p.Procs || x.p.Procs < 2 || governed(s.Entry) || !x.users(s.Place) || x.settled(x.function(s.Place)) {
			continue
		}
		// The number must follow that of CPUs: GOMAXPROCS, or NumCPU, which is the same in
		// both processes. Of one process alone the source says it.
		if l := x.line(s.Place); x.one == nil && !l.asksCPUs && !l.asksProcs {
			continue
		}
		if x.one != nil && x.one.Activity != nil && x.one.Procs != x.p.Procs {
			follows := slices.ContainsFunc(x.one.Activity.Spawns, func(o dissect.Spawn) bool {
				return o.Place == s.Place && (o.Peak == x.one.Procs || o.Peak == s.Peak && x.line(s.Place).asksCPUs)
			})
			if !follows {
				continue
			}
		}
		waits := outside(&s) + x.inLibraries(&s)
		life := s.Running + s.Runnable + s.Waiting + s.Syscall
		if life <= 0 || waits < fewWait*life {
			continue
		}
		f := x.finding(checkTooFew, Idle, s.Place)
		x.join(&f, [][]dissect.Place{s.Stack}, "maxprocs")
		f.Check = checkTooFew
		f.Share = x.o.Idle() * waits / life
		f.Seconds = f.Share * x.wall
		f.Title = fmt.Sprintf("%s has as many workers as CPUs, and they wait", short(f.Func))
		f.Evidence = []string{
			fmt.Sprintf("There are %d of them, and they spend %s of their time waiting for the network, a timer, the system, or a library that does.", s.Peak, percent(waits/life)),
			fmt.Sprintf("The CPUs are idle %s of the time. The time given above is the most that can be won, and only if what they wait for can take more at once.", percent(x.o.Idle())),
		}
		f.Remedy = "Size workers that wait by what they wait for, not by CPUs: a sweetspot.Limiter finds the number while they run."
		all = append(all, f)
	}
	return all
}

// inLibraries returns how long goroutines wait for each other in code that is not the
// user's: in that of a client, say, whose own goroutines wait for the network.
func (x *examination) inLibraries(s *dissect.Spawn) float64 {
	var all float64
	for i := range x.p.Activity.Parks {
		k := &x.p.Activity.Parks[i]
		if k.Times <= 0 || k.Reason == "network" || k.Reason == "sleep" || !x.ofLibraries(k.Stack) {
			continue
		}
		for _, o := range k.Of {
			if o.Place == s.Place {
				all += k.Seconds * o.Times / k.Times
			}
		}
	}
	return all
}

// ofLibraries reports whether what waits is not the user's code, the runtime and locks aside.
func (x *examination) ofLibraries(stack []dissect.Place) bool {
	for _, p := range stack {
		if !strings.HasPrefix(p.Func, "runtime.") && !strings.HasPrefix(p.Func, "sync.") && !strings.HasPrefix(p.Func, "internal/sync.") {
			return !x.users(p)
		}
	}
	return false
}
