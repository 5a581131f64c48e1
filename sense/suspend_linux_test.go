package sense

import (
	"slices"
	"testing"
	"time"
)

// A yard is a family in so much memory, MiB, whose jobs grow by so much a second.
type yard struct {
	family
	credit
	now     time.Duration
	memory  float64
	held    map[int]float64
	stopped []int
}

// newYard returns one that knows of twenty jobs of 1000 MiB that took a second.
func newYard(memory float64) *yard {
	y := &yard{family: family{jobs: map[int]*job{}}, memory: memory, held: map[int]float64{}}
	for range 20 {
		y.family.memory.learn(1000*mb, time.Second/2, time.Second, 0)
	}
	return y
}

func (y *yard) start(pid int) {
	y.started(pid, y.now)
	y.held[pid] = 1
}

// look lets time pass until the next look, in which those that are not suspended grow by
// so much, and reports whether another is needed.
func (y *yard) look(grow float64) (again bool) {
	y.now += SuspendEvery
	used := 0.0
	for pid := range y.held {
		if !slices.Contains(y.stopped, pid) {
			y.held[pid] += grow
		}
		used += y.held[pid]
		y.seen(pid, y.jobs[pid].since, sight{cpu: y.now.Seconds(), held: y.held[pid] * mb}, y.now)
	}
	suspended, resumed, again := y.suspend(&y.credit, y.now, roomOf((y.memory-used)*mb, y.memory*mb, true))
	for _, pid := range resumed {
		if slices.Contains(suspended, pid) || !slices.Contains(y.stopped, pid) {
			panic("resumed, but not suspended before")
		}
	}
	y.stopped = slices.Clone(suspended)
	return again
}

func (y *yard) end(pid int) {
	y.reaped(pid, 1, int64(y.held[pid]*mb), y.now)
	delete(y.held, pid)
}

func (y *yard) mayStart(free float64) bool { return y.lends(y.now, free*mb, 0) }

func TestSuspendHoldsTheYoungest(t *testing.T) {
	y := newYard(1500)
	for pid := 1; pid <= 3; pid++ {
		y.start(pid)
		y.look(0)
	}
	for range 20 {
		y.look(20)
	}
	if !slices.Equal(y.stopped, []int{2, 3}) || y.held[1] < 400 {
		t.Fatalf("%v are suspended beside the oldest, which holds %v MiB; want 2 and 3", y.stopped, y.held[1])
	}
	if !y.look(0) {
		t.Error("jobs are suspended, but no look is needed")
	}
	for range 30 {
		y.look(20)
	}
	if y.held[1] < 1000 {
		t.Errorf("the oldest holds %v MiB", y.held[1])
	}
	y.end(1)
	y.look(0)
	if slices.Contains(y.stopped, 2) {
		t.Errorf("%v are suspended once the oldest has ended; want 2 resumed", y.stopped)
	}
	y.end(2)
	if y.look(0) || len(y.stopped) > 0 {
		t.Errorf("%v are suspended when one is left; want none, and no further look", y.stopped)
	}
}

func TestSuspendIsPatient(t *testing.T) {
	y := newYard(1500)
	y.start(1)
	y.look(0)
	y.start(2)
	for range 40 {
		y.look(20)
	}
	began := y.now
	if !slices.Equal(y.stopped, []int{2}) {
		t.Fatalf("%v are suspended", y.stopped)
	}
	for slices.Contains(y.stopped, 2) {
		y.held[1] *= 1.02 // it grows for ever, slowly
		if y.look(0); y.now > began+2*patience {
			t.Fatal("a job is suspended for ever")
		}
	}
	if took := y.now - began; took < patience/2 {
		t.Errorf("it was suspended for %v, want %v in all", took, patience)
	}
}

func TestCreditIsForBriefJobs(t *testing.T) {
	if y := newYard(1500); !y.mayStart(1000) || y.mayStart(800) {
		t.Error("jobs of 1000 MiB: want credit where 1000 are free, not where 800 are")
	}
	y := newYard(1500)
	for range window {
		y.family.memory.learn(1000*mb, time.Second, 3*time.Second, 0)
	}
	if y.mayStart(1100) {
		t.Error("jobs that take 3 s get credit")
	}
	y = newYard(1500)
	for pid := range crowded {
		y.start(pid)
	}
	if y.mayStart(1e9) {
		t.Errorf("with %d running, one more gets credit", crowded)
	}
	if y = (&yard{family: family{jobs: map[int]*job{}}}); y.mayStart(1e9) {
		t.Error("credit where nothing is known")
	}
}

