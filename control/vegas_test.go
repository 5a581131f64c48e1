package control_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// Units take 10 ms without a load. At 20 nobody queues; at 26 three do, which is
// what the law is after.
func ExampleNewVegas() {
	c := control.NewVegas(3, 6)
	r := control.Reading{Limit: 4, CPUs: 4}
	for _, ms := range []float64{10, 10, 11, 15} {
		d := c.Next(r)
		if d.Reason.Kind != control.None {
			fmt.Println(d.Reason)
		}
		r.Limit, r.InFlight, r.Waiting = d.Limit, d.Limit, 1
		r.At += 100 * time.Millisecond
		r.Timed, r.Completed = r.Timed+100, r.Completed+100
		r.Residence += 100 * ms / 1000
	}
	fmt.Println(c.Next(r).Reason)
	// Output:
	// starts at 20
	// 20→26: about 0 queue: units take 10 ms, 10 ms without load
	// 26→25: about 9 queue: units take 15 ms, 10 ms without load
}

// A window goes on until ten units have ended.
func ExampleVegas_Next() {
	c := control.NewVegas(3, 6)
	for _, r := range []control.Reading{
		{Limit: 20, CPUs: 4},
		{Limit: 20, CPUs: 4, At: 100 * time.Millisecond, Completed: 9, Timed: 9, Residence: 0.09},
		{Limit: 20, CPUs: 4, At: 110 * time.Millisecond, Completed: 10, Timed: 10, Residence: 0.1},
	} {
		d := c.Next(r)
		fmt.Println(d.Limit, d.After)
	}
	// Output:
	// 20 100ms
	// 20 10ms
	// 20 100ms
}

func ExampleVegas_Unloaded() {
	c := control.NewVegas(3, 6)
	c.Next(control.Reading{Limit: 20, CPUs: 4})
	c.Next(control.Reading{Limit: 20, CPUs: 4, At: 100 * time.Millisecond, Completed: 10, Timed: 10, Residence: 0.1})
	fmt.Println(c.Unloaded())
	// Output: 10ms
}

// q is what queues: L·(1 - R0/R), rounded up.
func TestVegasManual(t *testing.T) {
	f := feedWindows(control.NewVegas(3, 6), 4)
	for i, s := range []struct {
		us        int
		overloads int
		inUse     int
		limit     int
	}{
		{10_000, 0, 0, 20},  // sets R0
		{10_000, 0, 0, 26},  // q 0: beta more
		{10_300, 0, 0, 32},  // q 0.76 → 1: likewise
		{10_500, 0, 0, 33},  // q 1.52 → 2: one more
		{10_800, 0, 0, 33},  // q 2.44 → 3: enough
		{12_000, 0, 0, 33},  // q 5.5 → 6: not too many
		{12_500, 0, 0, 32},  // q 6.6 → 7: too many
		{30_000, 0, 15, 31}, // likewise; fewer in use, but not from the beginning
		{30_000, 0, 15, 31}, // less than half in use
		{30_000, 0, 16, 30}, // half
		{10_000, 1, 0, 29},  // overload, though nobody queues
		{9_000, 1, 0, 29},   // sets R0, and that is all
		{9_000, 0, 0, 35},
	} {
		f.inUse = s.inUse
		if d := f.window(50, time.Duration(s.us)*time.Microsecond, s.overloads); d.Limit != s.limit {
			t.Fatalf("step %d: limit %d, want %d", i+1, d.Limit, s.limit)
		}
	}
}

// From 100 on all numbers are twice as large, from 1000 on three times.
func TestVegasByTheLogarithm(t *testing.T) {
	for limit, l := range map[int]int{1: 1, 9: 1, 99: 1, 100: 2, 999: 2, 1000: 3, 9999: 3} {
		c := control.NewVegas(3, 6)
		c.Initial = 0
		f := feedWindows(c, limit)
		f.window(50, 10*time.Millisecond, 0)
		if d := f.window(50, 10*time.Millisecond, 0); d.Limit != limit+6*l {
			t.Errorf("%d units and no queue: limit %d, want %d", limit, d.Limit, limit+6*l)
		}
		f.r.Limit = limit // others set it back
		if d := f.window(0, 0, 20); d.Limit != max(1, limit-l) {
			t.Errorf("%d units and overload: limit %d, want %d", limit, d.Limit, max(1, limit-l))
		}
	}
}

