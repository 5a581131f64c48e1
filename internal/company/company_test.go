package company_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
)

// A loop is a member with its work, whose readings come every 10 ms.
type loop struct {
	company.Member
	rate      float64 // units/s
	residence float64 // s
	untimed   bool
	r         control.Reading
	done      float64
}

func join(c *company.Company, rate, residence float64) *loop {
	return &loop{Member: c.Join(nil), rate: rate, residence: residence}
}

// observe lets 10 ms pass and returns the completed reading.
func (l *loop) observe() control.Reading {
	const tick = 10 * time.Millisecond
	r := &l.r
	r.At += tick
	l.done += l.rate * tick.Seconds()
	n := int64(l.done) - r.Completed
	r.Completed += n
	r.Units = float64(r.Completed)
	r.Occupancy += l.rate * l.residence * tick.Seconds() // Little's law
	if !l.untimed {
		r.Timed += n
		r.Residence += float64(n) * l.residence
	}
	l.Observe(r) // it adds to Others, as to a reading that the governor goes on with
	return *r
}

// run lets all loops observe for a while.
func run(d time.Duration, loops ...*loop) {
	for range d / (10 * time.Millisecond) {
		for _, l := range loops {
			l.observe()
		}
	}
}

// crowd makes loops of 1000 units/s that take 20 ms and have queued for 10 s: each unit
// takes twice as long as before.
func crowd(n int) []*loop {
	c := new(company.Company)
	var loops []*loop
	for range n {
		loops = append(loops, join(c, 1000, 0.01))
	}
	run(3*time.Second, loops...)
	for _, l := range loops {
		l.residence = 0.02
	}
	run(5*time.Second, loops...)
	return loops
}

// grown returns by how much Others grew for l in a second of all.
func grown(l *loop, all ...*loop) float64 {
	before := l.r.Others.Work
	run(time.Second, all...)
	return l.r.Others.Work - before
}

// Each loop that queues and does as much as usual adds 1 a second, whatever its rate; its
// own work never counts.
func TestOthersGrowByEachThatQueues(t *testing.T) {
	for _, n := range []int{1, 2, 3, 6} {
		loops := crowd(n)
		if got, want := grown(loops[0], loops...), float64(n-1); math.Abs(got-want) > 0.1*want+1e-9 {
			t.Errorf("%d loops: Others grew by %.3f in a second, want %v", n, got, want)
		}
	}
}

// Those that begin to queue do not look as if they did more: their work and their time begin
// to count together.
func TestQueuesThatGrowAreNoGain(t *testing.T) {
	c := new(company.Company)
	loops := []*loop{join(c, 1000, 0.01), join(c, 1000, 0.01), join(c, 1000, 0.01)}
	run(3*time.Second, loops...)
	loops[0].residence = 0.02
	run(time.Second, loops...)
	before := loops[0].r.Others
	for range 100 {
		loops[1].residence *= 1.01
		loops[2].residence *= 1.01
		run(10*time.Millisecond, loops...)
	}
	by := loops[0].r.Others.Minus(before)
	if by.Time < 0.5 || math.Abs(by.Work-by.Time) > 0.02*by.Time {
		t.Errorf("two begin to queue at the rate that they had: their work grew by %.3f, their time by %.3f; want the same", by.Work, by.Time)
	}
}

func TestOthersFollowsWhatTheyDo(t *testing.T) {
	loops := crowd(2)
	for _, test := range []struct{ does, low, high float64 }{
		{0.5, 0.5, 0.65}, // what is usual follows slowly
		{0, 0, 0.02},     // but for the last reading before
		{100, 1.5, 2.1},  // no more than twice the usual
	} {
		loops[1].rate = 1000 * test.does
		if got := grown(loops[0], loops...); got < test.low || got > test.high {
			t.Errorf("the other does %v of the usual: Others grew by %.3f in a second, want %v to %v", test.does, got, test.low, test.high)
		}
		loops[1].rate = 1000
		run(20*time.Second, loops...)
		for _, l := range loops { // 20 s of the same look like the least: queue anew
			l.residence *= 1.5
		}
		run(time.Second, loops...)
	}
	// One's own rate changes nothing.
	loops = crowd(2)
	loops[0].rate = 3000
	if got := grown(loops[0], loops...); math.Abs(got-1) > 0.1 {
		t.Errorf("one does three times as much: Others grew by %.3f in a second, want 1", got)
	}
}