// A job that has stopped growing takes no more memory. It runs on, even where the oldest may need more
// than there is.
func TestSuspendSparesTheGrownUp(t *testing.T) {
	y := newYard(4000)
	y.start(1)
	y.look(0)
	y.start(2)
	y.held[2] = 600
	for range 10 {
		y.held[1] *= 1.1
		y.look(0)
	}
	if len(y.stopped) > 0 || y.jobs[2].growing() {
		t.Fatal("not the case to test")
	}
	y.memory = 1500 // others took it
	y.held[1] *= 1.1
	if y.look(0); slices.Contains(y.stopped, 2) {
		t.Error("a job is suspended that has stopped growing")
	}
}

// Sizes may lie so far apart that their mean less a standard deviation is below 0. That is no credit.
func TestNoCreditWithoutMemory(t *testing.T) {
	y := newYard(1500)
	for range 30 {
		y.family.memory.learn(50*mb, time.Second/2, time.Second, 0)
	}
	y.family.memory.learn(2000*mb, time.Second/2, time.Second, 0)
	for pid := 1; pid <= 4; pid++ {
		y.start(pid)
	}
	y.look(0)
	if !y.mayStart(0) || y.mayStart(-1) {
		t.Error("want credit where nothing more is needed on average, but none where nothing is free")
	}
}

// Time in which the whole program is suspended does not count for its jobs.
func TestFrozenTimeDoesNotCount(t *testing.T) {
	y := newYard(1500)
	for pid := 1; pid <= 3; pid++ {
		y.start(pid)
		y.look(0)
	}
	for range 40 {
		y.look(20)
	}
	if !slices.Contains(y.stopped, 3) {
		t.Fatal("nobody is suspended")
	}
	y.freeze(func() time.Duration { return y.now }, func() {
		y.now += time.Minute
		y.look(0)
		y.now += time.Hour
	})
	if y.look(0); !slices.Contains(y.stopped, 3) || y.jobs[3].suspendedFor > time.Second {
		t.Errorf("it was suspended for %v: %v", y.jobs[3].suspendedFor, y.stopped)
	}
	for pid := range y.jobs {
		y.end(pid)
	}
	if l := y.family.memory.known()[20:]; l[0].took > time.Second || l[1].took > time.Second || l[2].took > time.Second {
		t.Errorf("the jobs took %+v", l)
	}
}

// A look, a start and an end may have read the clock before a freeze, and be booked after it.
func TestFreezeBesideALook(t *testing.T) {
	y := newYard(1500)
	y.now = time.Hour
	y.start(1)
	y.start(2)
	y.look(100)
	for range 10 {
		y.look(0)
	}
	before, still := y.now, y.jobs[1].still
	freeze := func() {
		y.freeze(func() time.Duration { return y.now }, func() { y.now += 8 * time.Hour })
	}
	freeze()
	y.seen(1, y.jobs[1].since, sight{held: y.held[1] * mb, asleep: true}, before)
	if j := y.jobs[1]; j.still < still || j.age(y.time(y.now)) > time.Second {
		t.Errorf("it has been still for %v, and for %v before; its age is %v", j.still, still, j.age(y.time(y.now)))
	}
	before = y.now
	freeze()
	y.started(3, before)
	if got := y.jobs[3].age(y.time(y.now)); got > time.Second {
		t.Errorf("the age of one that has just started is %v", got)
	}
	before = y.now
	freeze()
	y.reaped(2, 0, 1000*mb, before)
	if l := y.family.memory.known()[20]; l.took < 0 || l.took > time.Second {
		t.Errorf("one took %v", l.took)
	}
}

// Two looks may see a job at the same moment.
func TestGrowthOfNoTime(t *testing.T) {
	y := newYard(1500)
	y.start(1)
	for _, held := range []float64{100, 90, 110} {
		y.seen(1, y.jobs[1].since, sight{held: held * mb}, y.now)
		if rate := y.jobs[1].rate; !(rate >= 0) {
			t.Errorf("grows by %v bytes a second", rate)
		}
	}
}