// At a limit of 1, R0 is measured anew after 15 to 30 windows.
func TestVegasMeasuresAnew(t *testing.T) {
	after := func(seed uint64) (windows []int) {
		c := control.NewVegas(3, 6)
		c.Max, c.Seed = 1, seed
		f := feedWindows(c, 1)
		for range 10 {
			f.window(50, 10*time.Millisecond, 0)
			n := 1
			for ; c.Unloaded() == 10*time.Millisecond; n++ {
				f.window(50, 50*time.Millisecond, 0)
			}
			windows = append(windows, n)
		}
		return windows
	}
	all := after(0)
	for _, n := range all[1:] { // the next count begins where R0 was measured
		if n < 15 || n > 31 {
			t.Errorf("R0 measured anew after %d windows, want 15 to 30", n)
		}
	}
	if fmt.Sprint(all) != fmt.Sprint(after(0)) || fmt.Sprint(all) == fmt.Sprint(after(1)) {
		t.Error("the same seed must give the same times, and another one others")
	}
}

// A server that takes 16 units at a time: 3 to 6 more queue, until R0 is
// measured with those in the queue.
func TestVegasOnAServer(t *testing.T) {
	c := control.NewVegas(3, 6)
	c.Initial = 0
	p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond)}
	p.run(c, 8, 10*time.Second)
	s := newSweep()
	p.see = s.see
	p.run(c, 8, 20*time.Second)
	if s.least < 18 || s.most > 23 {
		t.Errorf("limit from %d to %d, want 19 to 22", s.least, s.most)
	}
	p.see = nil
	p.run(c, 8, 5*time.Minute)
	if p.r.Limit <= 23 {
		t.Errorf("limit %d after 5 min, want more: R0 was measured under load", p.r.Limit)
	}
}

func TestVegasRisesNoFurtherThanThereIsWork(t *testing.T) {
	c := control.NewVegas(3, 6)
	p := &fluid{cpus: 4, rate: server(16, 20*time.Millisecond), demand: func(time.Duration) int { return 5 }}
	p.run(c, 4, 30*time.Second)
	if p.r.Limit != 20 {
		t.Errorf("limit %d with 5 units of work, want the first, 20", p.r.Limit)
	}
}

// A limit that the caller clamps is the law's own from then on.
func TestVegasFollowsTheCaller(t *testing.T) {
	f := feedWindows(control.NewVegas(3, 6), 4)
	f.window(50, 10*time.Millisecond, 0)
	f.r.Limit = 12
	if d := f.window(50, 10*time.Millisecond, 0); d.Limit != 18 {
		t.Errorf("limit %d, want 6 more than the caller's 12", d.Limit)
	}
}

// Units that nobody times and whose number in flight nobody knows teach nothing.
func TestVegasWithoutTimes(t *testing.T) {
	c := control.NewVegas(3, 6)
	r := control.Reading{Limit: 20, CPUs: 4, Waiting: 1}
	for range 10 {
		if r.Limit = c.Next(r).Limit; r.Limit != 20 {
			t.Fatalf("limit %d, want 20", r.Limit)
		}
		r.At += 100 * time.Millisecond
		r.Completed += 20
	}
	r.Overloads++
	if d := c.Next(r); d.Limit != 19 || d.Reason.Kind != control.Overloaded {
		t.Errorf("limit %d, %v; want 19 by an overload", d.Limit, d.Reason)
	}
}

func TestVegasRefusesOddNumbers(t *testing.T) {
	for _, c := range [][2]int{{0, 6}, {-1, 2}, {4, 3}} {
		mustPanic(t, fmt.Sprintf("control: NewVegas(%d, %d): want alpha of at least 1 and beta of at least alpha, such as 3 and 6", c[0], c[1]),
			func() { control.NewVegas(c[0], c[1]) })
	}
}