// Others stands still where nobody queues, and for and by those that do not.
func TestOthersStandsStillWithoutQueues(t *testing.T) {
	c := new(company.Company)
	a, b := join(c, 1000, 0.01), join(c, 500, 0.05)
	run(20*time.Second, a, b)
	if a.r.Others != (control.Others{}) || b.r.Others != (control.Others{}) {
		t.Errorf("nobody queues: Others are %v and %v, want 0", a.r.Others, b.r.Others)
	}
	a.residence *= 2 // a queues alone
	run(10*time.Second, a, b)
	if a.r.Others != (control.Others{}) || b.r.Others != (control.Others{}) {
		t.Errorf("one queues: Others are %v and %v, want 0", a.r.Others, b.r.Others)
	}
	b.residence *= 1.1 // not yet a queue
	run(5*time.Second, a, b)
	if a.r.Others != (control.Others{}) {
		t.Errorf("units take a tenth longer: Others is %v, want 0", a.r.Others)
	}
	b.residence *= 2
	run(time.Second, a, b)
	if a.r.Others.Work < 0.5 || b.r.Others.Work < 0.5 {
		t.Errorf("both queue: in a second Others grew by %v and %v", a.r.Others, b.r.Others)
	}
}

// Few long units that differ do not make a queue, nor do the short ones that end first.
func TestFewUnitsAreNoQueue(t *testing.T) {
	c := new(company.Company)
	var loops []*loop
	for range 2 {
		loops = append(loops, join(c, 5, 0.07))
	}
	for i := range 200 {
		for k, l := range loops { // 70 ms at first, then 100 ms to 200 ms, 150 ms in the mean
			if i > 1 {
				l.residence = 0.15 + 0.05*math.Sin(float64(9*i+5*k))
			}
		}
		run(200*time.Millisecond, loops...)
	}
	if o := loops[0].r.Others; o.Time > 0 {
		t.Errorf("units that take 100 ms to 200 ms each look like a queue for %.1f of 40 s", o.Time)
	}
}

// A queue that has gone is forgotten.
func TestOthersStopsAfterTheQueue(t *testing.T) {
	loops := crowd(2)
	for _, l := range loops {
		l.residence = 0.01
	}
	run(30*time.Second, loops...)
	if got := grown(loops[0], loops...); got != 0 {
		t.Errorf("30 s after the queues: Others grew by %v in a second, want 0", got)
	}
}

// Others stands still, to the last bit, while the others rest, whatever they did before.
func TestOthersStandsStillWhileTheyRest(t *testing.T) {
	loops := crowd(3)
	before := loops[0].observe().Others
	for i := range 1000 {
		loops[0].rate = 700 + 0.37*float64(i)
		if loops[0].observe(); loops[0].r.Others != before {
			t.Fatalf("two others rest, and Others grew by %v at reading %d", loops[0].r.Others.Minus(before), i)
		}
	}
}

// After a rest, what the others did meanwhile does not count.
func TestWakeForgetsWhatWasBefore(t *testing.T) {
	for _, wakes := range []bool{false, true} {
		loops := crowd(2)
		run(10*time.Second, loops[1])
		if wakes {
			loops[0].Wake()
		}
		before := loops[0].r.Others
		loops[0].observe()
		if got := loops[0].r.Others.Minus(before).Work; wakes != (got < 0.1) {
			t.Errorf("the other worked for 10 s meanwhile: Others grew by %.2f at once; woken %v", got, wakes)
		}
	}
	c := new(company.Company)
	a := join(c, 1000, 0.01)
	run(3*time.Second, a)
	a.residence = 0.02
	run(3*time.Second, a)
	b := join(c, 1000, 0.01)
	b.Wake()
	if b.observe(); b.r.Others != (control.Others{}) {
		t.Errorf("one that joins late begins with Others %v", b.r.Others)
	}
}

// Without timed units Little's law tells how long they take.
func TestUntimedUnits(t *testing.T) {
	c := new(company.Company)
	a, b := join(c, 1000, 0.01), join(c, 1000, 0.01)
	a.untimed, b.untimed = true, true
	run(5*time.Second, a, b)
	if a.r.Others != (control.Others{}) {
		t.Fatalf("nobody queues: Others is %v", a.r.Others)
	}
	a.residence, b.residence = 0.03, 0.03
	run(time.Second, a, b)
	if got := grown(a, a, b); math.Abs(got-1) > 0.1 {
		t.Errorf("Others grew by %.3f in a second, want 1", got)
	}
}

// Readings as a law may get them at the edges: no time, no units, very slow and very fast
// work.
func TestOthersIsANumberThatGrows(t *testing.T) {
	c := new(company.Company)
	var loops []*loop
	for _, rate := range []float64{0, 0.5, 10, 1e6} {
		for _, residence := range []float64{1e-9, 1, 1000} {
			loops = append(loops, join(c, rate, residence))
		}
	}
	for i := range 3000 {
		for k, l := range loops {
			before := l.r.Others
			if (i+k)%7 == 0 {
				l.Observe(&l.r) // no time has passed
			}
			if (i+k)%500 == 0 {
				l.residence *= 3
			}
			if l.observe(); !grew(before, l.r.Others) {
				t.Fatalf("%v units/s of %v s: Others went from %v to %v", l.rate, l.residence, before, l.r.Others)
			}
		}
	}
}

// grew reports whether sums have grown to numbers.
func grew(from, to control.Others) bool {
	by := to.Minus(from)
	return by.Work >= 0 && by.Time >= 0 && !math.IsInf(by.Work, 0) && !math.IsInf(by.Time, 0)
}

// Members observe at once; the race detector looks on.
func TestMembersAreConcurrent(t *testing.T) {
	c := new(company.Company)
	var loops []*loop
	var group sync.WaitGroup
	for i := range 16 {
		l := join(c, 1000, 0.01)
		loops = append(loops, l)
		group.Go(func() {
			l.Wake()
			for k := range 1000 {
				if k == 500 {
					l.residence = 0.03
				}
				if k%100 == i {
					l.Wake()
				}
				l.observe()
			}
		})
	}
	group.Wait()
	for _, l := range loops {
		if o := l.r.Others; !grew(control.Others{}, o) || o.Work > 15*2*10 || o.Time > 15*10 {
			t.Errorf("Others is %v after 10 s with 15 others", l.r.Others)
		}
	}
}

// A clock may be too coarse to time the units of one member. That must not reach the others.
func TestResidencesOfZero(t *testing.T) {
	c := new(company.Company)
	coarse, a, b := join(c, 1000, 0), join(c, 1000, 0.01), join(c, 1000, 0.01)
	run(3*time.Second, coarse, a, b)
	a.residence, b.residence = 0.02, 0.02
	run(3*time.Second, coarse, a, b)
	if o := a.r.Others; !grew(control.Others{}, o) || o.Work == 0 {
		t.Errorf("one member's units take no time: Others of another that queues is %v", a.r.Others)
	}
}

// An outside plays other processes: it grows by itself.
type outside struct{ mine, others control.Others }

func (o *outside) Add(done control.Others) control.Others {
	o.mine = o.mine.Plus(done)
	return o.others
}

// Members count what is outside if they share it, and tell it what they do.
func TestOutside(t *testing.T) {
	c, o := new(company.Company), new(outside)
	var loops []*loop
	for _, l := range []company.Member{c.Join(o), c.Join(o), c.Join(nil)} {
		loops = append(loops, &loop{Member: l, rate: 1000, residence: 0.01})
	}
	run(3*time.Second, loops...)
	for _, l := range loops {
		l.residence = 0.02
	}
	run(5*time.Second, loops...)
	told := o.mine.Work
	var before []float64
	for _, l := range loops {
		before = append(before, l.r.Others.Work)
	}
	for range 100 {
		o.others.Work += 0.05
		run(10*time.Millisecond, loops...)
	}
	if got := o.mine.Work - told; math.Abs(got-2) > 0.2 {
		t.Errorf("two members that share told %.3f in a second, want 2", got)
	}
	for i, want := range []float64{2 + 5, 2 + 5, 2} {
		if got := loops[i].r.Others.Work - before[i]; math.Abs(got-want) > 0.1*want {
			t.Errorf("loop %d: Others grew by %.3f in a second, want %v", i, got, want)
		}
	}
	o.others.Work += 1000 // while it rests
	loops[0].Wake()
	last := loops[0].r.Others.Work
	loops[0].observe()
	if got := loops[0].r.Others.Work - last; got > 0.1 {
		t.Errorf("Others grew by %v at once", got)
	}
}

// Fast loops show no queue from their first reading on, however many units that has.
func TestFastLoopsDoNotQueue(t *testing.T) {
	for _, rate := range []float64{100, 1000, 1700, 10_000, 1e6} {
		c := new(company.Company)
		a, b := join(c, rate, 0.001), join(c, rate, 0.001)
		run(5*time.Second, a, b)
		if got := a.r.Others; got != (control.Others{}) {
			t.Errorf("%v units/s, nobody queues: Others is %+v", rate, got)
		}
	}
}
